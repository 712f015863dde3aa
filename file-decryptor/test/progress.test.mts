import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { run } from './support/program.mts';
import { inTerminal, skip } from './support/terminal.mts';

describe('progress', { skip }, () => {
	const env = { FILE_DECRYPTOR_PASSWORD: 'secret' };

	test('a bar with throughput and time left, which is gone in the end', async () => {
		const folder = temporaryFolder();
		for (let index = 10; index < 50; index += 1) {
			write(folder, `${index}.enc`, await encrypt(wav(100_000), 'secret'));
		}
		write(folder, '30.enc', 'short');
		const { code, shown } = await inTerminal("@ -n '*.enc'", { folder, env });
		assert.equal(code, 1);
		assert.match(
			shown,
			/[#.]{16} \d+ % \| \d+\.\d [kM]B of 3\.9 MB \| \d+\.\d [kM]B\/s \| \d+s left \| \d+\/40/,
		);
		assert.equal(shown.match(/: intact/g)?.length, 39);
		const { lines, bar } = screenOf(shown);
		assert.equal(bar, '');
		assert.ok(
			lines.every((line) => !line.includes('left |')),
			'a bar is left on the screen',
		);
		assert.equal(lines.filter((line) => /^\d\d\.enc: /.test(line)).length, 40);
		assert.match(lines.at(-1) ?? '', /^39 of 40 recordings verified, 1 refused\.$/);
	});

	/** Takes longer than the second after which a bar is shown. */
	const slowly = '(head -c 1000000; sleep 1.5; head -c 1000000; sleep 0.5; cat) < call.enc';

	async function folderWithOne(): Promise<string> {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(3_000_000), 'secret'));
		return folder;
	}

	test('of standard input, whose size is unknown', async () => {
		const folder = await folderWithOne();
		const { code, shown } = await inTerminal(`${slowly} | @ -n -`, { folder, env });
		assert.equal(code, 0, shown);
		assert.match(shown, /\d\.\d MB read \| \d+\.\d [kM]B\/s/);
	});

	test('none with --quiet, on a dumb terminal, or if nobody watches', async () => {
		const folder = await folderWithOne();
		const [quiet, dumb, plain] = await Promise.all([
			inTerminal(`${slowly} | @ -q -n -`, { folder, env }),
			inTerminal(`${slowly} | @ -n -`, { folder, env: { ...env, TERM: 'dumb' } }),
			inTerminal(`${slowly} | @ -n - 2> messages`, { folder, env }),
		]);
		assert.equal(quiet.shown, '');
		assert.equal(plain.shown, '');
		for (const text of [dumb.shown, readFileSync(join(folder, 'messages'), 'utf8')]) {
			assert.match(text, /^standard input: intact \(wav, 3\.0 MB\)\r?\n$/);
		}
	});

	test('without a bar, one line for each file and a summary; with --quiet, errors only', async () => {
		const folder = temporaryFolder();
		for (const name of ['a', 'b', 'c']) {
			write(folder, `${name}.enc`, await encrypt(wav(100_000), 'secret'));
		}
		write(folder, 'b.enc', 'short');
		const quiet = await inTerminal("@ -q -n '*.enc'", { folder, env });
		assert.match(quiet.shown, /^b\.enc: This is not an encrypted recording\. [^\n]*\n$/);
		const dumb = await inTerminal("@ -n '*.enc'", { folder, env: { ...env, TERM: 'dumb' } });
		const plain = await run(['-n', '*.enc'], { cwd: folder, env });
		for (const text of [dumb.shown, plain.stderr]) {
			assert.doesNotMatch(text, /\u001b/);
			assert.equal(text.trim().split('\n').length, 4);
		}
	});
});

/** What a terminal shows in the end. It knows line ends, returns and deleting right or below. */
function screenOf(shown: string): { lines: string[]; bar: string } {
	const lines = [''];
	let row = 0;
	let column = 0;
	for (const [token] of shown.matchAll(/\u001b\[\??(\d*)(?:;\d*)?([A-Za-z])|[^]/gu)) {
		const line = lines[row] ?? '';
		if (token === '\n') {
			row += 1;
			lines[row] ??= '';
		} else if (token === '\r' || /^\u001b\[1?G$/.test(token)) column = 0;
		else if (/^\u001b\[0?[KJ]$/.test(token)) lines[row] = line.slice(0, column);
		else if (token === '\u001b[2K') lines[row] = '';
		else if (!token.startsWith('\u001b')) {
			lines[row] = line.slice(0, column).padEnd(column) + token + line.slice(column + 1);
			column += 1;
		}
	}
	const bar = lines.pop() ?? '';
	return { lines: lines.map((line) => line.trimEnd()), bar };
}
