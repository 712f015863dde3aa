/** What `npm test` says at its end on a machine that lacks programs, and that CI has them. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { missingPrograms } from '../../scripts/test/missing.mjs';
import { ROOT } from './pages.mts';
import { skip } from './runEntries.mts';
import { runInShell } from './shell.mts';
import { TEMPORARY } from './temporary.mts';

const HEADLINE =
	/^Tests were skipped because these are missing\. Get them, and run it again:\n((?: {2}\S.*\n)+)/m;

suite('programs that tests need', { skip }, () => {
	test('npm test names those that are missing, and how to get them', async () => {
		const programs = join(TEMPORARY, 'programs');
		mkdirSync(programs);
		for (const name of ['node', 'npm', 'sh']) {
			const { stdout } = await runInShell(`command -v ${name}`, { cwd: ROOT });
			symlinkSync(stdout.trim(), join(programs, name));
		}
		const files = ['emulator/test/audio.test.mts', 'test/browser/editor.test.mts'];
		const { code, output } = await runInShell(`node scripts/test.mjs ${files.join(' ')}`, {
			cwd: ROOT,
			env: { PATH: programs, CHROMIUM_PATH: join(programs, 'chromium') },
		});
		assert.equal(code, 0, output);
		const [, block = ''] = HEADLINE.exec(output) ?? [];
		const lines = block.trimEnd().split('\n');
		assert.deepEqual(
			lines.map((line) => line.trim().split(/\s+/)[0]),
			['Chromium', 'ffmpeg'],
		);
		for (const line of lines) assert.match(line, / install /);
		assert.match(output.trimEnd(), /\n\d+ passed, 0 failed, \d+ skipped$/);
	});

	test('nothing is said of what is there', () => {
		assert.deepEqual(missingPrograms([undefined, 'Windows', 'needs /proc']), []);
	});

	test('CI has them all', () => {
		const ci = readFileSync(join(ROOT, '.github/workflows/ci.yml'), 'utf8');
		const all = missingPrograms(['Chromium ffmpeg jq OpenSSH PostgreSQL Redis']);
		assert.equal(all.length, 6);
		for (const line of all) {
			const [name = ''] = line.trim().split(' ');
			assert.match(ci, new RegExp(`\\b${name.replace('SQL', '')}`, 'i'), name);
		}
	});
});
