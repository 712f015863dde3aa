/** Recordings that cannot be opened, put out as they are at the service, and skipped if the input has them already. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, afterEach, suite, test } from 'node:test';

import { startEngine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { failure } from './outcome.mts';

const engine = await startEngine();
after(async () => await engine.stop());
const { control } = engine.emulator;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const download = (options: Record<string, unknown> = {}) => ({
	resource: 'recording',
	operation: 'download',
	recording: byGuid("={{ $('Start').item.json.sessionGuid }}"),
	options: { ifNotOpened: 'output', ...options },
});
type Fault = Parameters<typeof control.addFault>[0]['fault'];
const always = (fault: Fault, skip = 0) =>
	control.addFault({ match: { endpoint: 'downloadRecording' }, times: 'always', skip, fault });

/** A WAV file that announces more audio than it has. */
async function cutWav(): Promise<Buffer> {
	const { sessionGuid } = await control.addRecording({ format: 'wav' });
	const whole = await readFile(await control.storedFile(sessionGuid));
	return whole.subarray(0, whole.length / 2);
}

suite('a recording that cannot be opened', () => {
	afterEach(() => {
		control.clearFaults();
		control.resetShapes();
	});

	const noise = randomBytes(5_000);
	const stored: Array<[string, () => Promise<Uint8Array>, string, string, string]> = [
		['noise', async () => noise, 'enc', 'wrongPasswordOrAltered', 'exact'],
		['a WAV file that is cut', cutWav, 'wav', 'recordingIncomplete', 'exact'],
	];
	for (const [name, contentOf, extension, reason, contentType] of stored) {
		for (const contentLength of ['present', 'absent'] as const) {
			test(`${name}: the bytes of the service, Content-Length ${contentLength}`, async () => {
				const content = await contentOf();
				const { sessionGuid } = await control.addRecording({ content });
				control.setShapes({ contentType: contentType as 'exact', contentLength });
				const execution = await engine.runNode({
					parameters: download({ outputFileName: '{name}_{sha256}.{extension}' }),
					items: [{ sessionGuid }],
				});
				assert.equal(execution.status, 'success', execution.error?.message);
				assert.deepEqual(execution.items(NODE), []);
				const [item, ...more] = execution.items(NODE, 1);
				assert.deepEqual(more, []);
				assert.ok(item?.binary?.data);
				assert.deepEqual(await engine.n8n.binary(item.binary.data), Buffer.from(content));
				const { json } = item;
				assert.equal(json.fileName, `${sessionGuid}_${sha256(content)}.${extension}`);
				assert.equal(item.binary.data.fileName, json.fileName);
				assert.deepEqual(
					[json.sessionGuid, json.bytes, json.sha256, json.reason],
					[sessionGuid, content.length, sha256(content), reason],
				);
			});
		}
	}

	test('encrypted, with the wrong password, or none, or cut: the .enc file', async () => {
		const items: Array<{ sessionGuid: string }> = [];
		const contents: string[] = [];
		for (const change of ['wrong', 'cut', 'altered']) {
			const password = change === 'wrong' ? 'another' : PASSWORD;
			const { sessionGuid } = await control.addRecording({ password });
			if (change === 'cut') await control.tamper(sessionGuid, { truncateTo: 900 });
			if (change === 'altered') await control.tamper(sessionGuid, { flipBitAt: 100 });
			contents.push(sha256(await readFile(await control.storedFile(sessionGuid))));
			items.push({ sessionGuid });
		}
		const good = await control.addRecording({ password: PASSWORD });
		const execution = await engine.runNode({
			parameters: download({ addMetadata: true }),
			items: [...items, { sessionGuid: good.sessionGuid }],
		});
		assert.equal(execution.status, 'success', execution.error?.message);
		const opened = execution.items(NODE).map(({ json }) => json.sessionGuid);
		assert.deepEqual(opened, [good.sessionGuid, good.sessionGuid]);
		const untouched = execution.items(NODE, 1);
		assert.deepEqual(
			untouched.map(({ json }) => json.format),
			['enc', 'json', 'enc', 'json', 'enc', 'json'],
		);
		assert.deepEqual(
			untouched.flatMap(({ json }) => json.sha256 ?? []),
			contents,
		);
		assert.ok(untouched[1]?.binary?.data);
		const metadata = JSON.parse((await engine.n8n.binary(untouched[1].binary.data)).toString()) as {
			file: Record<string, unknown>;
			callEndedAt: string;
		};
		assert.equal(metadata.file.sha256, contents[0]);
		assert.equal(metadata.file.reason, 'wrongPasswordOrAltered');
		assert.equal(metadata.callEndedAt, engine.ledger(items[0]?.sessionGuid ?? '').endedAt);
	});

	test('with a No Recording output too, it comes third', async () => {
		const { sessionGuid } = await control.addRecording({ password: 'another' });
		const absent = '0e8f6d6e-1111-4222-8333-444455556666';
		const execution = await engine.runNode({
			parameters: download({ ifNoRecording: 'output' }),
			items: [{ sessionGuid }, { sessionGuid: absent }],
		});
		const [, second, third] = [0, 1, 2].map((output) =>
			execution.items(NODE, output).map(({ json }) => json.sessionGuid),
		);
		assert.deepEqual([second, third], [[absent], [sessionGuid]]);
	});

	const faults: Array<[string, Fault, RegExp]> = [
		['500', { kind: 'status', status: 500 }, /^serverError/],
		['401', { kind: 'status', status: 401 }, /^unauthorized/],
		['404, although it is listed', { kind: 'status', status: 404 }, /^recordingNotReady/],
		['204', { kind: 'empty', status: 204 }, /^recordingNotReady/],
		['a web page', { kind: 'html' }, /^notARecording/],
		['a connection that is cut', { kind: 'drop', afterBytes: 1000 }, /^connectionLost|^cutShort/],
	];
	for (const skip of [0, 1]) {
		for (const [name, fault, reason] of faults) {
			test(`a failure stays one: ${name}${skip ? ', from the second request on' : ''}`, async () => {
				const { sessionGuid } = await control.addRecording({ password: 'another' });
				always(fault, skip);
				const execution = await engine.runNode({
					parameters: download({}),
					items: [{ sessionGuid }],
					settings: { onError: 'continueRegularOutput' },
				});
				assert.match(failure(execution), reason);
				assert.deepEqual(execution.items(NODE, 1), []);
			});
		}
	}
});
