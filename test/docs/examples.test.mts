/** Every example in code of the documentation runs as it stands in its page. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';

import { assertDecrypted, encryptedRecording } from './encryptedRecording.mts';
import { blocks, readPages, repositoryFiles } from './pages.mts';
import { installsEmulator } from './published.mts';
import { skip } from './runEntries.mts';
import { runInShell, succeedsIn } from './shell.mts';
import { folderWith } from './temporary.mts';

const pages = readPages(repositoryFiles());

/** Each runs as a file of its own. */
const examples: {
	page: string;
	begins: string;
	run(code: string, context: TestContext): Promise<void> | void;
}[] = [
	{
		page: 'emulator/README.md',
		begins: 'import { createEmulator }',
		async run(code) {
			const project = folderWith({ 'package.json': '{}', 'example.mts': code });
			await installsEmulator(project, 'npm install voiceagent-emulator');
			const { stdout } = await succeedsIn(project, `'${process.execPath}' example.mts`);
			const [, bytes = '0'] = /^attachment; filename="\S+\.enc" (\d+)$/m.exec(stdout) ?? [];
			assert.ok(Number(bytes) > 44, stdout);
		},
	},
	{
		page: 'docs/integration.md',
		begins: 'import { createDecipheriv, pbkdf2Sync }',
		run: async (code) => await decrypts('node', code),
	},
	{
		page: 'docs/integration.md',
		begins: 'import sys',
		async run(code, context) {
			const { status } = spawnSync('python3', ['-c', 'import cryptography']);
			if (status !== 0) return context.skip('needs python3 with the package cryptography');
			await decrypts('python3', code);
		},
	},
	{
		page: 'docs/integration.md',
		begins: 'using System.Security.Cryptography;',
		run: (_code, context) => context.skip('is not run, as the page says'),
	},
];

suite('the examples of the documentation', { skip }, () => {
	test('every example in code is run', () => {
		const shown = pages.flatMap((page) =>
			blocks(page)
				.filter(({ language }) =>
					/^(?:[cm]?[tj]s|typescript|javascript|python|csharp)$/.test(language),
				)
				.map(({ code }) => `${page.path}: ${code.split('\n', 1).join()}`),
		);
		const known = (line: string) =>
			examples.some(({ page, begins }) => line.startsWith(`${page}: ${begins}`));
		assert.deepEqual(
			shown.filter((line) => !known(line)),
			[],
		);
		assert.equal(shown.length, examples.length);
	});

	for (const { page, begins, run } of examples) {
		test(`${page}: ${begins} …`, async (context) => {
			const all = blocks(pages.find(({ path }) => path === page) ?? { path: page, text: '' });
			const code = all.find((block) => block.code.startsWith(begins))?.code;
			assert.ok(code !== undefined, 'The page does not show it any more.');
			await run(code, context);
		});
	}
});

/** An example that decrypts a file, and writes nothing if the password is wrong. */
async function decrypts(program: string, code: string): Promise<void> {
	const name = program === 'node' ? 'example.mjs' : 'example.py';
	const folder = folderWith({ [name]: code, 'call.enc': encryptedRecording('sécret') });
	await succeedsIn(folder, `${program} ${name} call.enc sécret call.wav`);
	assertDecrypted(folder, 'call.wav');
	const wrong = await runInShell(`${program} ${name} call.enc wrong wrong.wav`, { cwd: folder });
	assert.notEqual(wrong.code, 0);
	assert.ok(!existsSync(join(folder, 'wrong.wav')));
}
