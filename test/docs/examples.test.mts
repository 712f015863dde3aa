/** Every example in code of the documentation runs as it stands in its page. */
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import { copy, succeeds } from './copy.mts';
import { assertDecrypted, encryptedRecording } from './encryptedRecording.mts';
import { blocks, readPages, repositoryFiles } from './pages.mts';
import { skip } from './runEntries.mts';
import { runInShell, succeedsIn } from './shell.mts';
import { folderWith } from './temporary.mts';

const pages = readPages(repositoryFiles());

/** Each runs as a file of its own. */
const examples: { page: string; begins: string; run(code: string): Promise<void> }[] = [
	{
		page: 'emulator/README.md',
		begins: 'import { createEmulator }',
		async run(code) {
			writeFileSync(join(copy.root, 'emulator/example.mts'), code);
			const { stdout } = await succeeds(`'${process.execPath}' example.mts`, { cwd: 'emulator' });
			rmSync(join(copy.root, 'emulator/example.mts'));
			const [, bytes = '0'] = /^attachment; filename="\S+\.enc" (\d+)$/m.exec(stdout) ?? [];
			assert.ok(Number(bytes) > 44, stdout);
		},
	},
	{
		page: 'docs/integration.md',
		begins: 'import { createDecipheriv, pbkdf2Sync }',
		async run(code) {
			const folder = folderWith({ 'a.mjs': code, 'call.enc': encryptedRecording('secret') });
			await succeedsIn(folder, 'node a.mjs call.enc secret call.wav');
			assertDecrypted(folder, 'call.wav');
			const wrong = await runInShell('node a.mjs call.enc wrong wrong.wav', { cwd: folder });
			assert.notEqual(wrong.code, 0);
			assert.ok(!existsSync(join(folder, 'wrong.wav')));
		},
	},
];

suite('the examples of the documentation', { skip }, () => {
	before(() => copy.make());

	test('every example in code is run', () => {
		const shown = pages.flatMap((page) =>
			blocks(page)
				.filter(({ language }) => /^(?:[cm]?[tj]s|typescript|javascript)$/.test(language))
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
		test(`${page}: ${begins} …`, async () => {
			const all = blocks(pages.find(({ path }) => path === page) ?? { path: page, text: '' });
			const code = all.find((block) => block.code.startsWith(begins))?.code;
			assert.ok(code !== undefined, 'The page does not show it any more.');
			await run(code);
		});
	}
});
