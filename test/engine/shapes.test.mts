import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test, type TestContext } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { failure } from './outcome.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();
const { sessionGuid: kept } = await engine.emulator.control.addRecording();

suite('unknowns', () => {
	const run = async (parameters: Record<string, unknown>, sessionGuid = ''): Promise<Execution> =>
		await engine.runNode({ parameters, items: [{ sessionGuid }] });

	const downloads: Array<Partial<Shapes>> = [
		{ contentType: 'octet-stream', fileName: 'absent' },
		{ contentType: 'absent', contentLength: 'absent' },
		{ contentType: 'hostile', fileName: 'hostile' },
	];
	for (const shapes of downloads) {
		for (const password of [undefined, PASSWORD]) {
			const names = Object.entries(shapes).map((entry) => entry.join(' '));
			test(`Download, ${names.join(', ')}, ${password ? 'encrypted' : 'plain'} [fault 38]`, async () => {
				const { control } = engine.emulator;
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
		test(`session GUIDs in ${spelling}: listed, downloaded, deleted as they are [fault 36]`, async () => {
			const { control } = engine.emulator;
			control.setShapes({ sessionGuid: spelling });
			const { sessionGuid, plainSha256 } = await control.addRecording();
			assert.notEqual(sessionGuid, kept);
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
			const { control } = engine.emulator;
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
});

/** Runs an operation with a service that answers the first request, the second and so on as given. */
async function answered(
	t: TestContext,
	operation: 'download' | 'getMany',
	...replies: [Reply, ...Reply[]]
): Promise<{ execution: Execution; requests: number }> {
	let sent = 0;
	const { voiceAgentApi, requests } = await ownService(
		t,
		engine,
		() => replies[Math.min(sent++, replies.length - 1)] ?? replies[0],
	);
	const parameters = { resource: 'recording', operation, recording: byGuid(), returnAll: true };
	const execution = await engine.runNode({
		parameters,
		items: [{ sessionGuid: crypto.randomUUID() }],
		credentials: { voiceAgentApi },
		settings: { onError: 'continueRegularOutput' },
	});
	return { execution, requests: requests.length };
}

suite('a recording, plain or encrypted', () => {
	for (const password of [undefined, PASSWORD]) {
		const kind = password ? 'encrypted' : 'plain';
		const bytesOf = async () => {
			const { control } = engine.emulator;
			const recording = await control.addRecording({ format: 'wav', password, durationSeconds: 1 });
			return { recording, bytes: await readFile(await control.storedFile(recording.sessionGuid)) };
		};
		const lengths: Array<[string, (bytes: Buffer) => Reply]> = [
			['announced', ({ length }) => ({ headers: { 'content-length': String(length) } })],
			['not announced, in chunks', () => ({ headers: { 'transfer-encoding': 'chunked' } })],
			['until the end of the connection', () => ({ headers: { connection: 'close' } })],
			[
				'as the range of the whole',
				({ length }) => ({
					status: 206,
					headers: { 'content-range': `bytes 0-${length - 1}/${length}` },
				}),
			],
		];
		for (const [name, replyTo] of lengths) {
			test(`length, ${kind}: ${name}`, async (t) => {
				const { recording, bytes } = await bytesOf();
				const reply = { ...replyTo(bytes), body: bytes };
				reply.headers = { ...reply.headers, 'content-type': 'application/octet-stream' };
				const { execution, requests } = await answered(t, 'download', reply);
				assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
				assert.equal(requests, 1);
			});
		}

		const wrapped: Array<[string, string, (bytes: Buffer) => string | Buffer]> = [
			['in Base64', 'text/plain', (bytes) => bytes.toString('base64')],
			[
				'in JSON',
				'application/json',
				(bytes) => JSON.stringify({ data: bytes.toString('base64') }),
			],
			[
				'in a multipart body',
				'multipart/mixed; boundary=x',
				(bytes) => Buffer.concat([Buffer.from('--x\r\n\r\n'), bytes, Buffer.from('\r\n--x--')]),
			],
		];
		for (const [name, type, wrap] of wrapped) {
			test(`wrapped, ${kind}: ${name}, refused`, async (t) => {
				const { bytes } = await bytesOf();
				const reply = { headers: { 'content-type': type }, body: wrap(bytes) };
				const { execution } = await answered(t, 'download', reply);
				assert.match(failure(execution), /^notARecording: /);
			});
		}
	}
});

suite('errors and limits', () => {
	const texts: Array<[string, Reply['body'], string]> = [
		['JSON', { message: 'unknown filter' }, 'application/json'],
		['text', 'unknown filter', 'text/plain'],
		['a problem', { title: 'Bad', detail: 'unknown filter' }, 'application/problem+json'],
		['in a list', { errors: [{ msg: 'unknown filter' }] }, 'application/json'],
	];
	for (const [name, body, type] of texts) {
		test(`the text of a rejection as ${name}`, async (t) => {
			const reply = { status: 422, headers: { 'content-type': type }, body };
			const { execution } = await answered(t, 'getMany', reply);
			assert.match(failure(execution), /^rejected: .*The service says: .*unknown filter/);
		});
	}

	const limits: Array<[string, Record<string, string>]> = [
		['seconds', { 'retry-after': '0' }],
		['a date', { 'retry-after': 'Sat, 14 Nov 2026 12:00:00 GMT' }],
		['no time', {}],
		['a time that cannot be read', { 'retry-after': 'soon' }],
	];
	for (const [name, headers] of limits) {
		for (const status of [429, 503]) {
			test(`rate limit, ${status} with ${name}: tried again`, async (t) => {
				const limited = { status, headers };
				const { execution, requests } = await answered(t, 'getMany', limited, { body: [] });
				assert.deepEqual([execution.status, execution.items(NODE), requests], ['success', [], 2]);
			});
		}
	}

	const sizes: Array<[string, Reply]> = [
		['announced', { headers: { 'content-length': String(17 * 1024 * 1024) }, body: '' }],
		['sent', { body: JSON.stringify({ recordings: [], note: 'x'.repeat(16 * 1024 * 1024) }) }],
	];
	for (const [name, reply] of sizes) {
		test(`too large: ${name}`, async (t) => {
			const { execution, requests } = await answered(t, 'getMany', reply);
			assert.match(failure(execution), /^tooLarge: .*smaller pages/);
			assert.equal(requests, 1);
		});
	}
});
