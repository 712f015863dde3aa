import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
	cleanEnvironment,
	deriveKey,
	encrypt,
	encryptWith,
	packageFolder,
	program,
	run,
	temporaryFolder,
	wav,
	write,
} from './helpers.mts';

// util-linux: gives a program a terminal of its own.
const hasScript =
	process.platform === 'linux' &&
	/util-linux/.test(spawnSync('script', ['--version']).stdout?.toString());
const skip = !hasScript && 'needs script of util-linux';

interface Dialogue {
	folder: string;
	/** What is typed once `waitFor` has been shown. */
	typed?: string;
	waitFor?: RegExp;
	env?: Record<string, string>;
}

/** Runs a shell command in a terminal; `@` stands for the program. */
async function inTerminal(
	command: string,
	dialogue: Dialogue,
): Promise<{ code: number | null; shown: string }> {
	const { folder, typed, waitFor = /not shown\):/, env } = dialogue;
	const line = command.replaceAll('@', `'${process.execPath}' '${program}'`);
	const child = spawn('script', ['-qec', line, '/dev/null'], {
		cwd: folder,
		env: { ...cleanEnvironment(), TERM: 'xterm', ...env },
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	let shown = '';
	let isTyped = false;
	child.stdout.on('data', (chunk: Buffer) => {
		shown += chunk.toString();
		if (typed === undefined || isTyped || !waitFor.test(shown)) return;
		isTyped = true;
		// The program turns the echo off right after it has asked.
		setTimeout(() => child.stdin.write(typed), 200);
	});
	const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
	child.stdin.destroy();
	return { code, shown };
}

describe('the prompt', { skip }, () => {
	const password = ' p\u00e4ss \u{1F511} ';

	test('asks for the password without showing it', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(100), password));
		const { code, shown } = await inTerminal('@ call.enc', { folder, typed: `${password}\r` });
		assert.equal(code, 0, shown);
		assert.match(shown, /Password of the recordings \(not shown\):/);
		assert.doesNotMatch(shown, /p\u00e4ss/);
		assert.equal(readFileSync(join(folder, 'call.wav')).length, 100);
	});

	test('also while files come and go through pipes', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(100), password));
		const { code, shown } = await inTerminal('cat call.enc | @ - | cat > call.wav', {
			folder,
			typed: `${password}\r`,
		});
		assert.equal(code, 0, shown);
		assert.equal(readFileSync(join(folder, 'call.wav')).length, 100);
	});

	for (const [key, typed, code, message] of [
		['Ctrl-C', '\u0003', 130, /Stopped\./],
		['Ctrl-D', '\u0004', 2, /No password was entered\./],
		['Enter', '\r', 2, /No password was entered\./],
	] as const) {
		test(`${key} ends it: exit code ${code}`, async () => {
			const folder = temporaryFolder();
			write(folder, 'call.enc', await encrypt(wav(100), password));
			const end = await inTerminal('@ call.enc', { folder, typed });
			assert.equal(end.code, code, end.shown);
			assert.match(end.shown, message);
			assert.deepEqual(readdirSync(folder), ['call.enc']);
		});
	}

	test('nobody is asked where there is nothing to open', async () => {
		const folder = temporaryFolder();
		const { code, shown } = await inTerminal('@ missing.enc', { folder });
		assert.equal(code, 1);
		assert.match(shown, /^missing\.enc: There is no such file\.\s*$/);
	});
});

describe('progress', { skip }, () => {
	async function folderWithMany(): Promise<string> {
		const folder = temporaryFolder();
		const salt = Buffer.alloc(16, 1);
		const key = await deriveKey('secret', salt, 310_000);
		for (let index = 10; index < 50; index += 1) {
			write(folder, `${index}.enc`, await encryptWith(key, salt, wav(100_000)));
		}
		write(folder, '30.enc', 'short');
		return folder;
	}
	const env = { FILE_DECRYPTOR_PASSWORD: 'secret' };

	test('a bar with throughput and time left, which is gone in the end', async () => {
		const folder = await folderWithMany();
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

	test('of standard input, whose size is unknown', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(3_000_000), 'secret'));
		const slowly = '(head -c 1000000; sleep 1.5; head -c 1000000; sleep 0.5; cat) < call.enc';
		const { code, shown } = await inTerminal(`${slowly} | @ -n -`, { folder, env });
		assert.equal(code, 0, shown);
		assert.match(shown, /\d\.\d MB read \| \d+\.\d [kM]B\/s/);
	});

	test('none with --quiet, on a dumb terminal, or where nobody watches', async () => {
		const folder = await folderWithMany();
		const quiet = await inTerminal("@ -q -n '*.enc'", { folder, env });
		assert.match(quiet.shown, /^30\.enc: This is not an encrypted recording\. [^\n]*\n$/);
		const dumb = await inTerminal("@ -n '*.enc'", { folder, env: { ...env, TERM: 'dumb' } });
		const plain = await run(['-n', '*.enc'], { cwd: folder, env });
		for (const text of [dumb.shown, plain.stderr]) {
			assert.doesNotMatch(text, /\u001b/);
			assert.equal(text.trim().split('\n').length, 41);
		}
	});
});

/** What a terminal shows in the end: enough of one for line ends, returns and deleting to the right or below. */
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

test('recordings are not written to the terminal', { skip }, async () => {
	const folder = temporaryFolder();
	write(folder, 'call.enc', await encrypt(wav(100), 'secret'));
	const { code, shown } = await inTerminal('@ call.enc secret -o -', { folder });
	assert.equal(code, 2);
	assert.match(shown, /Standard output is the terminal, which cannot show audio\. Redirect it/);
});

test(
	'a reader that stops early ends the run quietly: exit code 1',
	{
		skip: process.platform === 'win32' && 'Windows',
	},
	async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(5_000_000), 'secret'));
		const { status, stdout, stderr } = spawnSync(
			'bash',
			[
				'-c',
				`'${process.execPath}' '${program}' -q call.enc secret -o - | head -c 12; exit \${PIPESTATUS[0]}`,
			],
			{ cwd: folder, env: cleanEnvironment() },
		);
		assert.equal(status, 1);
		assert.equal(stdout.length, 12);
		assert.match(
			stderr.toString(),
			/^call\.enc: The program that reads standard output has closed it\.\n$/,
		);
	},
);

describe('--help and --version', () => {
	test('--help names every option, fits 80 columns and goes to standard output', async () => {
		for (const flag of ['--help', '-h']) {
			const { code, stdout, stderr } = await run([flag]);
			const help = stdout.toString();
			assert.deepEqual([code, stderr], [0, '']);
			for (const option of [
				...['--extension', '--output', '--out-dir', '--force', '--dry-run', '--delete-source'],
				...['--password-file', '--password-stdin', '--previous-password-file', '--json'],
				...['--quiet', '--version', '--help', 'Exit codes:', 'Examples:'],
			]) {
				assert.ok(help.includes(option), option);
			}
			for (const line of help.split('\n')) assert.ok(line.length <= 80, line);
		}
	});

	test('--version is the one of package.json', async () => {
		const { version } = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
			version: string;
		};
		for (const flag of ['--version', '-V']) {
			const { code, stdout } = await run([flag]);
			assert.deepEqual([code, stdout.toString()], [0, `${version}\n`]);
		}
	});

	test('the README describes every option and exit code that --help does', async () => {
		const help = (await run(['--help'])).stdout.toString();
		const readme = readFileSync(join(packageFolder, 'README.md'), 'utf8');
		for (const [option] of help.matchAll(/--[a-z-]{3,}/g)) {
			assert.ok(readme.includes(option), option);
		}
		for (const name of ['FILE_DECRYPTOR_PASSWORD', 'FILE_DECRYPTOR_PREVIOUS_PASSWORDS']) {
			assert.ok(readme.includes(name), name);
		}
	});
});
