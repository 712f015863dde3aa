import assert from 'node:assert/strict';
import { after, afterEach, before, suite, test } from 'node:test';

import { createEmulator, type Shapes } from '../../emulator/src/index.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { API_KEY, byGuid, NODE, PASSWORD, startStack, type Stack } from '../../harness/stack.mts';

/** What the specification does not show, in every shape that the emulator can take. */
suite('unknowns', () => {
	let stack: Stack;
	/** Recordings that stay at the service, oldest first. */
	const kept: string[] = [];
	before(async () => {
		stack = await startStack();
		const { control } = stack.emulator;
		for (let index = 0; index < 5; index++) {
			const endedAt = new Date(control.now() - (5 - index) * 60_000).toISOString();
			kept.push((await control.addRecording({ endedAt })).sessionGuid);
		}
	});
	after(async () => await stack?.stop());
	afterEach(() => stack.emulator.control.resetShapes());

	const run = async (parameters: Record<string, unknown>, sessionGuid = ''): Promise<Execution> =>
		await stack.runNode({ parameters, items: [{ sessionGuid }] });

	const lists: Array<Partial<Shapes>> = [
		{ list: 'array' },
		{ list: 'recordings', recordFields: 'PascalCase' },
		{ list: 'data', recordFields: 'snake_case' },
		{ list: 'items', listOrder: 'newestFirst' },
		{ list: 'paged', paging: 'nextUrl', pageSize: 2 },
		{ list: 'paged', paging: 'cursor', pageSize: 2 },
		{ list: 'paged', paging: 'emptyPages', pageSize: 2 },
		{ list: 'paged', paging: 'pageNumber', pageSize: 2 },
		{ list: 'paged', paging: 'pageIndex', pageSize: 2 },
		{ list: 'paged', paging: 'offset', pageSize: 2 },
		{ list: 'paged', paging: 'linkHeader', pageSize: 2 },
		{ list: 'paged', paging: 'hal', pageSize: 2 },
	];
	for (const shapes of lists) {
		test(`Get Many, ${Object.values(shapes).join(', ')}`, async () => {
			stack.emulator.control.setShapes(shapes);
			const execution = await run({
				resource: 'recording',
				operation: 'getMany',
				returnAll: true,
				simple: false,
			});
			const items = execution.items(NODE).map(({ json }) => json);
			assert.deepEqual(items.map(({ sessionGuid }) => sessionGuid).sort(), kept.toSorted());
			for (const { callEndedAt, hoursLeft } of items) {
				assert.ok(!Number.isNaN(Date.parse(String(callEndedAt))));
				assert.ok(Number(hoursLeft) > 167 && Number(hoursLeft) <= 168);
			}
		});
	}

	test('Get Many stops at the limit without asking for further pages', async () => {
		const { control } = stack.emulator;
		control.setShapes({ list: 'paged', paging: 'cursor', pageSize: 2 });
		control.clearLogs();
		const execution = await run({ resource: 'recording', operation: 'getMany', limit: 3 });
		assert.equal(execution.items(NODE).length, 3);
		assert.equal(control.requests().length, 2);
	});

	test('Get Many, a next page that cannot be asked for: an error, unless enough were read', async () => {
		stack.emulator.control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		const getMany = { resource: 'recording', operation: 'getMany' };
		const all = await run({ ...getMany, returnAll: true });
		assert.match(
			String(all.nodeError(NODE)?.message),
			/list of recordings is incomplete: 2 were read, and the service says that there are more/,
		);
		assert.deepEqual(all.items(NODE), []);
		assert.equal((await run({ ...getMany, limit: 2 })).items(NODE).length, 2);
		const part = await run({ ...getMany, returnAll: true, options: { ifIncomplete: 'return' } });
		assert.equal(part.items(NODE).length, 2);
		assert.match(part.raw, /2 were read/, 'no hint');
		const { id } = stack.credentials.voiceAgentApi;
		assert.equal((await stack.n8n.testCredential({ id, type: 'voiceAgentApi' })).status, 'OK');
	});

	test('Get Many, records that show a GUID only', async () => {
		stack.emulator.control.setShapes({ recordDetail: 'guidOnly' });
		const getMany = { resource: 'recording', operation: 'getMany', returnAll: true };
		const [first] = (await run(getMany)).items(NODE);
		assert.equal(first?.json.hoursLeft, null);
		const filtered = await run({ ...getMany, options: { expiringWithin: 24 } });
		assert.equal(filtered.status, 'error');
		assert.match(String(filtered.nodeError(NODE)?.message), /do not show when their calls ended/);
	});

	const empty: Array<Partial<Shapes>> = [
		{ emptyList: 'null' },
		{ emptyList: 'null', list: 'recordings' },
		{ emptyList: 'emptyObject' },
		{ emptyList: '204' },
	];
	for (const shapes of empty) {
		test(`no recording, ${Object.values(shapes).join(', ')}: none is listed`, async (t) => {
			const service = await createEmulator({ shapes });
			t.after(async () => await service.close());
			const voiceAgentApi = await stack.n8n.createCredential({
				name: `No recordings, ${service.url}`,
				type: 'voiceAgentApi',
				data: { baseUrl: service.url, apiKey: API_KEY },
			});
			const execution = await stack.runNode({
				parameters: { resource: 'recording', operation: 'getMany', returnAll: true },
				items: [{}],
				credentials: { voiceAgentApi },
			});
			assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
			assert.deepEqual(execution.items(NODE), []);
			assert.deepEqual(
				await stack.n8n.testCredential({ id: voiceAgentApi.id, type: 'voiceAgentApi' }),
				{ status: 'OK', message: 'The service accepts the API key.' },
			);
		});
	}

	const downloads: Array<Partial<Shapes>> = [
		{ contentType: 'octet-stream', fileName: 'absent' },
		{ contentType: 'absent', contentLength: 'absent' },
		{ contentType: 'hostile', fileName: 'hostile' },
	];
	for (const shapes of downloads) {
		for (const password of [undefined, PASSWORD]) {
			const names = Object.entries(shapes).map((entry) => entry.join(' '));
			test(`38: Download, ${names.join(', ')}, ${password ? 'encrypted' : 'plain'}`, async () => {
				const { control } = stack.emulator;
				const recording = await control.addRecording({ format: 'mp3', password });
				control.setShapes(shapes);
				const execution = await run(
					{ resource: 'recording', operation: 'download', recording: byGuid() },
					recording.sessionGuid,
				);
				const [item] = execution.items(NODE);
				assert.equal(item?.json.sha256, recording.plainSha256, execution.error?.message);
				assert.equal(item?.binary?.data?.fileName, `${recording.sessionGuid}.mp3`);
				assert.equal(item?.binary?.data?.mimeType, 'audio/mpeg');
				const remove = { resource: 'recording', operation: 'delete', recording: byGuid() };
				await run(remove, recording.sessionGuid);
			});
		}
	}

	for (const spelling of ['upperCase', 'braces', 'noHyphens'] as const) {
		test(`36: session GUIDs in ${spelling}: listed, downloaded, deleted as they are`, async () => {
			const { control } = stack.emulator;
			control.setShapes({ sessionGuid: spelling });
			const { sessionGuid, plainSha256 } = await control.addRecording();
			assert.ok(!kept.includes(sessionGuid));
			const getMany = { resource: 'recording', operation: 'getMany', returnAll: true };
			const listed = (await run(getMany)).items(NODE).map(({ json }) => json.sessionGuid);
			assert.ok(listed.includes(sessionGuid));
			const parameters = { resource: 'recording', recording: byGuid() };
			const [downloaded] = (await run({ ...parameters, operation: 'download' }, sessionGuid)).items(
				NODE,
			);
			assert.equal(downloaded?.json.sha256, plainSha256);
			const [deleted] = (await run({ ...parameters, operation: 'delete' }, sessionGuid)).items(
				NODE,
			);
			assert.deepEqual(deleted?.json, { sessionGuid, deleted: true });
		});
	}

	for (const format of ['wav', 'opus'] as const) {
		test(`Download, ${format} without an announced length: requested once`, async () => {
			const { control } = stack.emulator;
			const recording = await control.addRecording({ format });
			control.setShapes({ contentLength: 'absent' });
			control.clearLogs();
			const parameters = { resource: 'recording', recording: byGuid() };
			const execution = await run({ ...parameters, operation: 'download' }, recording.sessionGuid);
			assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
			assert.equal(control.requests().length, 1);
			await run({ ...parameters, operation: 'delete' }, recording.sessionGuid);
		});
	}

	for (const deleteReply of ['200-body', '200-empty', '202', '204'] as const) {
		for (const unknownGuid of ['404', '410', '400'] as const) {
			test(`Delete answered with ${deleteReply}, then with ${unknownGuid}`, async () => {
				const { control } = stack.emulator;
				const { sessionGuid } = await control.addRecording();
				control.setShapes({ deleteReply, unknownGuid });
				const parameters = { resource: 'recording', operation: 'delete', recording: byGuid() };
				const first = await run(parameters, sessionGuid);
				assert.deepEqual(first.items(NODE)[0]?.json, { sessionGuid, deleted: true });
				const second = await run(parameters, sessionGuid);
				assert.equal(second.items(NODE)[0]?.json.alreadyGone, true, second.error?.message);
				const gone = await run(
					{ resource: 'recording', operation: 'download', recording: byGuid() },
					sessionGuid,
				);
				assert.match(String(gone.nodeError(NODE)?.message), /^The recording is gone/);
			});
		}
	}

	for (const errorBody of ['nested', 'flat', 'problem', 'text', 'html', 'empty'] as const) {
		test(`11, 12: a recording that is gone, error body ${errorBody}`, async () => {
			stack.emulator.control.setShapes({ errorBody });
			const sessionGuid = crypto.randomUUID();
			const parameters = { resource: 'recording', recording: byGuid() };
			const download = await run({ ...parameters, operation: 'download' }, sessionGuid);
			assert.match(String(download.nodeError(NODE)?.message), /^The recording is gone/);
			const removed = await run({ ...parameters, operation: 'delete' }, sessionGuid);
			assert.equal(removed.items(NODE)[0]?.json.alreadyGone, true, removed.error?.message);
		});
	}

	for (const makeCallReply of ['200', '201', '202-empty'] as const) {
		test(`Make answered with ${makeCallReply}`, async () => {
			const { control } = stack.emulator;
			control.setShapes({ makeCallReply });
			const before = control.calls().length;
			const execution = await run({
				resource: 'call',
				operation: 'make',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100"}',
			});
			const [call] = control.calls().slice(before);
			const json = execution.items(NODE)[0]?.json;
			if (makeCallReply === '202-empty') {
				assert.deepEqual(json, { accepted: true, httpStatus: 202 });
			} else {
				assert.equal(json?.sessionGuid, call?.sessionGuid);
			}
		});
	}

	for (const shape of ['501', '404', '405'] as const) {
		test(`SMS answered with ${shape}: not yet available`, async () => {
			stack.emulator.control.setShapes({ sms: shape });
			const execution = await run({
				resource: 'sms',
				operation: 'send',
				specifyBody: 'json',
				jsonBody: '{"to":"+15550100"}',
			});
			assert.match(String(execution.nodeError(NODE)?.message), /^Sending SMS is not yet available/);
		});
	}
});
