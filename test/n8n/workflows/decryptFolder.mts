/** decrypt-folder: old files with old passwords. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { addService, PASSWORD, type Stack } from '../../../harness/stack.mts';
import { readWorkflow, withSettings } from '../../../harness/workflows.mts';

/** @param getHost an n8n, and a folder that its Read/Write Files node may use */
export function decryptFolderSuite(getHost: () => { n8n: N8n; folder: string }): void {
	suite('workflow: decrypt-folder', { concurrency: 1 }, () => {
		let stack: Stack;
		let folder: string;
		before(async () => {
			const host = getHost();
			folder = await mkdtemp(join(host.folder, 'decrypt-'));
			stack = await addService(host.n8n);
		});
		after(async () => await stack?.stop());

		/** Puts an encrypted recording into the folder, as it was downloaded long ago. */
		async function oldRecording(name: string, password: string) {
			const { control } = stack.emulator;
			const recording = await control.addRecording({ password, format: 'mp3' });
			const file = join(folder, `${name}.enc`);
			await copyFile(await control.storedFile(recording.sessionGuid), file);
			return { name, file, sha256: recording.plainSha256 };
		}

		test('decrypts with current and previous passwords, and names each file it refuses', async () => {
			const { n8n, credentials } = stack;
			const voiceAgentRecordingPasswordApi = await n8n.createCredential({
				name: 'Passwords',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: PASSWORD, previous: { entries: [{ password: 'the former one' }] } },
			});
			const id = await n8n.importWorkflow(
				withSettings(readWorkflow('decrypt-folder'), { folder }),
				{ ...credentials, voiceAgentRecordingPasswordApi },
			);
			const good = [
				await oldRecording('b-current', PASSWORD),
				await oldRecording('d-previous', 'the former one'),
			];
			const allDecrypted = await n8n.run(id, { trigger: 'Start' });
			assert.equal(allDecrypted.status, 'success', allDecrypted.error?.message);

			const unknown = await oldRecording('c-unknown', 'some other password');
			const cut = await oldRecording('a-cut', PASSWORD);
			await writeFile(cut.file, (await readFile(cut.file)).subarray(0, -1));
			await writeFile(join(folder, 'e-short.enc'), 'too short');
			const execution = await n8n.run(id, { trigger: 'Start' });
			assert.equal(execution.status, 'error');
			const message = String(execution.error?.message);
			assert.match(message, /^3 of 5 files were not decrypted; the others are written/);
			assert.match(message, /^a-cut\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^c-unknown\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^e-short\.enc: /m);

			assert.deepEqual((await readdir(folder)).sort(), [
				'a-cut.enc',
				'b-current.enc',
				'b-current.mp3',
				'c-unknown.enc',
				'd-previous.enc',
				'd-previous.mp3',
				'e-short.enc',
			]);
			for (const { name, sha256 } of good) {
				const audio = await readFile(join(folder, `${name}.mp3`));
				assert.equal(createHash('sha256').update(audio).digest('hex'), sha256);
			}
			assert.ok((await readFile(unknown.file)).length > 44, 'encrypted files stay');
		});
	});
}
