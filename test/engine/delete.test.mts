import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import { archiveNode, byGuid, voiceAgent } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { ownRecording, sharedEngine } from './engines.mts';
import { always, getMany, inRecording, reply, runOn, type Fault } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';

const engine = await sharedEngine();

suite('Delete', () => {
	const stateOf = (sessionGuid: string) => engine.ledger(sessionGuid).state;

	/** What is output without proof. */
	const outcome = (sessionGuid: string, deletedAt: unknown) => ({
		sessionGuid,
		recordingKey: sessionGuid,
		deleted: deletedAt !== null,
		deletedAt,
		kept: false,
	});

	/** Downloads a recording, and deletes it if the archive reports this. */
	const withReport = async (sessionGuid: string, json: object) =>
		await engine.runNode({
			before: [voiceAgent(inRecording('download'), { name: 'Download' }), archiveNode([{ json }])],
			parameters: { resource: 'recording', operation: 'delete', recording: byGuid() },
			items: [{ sessionGuid }],
		});

	test('by default, deletes only if the archive reports the same checksum and size [promise 1]', async () => {
		const { sessionGuid, plainSha256, plainBytes } = await engine.emulator.control.addRecording();
		const remove = async (sha256Checksum: unknown, size: unknown) =>
			await withReport(sessionGuid, { sha256Checksum, size });
		const other = '0'.repeat(64);
		assertFailed(
			await remove(other, plainBytes),
			new RegExp(`not deleted.*checksum ${plainSha256} of the download, ${other} in the archive`),
		);
		assert.equal(stateOf(sessionGuid), 'stored');
		const done = await remove(plainSha256.toUpperCase(), String(plainBytes));
		assert.equal(done.items(NODE)[0]?.json.deleted, true, done.error?.message);
		assert.equal(stateOf(sessionGuid), 'deleted');
	});

	const unknownTime = /The service keeps the recording \S+ until 7 days after the call\.$/;
	for (const [name, status, hint] of [
		['listed without a time', 200, unknownTime],
		['in a list that cannot be read', 400, /The recording is [\w-]+\.$/],
	] as const) {
		test(`the error without proof says what is known of a recording that is ${name}`, async () => {
			const { sessionGuid } = await engine.emulator.control.addRecording();
			always(engine, 'listRecordings', reply([{ sessionGuid }], status));
			const execution = await withReport(sessionGuid, {});
			assertFailed(execution, /not deleted/, hint);
			assert.equal(stateOf(sessionGuid), 'stored');
		});
	}

	test('fails with an answer of status 200 that says that it failed, and does not repeat it', async () => {
		const { control } = engine.emulator;
		const { sessionGuid } = await control.addRecording();
		const body = { success: false, message: 'legal hold' };
		always(engine, 'deleteRecording', reply(body));
		control.clearLogs();
		const refused = failure(await runOn(engine, 'delete', sessionGuid));
		assert.match(refused, /^declaredFailure: The service answered that the request failed/);
		assert.match(refused, /the request failed.*The service says: .*legal hold/);
		const deletions = control.requests().filter(({ method }) => method === 'DELETE');
		assert.equal(deletions.length, 1);
		// The list shows that there is nothing to delete.
		const gone = await runOn(engine, 'delete', crypto.randomUUID());
		assert.equal(gone.items(NODE)[0]?.json.deleted, true);
		assert.match(String(gone.hints(NODE)), /was already gone from the service/);
	});

	/** What a service may answer to a DELETE, whether it has carried it out or not. */
	const answers: Array<[status: number, body: unknown]> = [
		[202, {}],
		[202, ''],
		[200, { status: 'deleted-soon' }],
		[200, { data: { deletionState: 'PENDING' } }],
		[200, { accepted: true }],
		[200, { status: 'deleted' }],
		[200, { status: 'successful', statement: 'thanks' }],
		[200, { success: 'false' }],
		[200, { success: true }],
		[200, { deleted: 0 }],
		[200, { deleted: 'true' }],
		[200, { deleted: 1 }],
		[200, { data: { deleted: true } }],
		[200, { deletedCount: 0 }],
		[200, { status: 'not deleted' }],
		[200, { jobId: 7 }],
		[200, { code: 123, message: 'not allowed' }],
		[200, 'Recording is locked'],
		[200, 'deleted'],
		[200, []],
		[200, [{ deleted: true }]],
		[200, 0],
	];
	for (const [status, body] of answers) {
		const text = JSON.stringify(body);
		test(`after an answer ${status} ${text}, the list decides whether it is deleted`, async () => {
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			const match = { endpoint: 'deleteRecording' } as const;
			const fault = reply(body, status);
			control.addFault({ match, fault });
			const accepted = await runOn(engine, 'delete', sessionGuid);
			assert.match(String(accepted.hints(NODE)), /accepted.*still lists the recording/);
			const [kept] = accepted.items(NODE);
			assert.deepEqual(kept?.json, outcome(sessionGuid, null));
			control.addFault({ match, fault, carryOut: true });
			const [gone] = (await runOn(engine, 'delete', sessionGuid)).items(NODE);
			assert.deepEqual(gone?.json, outcome(sessionGuid, gone?.json.deletedAt));
		});
	}

	test('does not say deleted if the recording still comes, although the list leaves it out', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording();
		always(engine, 'deleteRecording', reply({ code: 123, message: 'not allowed' }));
		always(engine, 'listRecordings', reply([]));
		const execution = await runOn(engine, 'delete', sessionGuid);
		assert.deepEqual(execution.items(NODE)[0]?.json, outcome(sessionGuid, null));
		assert.match(String(execution.hints(NODE)), /does not say that.*still sends the recording/);
	});

	test('needs no list after an answer that says that the recording is deleted', async () => {
		const { sessionGuid } = await engine.emulator.control.addRecording();
		always(engine, 'deleteRecording', reply({ deleted: true, id: 7 }));
		always(engine, 'listRecordings', reply('', 500));
		const [item] = (await runOn(engine, 'delete', sessionGuid)).items(NODE);
		assert.deepEqual(item?.json, outcome(sessionGuid, item?.json.deletedAt));
		assert.ok(Math.abs(Date.parse(String(item?.json.deletedAt)) - Date.now()) < 60_000);
	});

	const HOUR_MS = 3_600_000;
	const at = (ms: number) => new Date(Date.now() + ms).toISOString();
	for (const [mark, isDeleted] of [
		[{ deletedAt: at(-1000) }, true],
		[{ deleted_at: at(-1000) }, true],
		[{ DeleteTime: at(-1000) }, true],
		[{ status: 'deleted' }, true],
		[{ State: 'PURGED' }, true],
		[{ isDeleted: true }, true],
		[{ deletedAt: at(24 * HOUR_MS) }, false],
		[{ deletedAt: null }, false],
		[{ deletedAt: '0001-01-01T00:00:00' }, false],
		[{ deletedAt: 'no' }, false],
		[{ isDeleted: 'true' }, false],
		[{ status: 'not deleted' }, false],
		[{ call: { status: 'deleted' } }, false],
	] as const) {
		test(`outputs deleted: ${isDeleted} if the list still has it with ${JSON.stringify(mark)}`, async () => {
			const { sessionGuid } = await engine.emulator.control.addRecording();
			always(engine, 'deleteRecording', reply({ jobId: 7 }));
			always(engine, 'listRecordings', reply([{ sessionGuid, ...mark }]));
			always(engine, 'downloadRecording', { kind: 'status', status: 404 });
			const [item] = (await runOn(engine, 'delete', sessionGuid)).items(NODE);
			assert.equal(item?.json.deleted, isDeleted);
			const listed = await engine.runNode({ parameters: getMany() });
			assert.equal(listed.items(NODE).length, isDeleted ? 0 : 1);
		});
	}

	for (const [deleteReply, unknownGuid] of [
		['200-body', '404'],
		['200-empty', '410'],
		['202', '400'],
		['204', '404'],
	] as const) {
		test(`succeeds with the answer ${deleteReply}, and again with ${unknownGuid} [fault 12]`, async () => {
			const { control } = engine.emulator;
			const { sessionGuid } = await control.addRecording();
			control.setShapes({ deleteReply, unknownGuid });
			control.clearLogs();
			const first = await runOn(engine, 'delete', sessionGuid);
			// Only an answer that leaves it open costs a look at the list.
			const methods = control.requests().map(({ method }) => method);
			assert.deepEqual(methods, deleteReply === '202' ? ['DELETE', 'GET'] : ['DELETE']);
			assert.equal(first.items(NODE)[0]?.json.deleted, true);
			assert.equal(stateOf(sessionGuid), 'deleted');
			const second = await runOn(engine, 'delete', sessionGuid);
			assert.equal(second.items(NODE)[0]?.json.deleted, true, failure(second));
			const gone = await runOn(engine, 'download', sessionGuid);
			assert.match(failure(gone), /^recordingGone: The recording is gone/);
		});
	}

	suite('Delete whose answer is lost', { concurrency: 4 }, () => {
		const unclear: Array<[string, Fault, Partial<Shapes>]> = [
			['a hang-up, then 400', { kind: 'hangUp' }, { unknownGuid: '400' }],
			['a hang-up, then a web page', { kind: 'hangUp' }, { errorBody: 'html' }],
			['502, then 410', { kind: 'status', status: 502 }, { unknownGuid: '410' }],
		];
		for (const [name, fault, shapes] of unclear) {
			test(`after ${name}, the recording is deleted`, async (t) => {
				const { engine, control, sessionGuid } = await ownRecording(t);
				control.setShapes(shapes);
				control.addFault({ match: { endpoint: 'deleteRecording' }, carryOut: true, fault });
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.equal(execution.items(NODE)[0]?.json.deleted, true);
				assert.equal(engine.ledger(sessionGuid).state, 'deleted');
			});
		}

		const hangUp: Fault = { kind: 'hangUp' };
		const isKept = /still at the service|keeps/;
		interface LostAnswers {
			name: string;
			/** Whether the service deletes the recording. */
			carryOut: boolean;
			listFault?: Fault;
			/** Whether the node outputs that it is deleted. */
			isDeleted: boolean;
		}
		const lostEachTime: LostAnswers[] = [
			{ name: 'deleted, because the list has it no longer', carryOut: true, isDeleted: true },
			{ name: 'an error if the list still has it', carryOut: false, isDeleted: false },
			{
				name: 'an error that does not say that it is kept, if no list comes either',
				carryOut: true,
				listFault: hangUp,
				isDeleted: false,
			},
		];
		for (const { name, carryOut, listFault, isDeleted } of lostEachTime) {
			test(`after a hang-up each time: ${name}`, async (t) => {
				const { engine, control, sessionGuid } = await ownRecording(t);
				const match = { endpoint: 'deleteRecording' } as const;
				control.addFault({ match, carryOut, times: 'always', fault: hangUp });
				if (listFault) always(engine, 'listRecordings', listFault);
				const execution = await runOn(engine, 'delete', sessionGuid);
				assert.equal(execution.items(NODE)[0]?.json.deleted, isDeleted || undefined);
				assert.match(failure(execution), isDeleted ? /^undefined: / : /^connectionLost: /);
				if (carryOut) assert.doesNotMatch(failure(execution), isKept);
				assert.equal(engine.ledger(sessionGuid).state, carryOut ? 'deleted' : 'stored');
			});
		}
	});
});
