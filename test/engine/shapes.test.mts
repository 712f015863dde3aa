import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import type { Execution } from '../../harness/n8n/n8n.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';

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
