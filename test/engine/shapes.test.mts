import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { suite, test, type TestContext } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { getMany, inRecording, runOn } from './oneRecording.mts';
import { failure } from './outcome.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();
const { sessionGuid: kept } = await engine.emulator.control.addRecording();

suite('what the specification does not say', () => {
	const downloads: Array<Partial<Shapes>> = [
		{ contentType: 'octet-stream', fileName: 'absent' },
		{ contentType: 'absent', contentLength: 'absent' },
		{ contentType: 'hostile', fileName: 'hostile' },
	];
	for (const shapes of downloads) {
		for (const password of [undefined, PASSWORD]) {
			const names = Object.entries(shapes).map((entry) => entry.join(' '));
			test(`a download has ${names.join(', ')}, ${password ? 'encrypted' : 'plain'} [fault 38]`, async () => {
				const { control } = engine.emulator;
				const recording = await control.addRecording({ format: 'mp3', password });
				control.setShapes(shapes);
				const execution = await runOn(engine, 'download', recording.sessionGuid);
				const [item] = execution.items(NODE);
				assert.equal(item?.json.sha256, recording.plainSha256, failure(execution));
				assert.equal(item?.binary?.data?.fileName, `${recording.sessionGuid}.mp3`);
				assert.equal(item?.binary?.data?.mimeType, 'audio/mpeg');
			});
		}
	}

	for (const spelling of ['upperCase', 'braces', 'noHyphens'] as const) {
		test(`session GUIDs in ${spelling} stay as they are, from list to delete [fault 36]`, async () => {
			const { control } = engine.emulator;
			control.setShapes({ sessionGuid: spelling });
			const { sessionGuid, plainSha256 } = await control.addRecording();
			assert.notEqual(sessionGuid, kept);
			const listed = (await engine.runNode({ parameters: getMany() })).items(NODE);
			assert.ok(listed.some(({ json }) => json.sessionGuid === sessionGuid));
			const downloaded = await runOn(engine, 'download', sessionGuid);
			assert.equal(downloaded.items(NODE)[0]?.json.sha256, plainSha256);
			const deleted = await runOn(engine, 'delete', sessionGuid);
			assert.equal(deleted.items(NODE)[0]?.json.deleted, true);
		});
	}
});

/** Runs an operation with a service that answers like this. */
async function answered(
	t: TestContext,
	operation: 'download' | 'getMany',
	reply: Reply,
): Promise<{ execution: Execution; requests: number }> {
	const { run, requests } = await ownService(t, engine, () => reply);
	const execution = await run({
		parameters: operation === 'download' ? inRecording(operation) : getMany(),
		items: [{ sessionGuid: crypto.randomUUID() }],
		settings: { onError: 'continueRegularOutput' },
	});
	return { execution, requests: requests.length };
}

suite('a recording', () => {
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
			test(`is downloaded with its length ${name} (${kind})`, async (t) => {
				const { recording, bytes } = await bytesOf();
				const reply = { ...replyTo(bytes), body: bytes };
				reply.headers = { ...reply.headers, 'content-type': 'application/octet-stream' };
				const { execution, requests } = await answered(t, 'download', reply);
				assert.equal(execution.items(NODE)[0]?.json.sha256, recording.plainSha256);
				assert.equal(requests, 1);
			});
		}
	}
});

suite('limits', () => {
	const sizes: Array<[string, Reply]> = [
		['announced', { headers: { 'content-length': String(17 * 1024 * 1024) }, body: '' }],
		['sent', { body: JSON.stringify({ recordings: [], note: 'x'.repeat(16 * 1024 * 1024) }) }],
	];
	for (const [name, reply] of sizes) {
		test(`a list that is too large, as ${name}, is refused after one request`, async (t) => {
			const { execution, requests } = await answered(t, 'getMany', reply);
			assert.match(failure(execution), /^tooLarge: .*smaller pages/);
			assert.equal(requests, 1);
		});
	}
});
