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
			const report = succeeded(await run()).items('Report what was decrypted');
			assert.deepEqual(
				report.map(({ json }) => [json.file, json.output, json.outcome]),
				good.map(({ name }) => [`${name}.enc`, `${name}.mp3`, 'decrypted']),
			);

			const unknown = await oldRecording('c-unknown', 'some other password');
			const cut = await oldRecording('a-cut', PASSWORD);
			await writeFile(cut.file, (await readFile(cut.file)).subarray(0, -1));
			await writeFile(join(folder, 'e-short.enc'), 'too short');
			const message = String((await run()).error?.message);
			assert.match(message, /^3 of 6 files were not decrypted; the others are written/);
			assert.match(message, /^a-cut\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^c-unknown\.enc: The recording cannot be decrypted/m);
			assert.match(message, /^e-short\.enc: /m);
			assert.match(message, /^b-current\.enc: there already \(b-current\.mp3\)/m);

			assert.deepEqual((await readdir(folder)).sort(), [
				'a-cut.enc',
				'b-current.enc',
				'b-current.mp3',
				'c-unknown.enc',
				'd-previous.enc',
				'd-previous.mp3',
				'e-short.enc',
				"f {it's} [1] (a,b).enc",
				"f {it's} [1] (a,b).mp3",
			]);
			for (const { name, sha256 } of good) {
				assert.equal(await digest(join(folder, `${name}.mp3`)), sha256);
			}
			assert.ok((await readFile(unknown.file)).length > 44, 'encrypted files stay');
		});

		test('overwrites nothing: a file of that name is named, and the others are written', async () => {
			const target = join(folder, 'audio {a,b} [c]');
			await mkdir(target);
			const taken = await oldRecording('taken', PASSWORD);
			const free = await oldRecording('free', PASSWORD);
			await writeFile(join(target, 'taken.mp3'), 'something else');
			const message = String((await run(target)).error?.message);
			assert.match(message, /^1 of 2 files were not decrypted/);
			assert.match(message, /^taken\.enc: A file named taken\.mp3 exists, with another content/m);
			assert.match(message, /^free\.enc: decrypted \(free\.mp3\)/m);
			assert.equal(await readFile(join(target, 'taken.mp3'), 'utf8'), 'something else');
			assert.equal(await digest(join(target, 'free.mp3')), free.sha256);
			assert.ok((await readFile(taken.file)).length > 44);
		});

		test('a file that is not written whole is named', async () => {
			await oldRecording('lost', PASSWORD);
			await oldRecording('full', PASSWORD);
			const fine = await oldRecording('fine', PASSWORD);
			const target = join(folder, 'audio');
			await mkdir(target);
			const message = String((await run(join(target, 'not there'))).error?.message);
			assert.match(message, /^3 of 3 files were not decrypted/);
			assert.match(message, /^fine\.enc: fine\.mp3 was not written whole/m);
			await symlink('/dev/null', join(target, 'lost.mp3'));
			await symlink('/dev/full', join(target, 'full.mp3'));
			const spoilt = await run(target);
			assert.equal(spoilt.status, 'error', 'devices that lose what is written');
			succeeded(await run());
			assert.equal(await digest(join(folder, 'fine.mp3')), fine.sha256);
		});
	});
}
