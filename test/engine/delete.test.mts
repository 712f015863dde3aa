import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { ownEngine, sharedEngine } from './engines.mts';
import { always, runOn, type Fault } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';

const engine = await sharedEngine();

suite('Delete', () => {
	test('Delete; and once more, which is no failure [fault 12]', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording();
		const remove = async () => await runOn(engine, 'delete', sessionGuid);
		assert.deepEqual((await remove()).items(NODE)[0]?.json, { sessionGuid, deleted: true });
		assert.equal(stateOf(sessionGuid), 'deleted');
		assert.deepEqual((await remove()).items(NODE)[0]?.json, {
			sessionGuid,
			deleted: true,
			alreadyGone: true,
		});
	});

	const stateOf = (sessionGuid: string) =>
		engine.emulator.control.recordings().find((recording) => recording.sessionGuid === sessionGuid)
			?.state;

	test('Delete with proof: only if checksum and size agree', async () => {
		const { sessionGuid, plainSha256, plainBytes } = await engine.emulator.control.addRecording();
		const remove = async (archiveChecksum: string, archiveSize: number) =>
			await engine.runNode({
				parameters: {
					resource: 'recording',
					operation: 'delete',
					recording: byGuid(),
					requireProof: true,
					downloadChecksum: plainSha256,
					downloadSize: plainBytes,
					archiveChecksum,
					archiveSize,
				},
				items: [{ sessionGuid }],
			});
		const other = '0'.repeat(64);
		assertFailed(
			await remove(other, plainBytes),
			new RegExp(`not deleted.*checksum ${plainSha256} of the download, ${other} in the archive`),
		);
		assertFailed(
			await remove(plainSha256, plainBytes - 1),
			new RegExp(
				`not deleted.*size ${plainBytes} of the download, ${plainBytes - 1} in the archive`,
			),
		);
		assertFailed(await remove('none', plainBytes), /'Checksum in Archive' is not a SHA-256/);
		assert.equal(stateOf(sessionGuid), 'stored');
		const done = await remove(`"${plainSha256.toUpperCase()}"`, plainBytes);
		assert.equal(done.items(NODE)[0]?.json.deleted, true);
		assert.equal(stateOf(sessionGuid), 'deleted');
	});

	for (const [name, fault, hint] of [
		['listed', undefined, / is still at the service, which keeps it until 20\d\d-\S+Z\.$/],
		['listed without a time', 'records', / which keeps it until 7 days after the call\.$/],
		['not to be seen in the list', 'fails', /The recording \S+ was not deleted\.$/],
	] as const) {
		test(`without proof, of a recording that is ${name}: the error says until when it is kept`, async () => {
			const { sessionGuid } = await engine.emulator.control.addRecording();
			if (fault === 'records') {
				const body = [{ sessionGuid }];
				always(engine, 'listRecordings', { kind: 'status', status: 200, body });
			}
			if (fault === 'fails') always(engine, 'listRecordings', { kind: 'status', status: 400 });
			const checksum = 'a'.repeat(64);
			const execution = await engine.runNode({
				parameters: {
					resource: 'recording',
					operation: 'delete',
					recording: byGuid(),
					requireProof: true,
					downloadChecksum: checksum,
					downloadSize: 1,
					archiveChecksum: checksum.replace('a', 'b'),
					archiveSize: 1,
				},
				items: [{ sessionGuid }],
			});
			assertFailed(execution, /not deleted/, hint);
			assert.equal(stateOf(sessionGuid), 'stored');
		});
	}

	for (const status of [404, 410]) {
		test(`${status} on delete counts as deleted only if the list no longer has it`, async () => {
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			const noRoute: Fault = { kind: 'status', status, body: { message: 'no route' } };
			control.addFault({ match: { endpoint: 'deleteRecording' }, fault: noRoute });
			const listed = await runOn(engine, 'delete', sessionGuid);
			assert.match(failure(listed), /^stillListed: .* no such recording, but its list shows it/);
			control.addFault({ match: { endpoint: 'deleteRecording' }, fault: noRoute });
			const gone = await runOn(engine, 'delete', crypto.randomUUID());
			assert.equal(gone.items(NODE)[0]?.json.alreadyGone, true);
		});
	}

	const failed: Array<[string, Fault, RegExp]> = [
		[
			'success is false',
			{ kind: 'status', status: 200, body: { success: false, message: 'legal hold' } },
			/^declaredFailure: The service answered that the request failed.*The service says: legal hold/,
		],
		[
			'207',
			{ kind: 'status', status: 207, body: { results: [{ status: 423, error: 'locked' }] } },
			/^declaredFailure: .*status 207/,
		],
	];
	for (const [name, fault, expected] of failed) {
		test(`an answer with status 2xx that says that it failed: ${name}`, async () => {
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			control.addFault({ match: { endpoint: 'deleteRecording' }, times: 'always', fault });
			control.clearLogs();
			assert.match(failure(await runOn(engine, 'delete', sessionGuid)), expected);
			const deletions = control.requests().filter(({ method }) => method === 'DELETE');
			assert.equal(deletions.length, 1);
			// The list shows that there is nothing to delete.
			const gone = await runOn(engine, 'delete', crypto.randomUUID());
			assert.equal(gone.items(NODE)[0]?.json.alreadyGone, true);
		});
	}

	test('a web page with 404 on delete does not while the recording is listed', async () => {
		const { control } = engine.emulator;
		const { sessionGuid } = await control.addRecording();
		control.addFault({
			match: { endpoint: 'deleteRecording' },
			fault: { kind: 'html', status: 404 },
		});
		const execution = await engine.runNode({
			parameters: { resource: 'recording', operation: 'delete', recording: byGuid() },
			items: [{ sessionGuid }],
		});
		assertFailed(execution, /answered with a web page/);
	});

	for (const deleteReply of ['200-body', '200-empty', '202', '204'] as const) {
		for (const unknownGuid of ['404', '410', '400'] as const) {
			test(`Delete answered with ${deleteReply}, then with ${unknownGuid} [fault 12]`, async () => {
				const { control } = engine.emulator;
				const { sessionGuid } = await control.addRecording();
				control.setShapes({ deleteReply, unknownGuid });
				const first = await runOn(engine, 'delete', sessionGuid);
				assert.deepEqual(first.items(NODE)[0]?.json, { sessionGuid, deleted: true });
				const second = await runOn(engine, 'delete', sessionGuid);
				assert.equal(second.items(NODE)[0]?.json.alreadyGone, true, failure(second));
				const gone = await runOn(engine, 'download', sessionGuid);
				assert.match(failure(gone), /^recordingGone: The recording is gone/);
			});
		}
	}

	suite('Delete whose first answer is lost', { concurrency: 4 }, () => {
		const unclear: Array<[string, Fault, Partial<Shapes>]> = [
			['hung up, then 404', { kind: 'hangUp' }, {}],
			['hung up, then 400', { kind: 'hangUp' }, { unknownGuid: '400' }],
			['hung up, then a web page', { kind: 'hangUp' }, { errorBody: 'html' }],
			['502, then 410', { kind: 'status', status: 502 }, { unknownGuid: '410' }],
			['cut off within the answer, then 404', { kind: 'drop', afterBytes: 5 }, {}],
		];
		for (const [name, fault, shapes] of unclear) {
			test(`${name}: deleted`, async (t) => {
				const engine = await ownEngine(t);
				const { control } = engine.emulator;
				const { sessionGuid } = await control.addRecording();
				control.setShapes(shapes);
				control.addFault({ match: { endpoint: 'deleteRecording' }, carryOut: true, fault });
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.equal(execution.items(NODE)[0]?.json.deleted, true);
				assert.equal(engine.ledger(sessionGuid).state, 'deleted');
			});
		}

		test('all attempts, then a try of Retry On Fail: deleted', async (t) => {
			const engine = await ownEngine(t);
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			control.addFault({
				match: { endpoint: 'deleteRecording' },
				carryOut: true,
				times: 4,
				fault: { kind: 'hangUp' },
			});
			const execution = await engine.runNode({
				parameters: {
					resource: 'recording',
					operation: 'delete',
					recording: byGuid(),
				},
				items: [{ sessionGuid }],
				settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 100 },
			});
			assert.equal(execution.items(NODE)[0]?.json.deleted, true);
		});

		for (const fault of [{ kind: 'hangUp' }, { kind: 'status', status: 502 }] as const) {
			test(`every attempt (${fault.kind}): deleted, because the list has it no longer`, async (t) => {
				const engine = await ownEngine(t);
				const { control } = engine.emulator;
				const { sessionGuid } = await control.addRecording();
				const match = { endpoint: 'deleteRecording' } as const;
				control.addFault({ match, carryOut: true, times: 'always', fault });
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.equal(execution.items(NODE)[0]?.json.deleted, true);
			});

			test(`every attempt (${fault.kind}), and nothing is deleted: an error`, async (t) => {
				const engine = await ownEngine(t);
				const { control } = engine.emulator;
				const { sessionGuid } = await control.addRecording();
				control.addFault({ match: { endpoint: 'deleteRecording' }, times: 'always', fault });
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.match(failure(execution), /^(connectionLost|serverError): /);
				assert.equal(engine.ledger(sessionGuid).state, 'stored');
			});
		}

		test('every attempt, and the list does not answer either: an error that does not say that it is kept', async (t) => {
			const engine = await ownEngine(t);
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			const fault = { kind: 'hangUp' } as const;
			const match = { endpoint: 'deleteRecording' } as const;
			control.addFault({ match, carryOut: true, times: 'always', fault });
			control.addFault({ match: { endpoint: 'listRecordings' }, times: 'always', fault });
			const execution = await runOn(engine, 'delete', sessionGuid);
			assert.match(failure(execution), /^connectionLost: /);
			assert.doesNotMatch(failure(execution), /still at the service|keeps/);
		});

		test('404, and the list is not ready (202): not clear', async (t) => {
			const engine = await ownEngine(t);
			const match = { endpoint: 'listRecordings' } as const;
			engine.emulator.control.addFault({ match, fault: { kind: 'empty', status: 202 } });
			const execution = await runOn(engine, 'delete', crypto.randomUUID());
			assert.match(failure(execution), /^maybeGone: .*the status is 202/);
		});

		for (const [name, other] of [
			['records', (sessionGuid: string) => ({ pending: [{ sessionGuid, progress: 0.5 }] })],
			['groups', (sessionGuid: string) => ({ byState: { queued: [{ sessionGuid }] } })],
		] as Array<[string, (guid: string) => object]>) {
			test(`404, and another list of the answer has it, as ${name}: not clear`, async (t) => {
				const engine = await ownEngine(t);
				const sessionGuid = crypto.randomUUID();
				const recordings = [{ sessionGuid: crypto.randomUUID() }];
				const body = { recordings, ...other(sessionGuid) };
				always(engine, 'listRecordings', { kind: 'status', status: 200, body });
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.match(failure(execution), /^maybeGone: .*shows it, but not in the list/);
				const gone = await runOn(engine, 'delete', crypto.randomUUID());
				assert.equal(gone.items(NODE)[0]?.json.alreadyGone, true);
			});
		}
	});
});
