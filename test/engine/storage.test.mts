/** n8n cannot store a file: the execution fails at once, with n8n's reason. */
import assert from 'node:assert/strict';
import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { sharedEngine } from './engines.mts';
import { runOn } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';

const engine = await sharedEngine();

/** The folder that n8n keeps binary data in. */
function storageFolder(): string {
	const folders = readdirSync(engine.n8n.userFolder, { recursive: true, withFileTypes: true });
	const workflows = folders.find(({ name }) => name === 'workflows');
	assert.ok(workflows, 'n8n has stored no file yet');
	return join(workflows.parentPath, workflows.name);
}

async function download(recording: { sessionGuid: string }, onError = 'stopWorkflow') {
	return await runOn(engine, 'download', recording.sessionGuid, {}, { settings: { onError } });
}

for (const password of [undefined, 'correct horse battery staple']) {
	const kind = password === undefined ? 'plain' : 'encrypted';
	// The second is larger than all buffers together.
	for (const sizeBytes of [50_000, 5_000_000]) {
		test(
			`a download fails at once if its folder cannot be made: ${sizeBytes} bytes, ${kind}`,
			{ timeout: 300_000 },
			async () => {
				const { control } = engine.emulator;
				const recording = await control.addRecording({ format: 'wav', sizeBytes, password });
				assert.equal((await download(recording)).status, 'success');

				const folder = storageFolder();
				renameSync(folder, `${folder}-kept`);
				writeFileSync(folder, 'a file in place of the folder');
				try {
					control.clearLogs();
					const execution = await download(recording);
					assertFailed(execution, /path was expected but the given path is a file/);
					// Another attempt would not help: the service has done its part.
					const asked = control.requests().map(({ method }) => method);
					assert.deepEqual(asked, ['GET']);

					const item = await download(recording, 'continueRegularOutput');
					assert.match(failure(item), /^unexpected: .*path was expected/);
				} finally {
					rmSync(folder);
					renameSync(`${folder}-kept`, folder);
				}
				assert.equal((await download(recording)).status, 'success');
			},
		);
	}
}
