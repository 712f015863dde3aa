/**
 * What an archive workflow asks of Download and Delete: metadata files, calls without a recording,
 * and the proof of several files.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { suite, test } from 'node:test';

import { archiveNode, byGuid, voiceAgent } from '../../harness/flow.mts';
import type { Json } from '../../harness/n8n/execution.mts';
import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { NODE, type NodeRun } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { assertAsShown } from '../docs/shownOutput.mts';
import { sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();
const { control } = engine.emulator;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const stateOf = (sessionGuid: string) => engine.ledger(sessionGuid).state;
const deletes = (sessionGuid: string) =>
	control.requests().filter(({ method, path }) => method === 'DELETE' && path.endsWith(sessionGuid))
		.length;
const UNKNOWN = '0e8f6d6e-1111-4222-8333-444455556666';

suite('Download', () => {
	const run = async (options: Record<string, unknown>, items: Array<Record<string, Json>>) =>
		await engine.runNode({ parameters: inRecording('download', { options }), items });

	test('a metadata file lies beside the recording, is readable, and has the record of the list', async () => {
		const { sessionGuid } = await control.addRecording({ format: 'wav' });
		const recording = { sessionGuid, endedAt: '2026-11-14T12:00:00Z' };
		const endedAt = '2026-11-14T12:00:00.000Z';
		const options = { addMetadata: true, outputFileName: 'v1.0/call.{sessionGuid}' };
		const execution = await run(options, [{ sessionGuid, endedAt, recording }]);
		const [, second] = execution.items(NODE);
		const file = second?.binary?.data;
		assert.ok(file, execution.error?.message);
		// What follows on the last dot is no extension, but tells it from others.
		assert.equal(second.json.fileName, `v1.0/call_${sessionGuid}.json`);
		assert.equal(file.mimeType, 'application/json');
		const content = (await engine.n8n.binary(file)).toString();
		const metadata = JSON.parse(content) as object;
		assert.equal(content, `${JSON.stringify(metadata, undefined, '\t')}\n`);
		assert.partialDeepStrictEqual(metadata, { listed: recording, endedAt });
	});

	test('Add Metadata File outputs a second item, with a file about the first', async () => {
		const endedAt = new Date(Date.now() - 3_600_000).toISOString();
		const recording = await control.addRecording({ format: 'mp3', password: PASSWORD, endedAt });
		const { sessionGuid } = recording;
		const payload = { event: 'CallEnd', sessionGuid, to: '+15550100' };
		control.clearLogs();
		const execution = await run(
			{ addMetadata: true, outputFileName: 'calls/{to}_{name}.{extension}' },
			[{ sessionGuid, receivedAt: new Date().toISOString(), payload }],
		);
		assert.equal(execution.status, 'success', execution.error?.message);
		const [first, second, ...more] = execution.items(NODE);
		assert.equal(more.length, 0);
		assert.equal(first?.json.endedAt, endedAt);
		assert.equal(first.json.fileName, `calls/+15550100_${sessionGuid}.mp3`);
		assert.equal(first?.binary?.data?.fileName, `+15550100_${sessionGuid}.mp3`);
		assert.ok(second?.binary?.data);
		const content = await engine.n8n.binary(second.binary.data);
		const keptUntil = new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString();
		const call = { to: first.json.to, from: first.json.from, endedAt, keptUntil };
		const about = { sessionGuid, recordingKey: sessionGuid, ...call };
		assert.deepEqual(second.json, {
			...about,
			fileName: `calls/+15550100_${sessionGuid}.json`,
			format: 'json',
			mimeType: 'application/json',
			bytes: content.length,
			metadataSha256: sha256(content),
			sha256Base64: createHash('sha256').update(content).digest('base64'),
		});
		const metadata = JSON.parse(content.toString()) as Record<string, unknown>;
		const inFirst = Object.entries(first?.json ?? {});
		const file = Object.fromEntries(inFirst.filter(([name]) => !(name in about)));
		assert.partialDeepStrictEqual(first?.json, about);
		assert.deepEqual(
			{ ...metadata, downloadedAt: '' },
			{
				version: 1,
				...about,
				downloadedAt: '',
				file,
				callEnd: payload,
				listed: metadata.listed,
			},
		);
		assert.equal((file as { sha256?: string }).sha256, recording.plainSha256);
		// The list is asked for what the item does not say: when the call ended.
		assert.equal(control.requests().length, 2);
		assert.ok(Math.abs(Date.parse(String(metadata.downloadedAt)) - Date.now()) < 60_000);
		for (const secret of [PASSWORD, 'demo-key']) assert.ok(!content.includes(secret));
	});

	test('a metadata file has no password, wherever the item has it', async () => {
		const { sessionGuid } = await control.addRecording({ password: PASSWORD });
		const encoded = Buffer.from(`password=${PASSWORD}`).toString('base64');
		const payload = { sessionGuid, encryption: { key: PASSWORD }, encoded };
		const recording = { sessionGuid, note: `encrypted with ${PASSWORD}` };
		const execution = await run({ addMetadata: true }, [{ sessionGuid, payload, recording }]);
		const file = execution.items(NODE)[1]?.binary?.data;
		assert.ok(file, execution.error?.message);
		const metadata = JSON.parse(String(await engine.n8n.binary(file))) as object;
		assert.partialDeepStrictEqual(metadata, {
			callEnd: { sessionGuid, encryption: { key: '[redacted]' }, encoded: '[redacted]' },
			listed: { sessionGuid, note: '[redacted]' },
		});
	});

	test('the end of a call that neither item nor list shows is unknown, not that of the webhook', async () => {
		const { sessionGuid } = await control.addRecording();
		control.addFault({
			match: { endpoint: 'listRecordings' },
			fault: { kind: 'status', status: 400 },
		});
		const receivedAt = new Date().toISOString();
		const outputFileName = '{date}_{to}_{name}.{extension}';
		const items = [{ event: 'callEnd', sessionGuid, receivedAt, payload: { sessionGuid } }];
		const [recording, file] = (await run({ addMetadata: true, outputFileName }, items)).items(NODE);
		assert.equal(recording?.json.fileName, `unknown_unknown_${sessionGuid}.opus`);
		assert.ok(file?.binary?.data);
		const metadata = JSON.parse(String(await engine.n8n.binary(file.binary.data))) as object;
		assert.partialDeepStrictEqual(metadata, { endedAt: null, keptUntil: null });
		// If the list shows them, they are in the name.
		const to = '{sales,support}';
		const listed = await control.addRecording({ to });
		control.setShapes({ list: 'paged', paging: 'nextUrl', pageSize: 1 });
		const [known] = (await run({ outputFileName }, [{ sessionGuid: listed.sessionGuid }])).items(
			NODE,
		);
		assert.match(String(known?.json.fileName), /^\d{4}-\d\d-\d\d_-sales,support-_[\da-f-]+\.opus$/);
	});

	test('a placeholder that may be misspelled is named once, and one with a value is not', async () => {
		const items = [];
		for (const to of ['+15550100', '+15550101']) {
			const { sessionGuid } = await control.addRecording({ to });
			items.push({ sessionGuid, to });
		}
		const outputFileName = '{caler}_{to}_{name}.{extension}';
		const execution = await run({ outputFileName }, items);
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json.fileName),
			items.map(({ sessionGuid, to }) => `unknown_${to}_${sessionGuid}.opus`),
		);
		const [hint, ...more] = execution.hints(NODE);
		assert.match(String(hint), /"unknown" for \{caler\}.*correct 'Output File Name'/);
		assert.deepEqual(more, []);
	});

	test('without a recording, Download fails; after a CallEnd webhook, it outputs no item', async () => {
		const { sessionGuid } = await control.addRecording();
		const items = [{ sessionGuid: UNKNOWN }, { sessionGuid }];
		assertFailed(await run({}, items), /^The recording is gone/, new RegExp(UNKNOWN));

		const receivedAt = new Date(Date.now() - 3_600_000).toISOString();
		const reported = items.map((item) => ({ ...item, event: 'callEnd', receivedAt }));
		const quiet = await run({}, reported);
		assert.equal(quiet.status, 'success', quiet.error?.message);
		assert.deepEqual(
			quiet.items(NODE).map(({ json }) => json.sessionGuid),
			[sessionGuid],
		);
	});

	test('after a CallEnd webhook, any other failure is still an error', async () => {
		const { sessionGuid } = await control.addRecording({ password: 'another' });
		assertFailed(await run({}, [{ sessionGuid, event: 'callEnd' }]), /cannot be decrypted/);
	});
});

suite('Delete with proof from files', () => {
	const parameters = (more: object = {}) => inRecording('delete', { requireProof: true, ...more });
	const download = inRecording('download', { options: { addMetadata: true } });
	const readBack: WorkflowNode[] = [archiveNode()];
	const run = async (
		sessionGuids: string[],
		archive: WorkflowNode[] = readBack,
		more: Partial<NodeRun> & { options?: object } = {},
	) =>
		await engine.runNode({
			before: [voiceAgent(download, { name: 'Download' }), ...archive],
			items: sessionGuids.map((sessionGuid) => ({ sessionGuid })),
			parameters: parameters({ options: more.options ?? {} }),
			...more,
		});

	const recordingOfYesterday = async () => {
		const endedAt = new Date(Date.now() - 24 * 3_600_000).toISOString();
		return { ...(await control.addRecording({ endedAt })), endedAt };
	};

	type Recording = Awaited<ReturnType<typeof control.addRecording>>;

	/** What a ledger notes of an archived recording, without what differs from time to time. */
	const rowOf = (recording: Recording) => ({
		recordingKey: recording.sessionGuid,
		sessionGuid: recording.sessionGuid,
		status: 'archived',
		endedAt: engine.ledger(recording.sessionGuid).endedAt,
		archive: 'Google Drive',
		bytes: recording.plainBytes,
		sha256: recording.plainSha256,
		...{ lastError: null, verifiedAt: null, verification: null },
	});

	test('each recording is deleted once, when all its files are proven', async () => {
		const first = await control.addRecording({ password: PASSWORD });
		const second = await control.addRecording({ format: 'wav' });
		const execution = await run([first.sessionGuid, second.sessionGuid]);
		assertAsShown('Output with proof', execution.items(NODE)[0]?.json);
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json),
			[first, second].map((recording, index) => {
				const { archivedAt, deletedAt, file } = execution.items(NODE)[index]?.json ?? {};
				return { ...rowOf(recording), archivedAt, file, deleted: true, deletedAt, kept: false };
			}),
		);
		for (const { sessionGuid } of [first, second]) assert.equal(deletes(sessionGuid), 1);
	});

	suite('Check Archive', () => {
		const check = inRecording('checkArchive');
		const files = async (sessionGuid: string) => ({
			before: [voiceAgent(download, { name: 'Download' }), ...readBack],
			items: [{ sessionGuid }],
		});

		test('outputs the row of each file before anything is deleted, and asks the service for nothing', async () => {
			const recording = await control.addRecording({ password: PASSWORD });
			const { sessionGuid } = recording;
			control.clearLogs();
			const execution = await engine.runNode({ ...(await files(sessionGuid)), parameters: check });
			assertAsShown('Recording: Check Archive', execution.items(NODE)[0]?.json);
			const { lastError, verifiedAt, verification, ...row } = rowOf(recording);
			assert.deepEqual([lastError, verifiedAt, verification], [null, null, null]);
			const file = `${sessionGuid}.opus`;
			const stored = { ...row, status: 'stored', file };
			assert.deepEqual(
				execution.items(NODE).map(({ json, pairedItem }) => ({ json, pairedItem })),
				[0, 1].map((item) => ({ json: stored, pairedItem: { item } })),
			);
			const asked = control.requests().filter(({ path }) => !path.endsWith('/recordings'));
			assert.deepEqual(
				asked.map(({ method }) => method),
				['GET'],
			);
		});

		test('leaves to Delete what it needs to see of the archive', async () => {
			const { sessionGuid } = await control.addRecording();
			const checked = voiceAgent(check, { name: 'Check' });
			const [item, ...more] = (await run([sessionGuid], [...readBack, checked])).items(NODE);
			assert.partialDeepStrictEqual(item?.json, { sessionGuid, deleted: true });
			assert.deepEqual([more, deletes(sessionGuid)], [[], 1]);
		});

		test('fails without proof, and says until when the service keeps the recording', async () => {
			const { sessionGuid, endedAt } = await recordingOfYesterday();
			const keptUntil = new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString();
			assertFailed(
				await engine.runNode({
					...(await files(sessionGuid)),
					before: [
						voiceAgent(download, { name: 'Download' }),
						archiveNode([{ json: {}, file: 'x' }]),
					],
					parameters: check,
				}),
				/^The recording was not deleted: the archived file differs/,
				new RegExp(`The service keeps the recording ${sessionGuid} until ${keptUntil}`),
			);
			assertFailed(
				await engine.runNode({ parameters: check }),
				/no proof that it is in the archive/,
			);
		});
	});

	for (const [what, archive, message] of [
		['is another one', [archiveNode([{ json: {}, file: 'x' }])], /: the archived file differs/],
		[
			'is not there',
			[archiveNode([{ json: { error: 'No space left' } }])],
			/archive: No space left$/,
		],
		['was not stored', [archiveNode([], { disabled: true })], /: 'Archive' is deactivated$/],
	] as Array<[string, WorkflowNode[], RegExp]>) {
		test(`if the file in the archive ${what}, the recording is not deleted [fault 43]`, async () => {
			const endedAt = new Date(Date.now() - 60_000).toISOString();
			const { sessionGuid } = await control.addRecording({ password: PASSWORD, endedAt });
			const keptUntil = new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString();
			for (const keepRecording of [false, true]) {
				for (const binaryMode of ['separate', 'combined']) {
					assertFailed(
						await run([sessionGuid], archive, {
							options: { keepRecording },
							workflowSettings: { binaryMode },
						}),
						new RegExp(`^The recording was not deleted.*${message.source}`),
						new RegExp(`The service keeps the recording ${sessionGuid} until ${keptUntil}`),
					);
				}
			}
			assert.equal(deletes(sessionGuid), 0);
		});
	}

	test('a ledger behind the archive may spell the session GUID in another way', async () => {
		const { sessionGuid } = await control.addRecording();
		const row = { json: { sessionGuid: sessionGuid.toUpperCase() } };
		const ledger = archiveNode([row, row], { type: 'n8n-nodes-base.dataTable', name: 'Ledger' });
		const [item] = (await run([sessionGuid], [...readBack, ledger])).items(NODE);
		assert.partialDeepStrictEqual(item?.json, { sessionGuid, deleted: true });
	});

	test('Keep Recording leaves a proven recording at the service, however often it is archived', async () => {
		const recording = await control.addRecording();
		const { sessionGuid } = recording;
		const options = { keepRecording: true };
		for (const _time of [1, 2]) {
			const [item, ...more] = (await run([sessionGuid], readBack, { options })).items(NODE);
			assert.deepEqual(more, []);
			const { archivedAt, file, ...json } = item?.json ?? {};
			assert.ok(Math.abs(Date.parse(String(archivedAt)) - Date.now()) < 60_000);
			assert.ok(String(file).includes(sessionGuid));
			const row = { ...rowOf(recording), deleted: false, deletedAt: null, kept: true };
			assert.deepEqual(json, row);
		}
		assertFailed(
			await run([sessionGuid], readBack, {
				parameters: parameters({ requireProof: false, options }),
			}),
			/'Keep Recording' needs 'Require Proof/,
		);
		assert.equal(deletes(sessionGuid), 0);
		assert.equal(stateOf(sessionGuid), 'stored');
	});

	test('a recording that was not downloaded in this execution is not deleted', async () => {
		const { sessionGuid } = await control.addRecording();
		const other = await control.addRecording();
		assertFailed(
			await run([other.sessionGuid], readBack, {
				parameters: parameters({ recording: byGuid(sessionGuid) }),
			}),
			/^The recording was not deleted: no proof/,
			new RegExp(`Before this node, add Download.*keeps the recording ${sessionGuid} until`),
		);
		assert.equal(deletes(sessionGuid), 0);
	});
});
