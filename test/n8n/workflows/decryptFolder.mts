/** decrypt-folder: old files with old passwords. */
import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, beforeEach, suite, test } from 'node:test';

import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { accountData, PASSWORD } from '../../../harness/serviceAccess.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { serviceOf, succeeded, type Host } from '../suite.mts';

const START = 'When you execute it';

/** The workflow with the folders that its user enters. */
export function configuredDecryptFolder(folder: string, target = folder): Workflow {
	const workflow = readWorkflow('decrypt-folder');
	nodeOf(workflow, 'Read encrypted files from folder').parameters.fileSelector = `${folder}/*.enc`;
	nodeOf(workflow, 'Write recordings to folder').parameters.fileName =
		`=${target}/{{ $json.fileName }}`;
	return workflow;
}

export function decryptFolderSuite(getHost: () => Host): void {
	suite('workflow: decrypt-folder', { concurrency: 1 }, () => {
		const stack = serviceOf(() => getHost().n8n);
		let folder: string;
		before(async () => {
			const { n8n, credentials, emulator } = stack;
			credentials.voiceAgentApi = await n8n.createCredential({
				name: 'Passwords',
				type: 'voiceAgentApi',
				data: { ...accountData(emulator.url), previousPassword1: 'the former one' },
			});
		});
		beforeEach(async () => {
			folder = await mkdtemp(join(getHost().folder, 'decrypt-'));
		});

		/** Puts an encrypted recording into the folder, as it was downloaded long ago. */
		async function oldRecording(name: string, password: string) {
			const { control } = stack.emulator;
			const recording = await control.addRecording({ password, format: 'mp3' });
			const file = join(folder, `${name}.enc`);
			await copyFile(await control.storedFile(recording.sessionGuid), file);
			return { name, file, sha256: recording.plainSha256 };
		}

		async function run(target?: string) {
			const { n8n, credentials } = stack;
			const workflow = configuredDecryptFolder(folder, target);
			const id = await n8n.importWorkflow(workflow, credentials);
			return await n8n.run(id, { trigger: START });
		}

		const digest = async (file: string) => sha256(await readFile(file));

		test('decrypts with current and previous passwords, and names each file it refuses', async () => {
			const good = [
				await oldRecording('b-current', PASSWORD),
				await oldRecording('d-previous', 'the former one'),
				await oldRecording("f {it's} [1] (a,b)", PASSWORD),
			];
			succeeded(await run());
			const written = good.map(({ name, sha256 }) => `${name}_${sha256}.mp3`);

			const unknown = await oldRecording('c-unknown', 'some other password');
			const cut = await oldRecording('a-cut', PASSWORD);
			await writeFile(cut.file, (await readFile(cut.file)).subarray(0, -1));
			await writeFile(join(folder, 'e-short.enc'), 'too short');
			const message = String((await run()).error?.message);
			assert.match(message, /^Not decrypted: 3\. All others are written/);
			assert.match(message, /^a-cut\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^c-unknown\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^e-short\.enc: /m);

			const encrypted = ['a-cut', 'b-current', 'c-unknown', 'd-previous', 'e-short'];
			const expected = [...encrypted, "f {it's} [1] (a,b)"].map((name) => `${name}.enc`);
			assert.deepEqual((await readdir(folder)).sort(), [...expected, ...written].sort());
			for (const [index, { sha256 }] of good.entries()) {
				assert.equal(await digest(join(folder, String(written[index]))), sha256);
			}
			assert.ok((await readFile(unknown.file)).length > 44, 'encrypted files stay');
		});

		test('a file that is not written whole is named', async () => {
			const fine = await oldRecording('fine', PASSWORD);
			const full = await oldRecording('full', PASSWORD);
			const target = join(folder, 'audio {a,b} [c]');
			const message = String((await run(join(target, 'not there'))).error?.message);
			assert.match(message, /^Not decrypted: 2\./);
			assert.match(message, /^fine_/m);
			await mkdir(target);
			await symlink('/dev/full', join(target, `full_${full.sha256}.mp3`));
			const spoilt = await run(target);
			assert.match(String(spoilt.error?.message), /^Not decrypted: 1\..*\nfull_/);
			assert.equal(await digest(join(target, `fine_${fine.sha256}.mp3`)), fine.sha256);
		});
	});
}
