import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { encrypted, isWindows } from './support/call.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run, type Ended } from './support/program.mts';

function folderWith(...names: string[]): string {
	const folder = temporaryFolder();
	for (const name of names) {
		mkdirSync(join(folder, dirname(name)), { recursive: true });
		write(folder, name, encrypted);
	}
	return folder;
}

function filesIn(folder: string): string[] {
	return readdirSync(folder, { recursive: true })
		.map(String)
		.filter((name) => statSync(join(folder, name)).isFile())
		.map((name) => name.replaceAll('\\', '/'))
		.sort();
}

async function decryptIn(folder: string, ...args: string[]): Promise<Ended> {
	return await run(['-p-', ...args], { cwd: folder, input: 'secret' });
}

const calls = ['calls/a.enc', 'calls/2024/a.enc', 'calls/2024/05/a.enc', 'calls/2025/a.ENC'];

describe('--out-dir keeps the subfolders', () => {
	const cases: [string, string[], string[]][] = [
		['of a folder', ['calls'], ['a.wav', '2024/a.wav', '2024/05/a.wav', '2025/a.wav']],
		[
			'of a folder with a slash',
			['./calls/'],
			['a.wav', '2024/a.wav', '2024/05/a.wav', '2025/a.wav'],
		],
		['of a pattern', ['calls/**/*.enc'], ['a.wav', '2024/a.wav', '2024/05/a.wav']],
		['of a pattern in the middle', ['calls/*/05/*.enc'], ['2024/05/a.wav']],
		['of listed files', ['calls/a.enc', 'calls/2024/05/a.enc'], ['a.wav', '2024/05/a.wav']],
		[
			'of files in two folders',
			['calls/2024/a.enc', 'calls/2025/a.ENC'],
			['2024/a.wav', '2025/a.wav'],
		],
		['but none of a single file', ['calls/2024/05/a.enc'], ['a.wav']],
		['nor of files in one folder', ['calls/../calls/2024/a.enc'], ['a.wav']],
	];
	for (const [kind, args, expected] of cases) {
		test(kind, async () => {
			const folder = folderWith(...calls);
			const { code, stderr } = await decryptIn(folder, '-d', 'out', ...args);
			assert.equal(code, 0, stderr);
			assert.deepEqual(filesIn(join(folder, 'out')), expected.sort());
		});
	}

	test('of a pattern below a folder with brackets', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWith('calls [1]/2024/a.enc');
		const { code, stderr } = await decryptIn(folder, '-d', 'out', 'calls \\[1\\]/**/*.enc');
		assert.equal(code, 0, stderr);
		assert.deepEqual(filesIn(join(folder, 'out')), ['2024/a.wav']);
	});

	test('from elsewhere', async () => {
		const folder = folderWith(...calls, 'work/x');
		const work = join(folder, 'work');
		for (const [index, args] of [
			['../calls'],
			['../calls/**/*.[eE][nN][cC]'],
			[join(folder, 'calls')],
			calls.map((name) => join(folder, name)),
		].entries()) {
			const { code, stderr } = await decryptIn(work, '-d', `out/${index}`, ...args);
			assert.equal(code, 0, stderr);
			assert.deepEqual(
				filesIn(join(work, 'out', String(index))),
				['2024/05/a.wav', '2024/a.wav', '2025/a.wav', 'a.wav'],
				args.join(' '),
			);
		}
		assert.deepEqual(
			filesIn(work).filter((name) => !name.startsWith('out/')),
			['x'],
		);
	});
});

describe('a folder as input', () => {
	test('without --out-dir: each output beside its recording', async () => {
		const folder = folderWith(...calls, 'calls/notes.txt', 'calls/x.enc/b.enc');
		const { code, stderr } = await decryptIn(folder, '-q', 'calls');
		assert.equal(code, 0, stderr);
		assert.deepEqual(
			filesIn(folder).filter((name) => name.endsWith('.wav')),
			[
				'calls/2024/05/a.wav',
				'calls/2024/a.wav',
				'calls/2025/a.wav',
				'calls/a.wav',
				'calls/x.enc/b.wav',
			],
		);
	});

	test('with the password as an argument', async () => {
		const folder = folderWith('calls/a.enc');
		assert.equal((await run(['calls', 'secret', 'mp3'], { cwd: folder })).code, 0);
		assert.deepEqual(filesIn(folder), ['calls/a.enc', 'calls/a.mp3']);
	});

	test('without a recording is refused', async () => {
		const folder = folderWith('calls/notes.txt');
		const { code, stderr } = await decryptIn(folder, 'calls');
		assert.equal(code, 1);
		assert.match(stderr, /: This is a folder\. There is no recording \(\.enc\) in it\./);
	});

	test('links to folders are not followed', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWith('calls/a.enc', 'elsewhere/b.enc');
		symlinkSync('..', join(folder, 'calls', 'loop'));
		symlinkSync('../elsewhere', join(folder, 'calls', 'link'));
		const { code, stderr } = await decryptIn(folder, '-d', 'out', 'calls');
		assert.equal(code, 0, stderr);
		assert.deepEqual(filesIn(join(folder, 'out')), ['a.wav']);
	});

	test('a subfolder that cannot be read is refused, the rest is done', async (context) => {
		if (isWindows) return context.skip('Windows');
		const folder = folderWith('calls/a.enc', 'calls/locked/b.enc', 'calls/z.enc');
		chmodSync(folder, 0o777);
		const hook = `const fs = require('node:fs'), p = fs.promises, { readdir } = p;
			p.readdir = async (path, ...more) => {
				if (!path.endsWith('locked')) return readdir(path, ...more);
				throw Object.assign(new Error('denied'), { code: 'EACCES', errno: -13 });
			};`;
		const { code, stdout } = await run(['-p-', '--json', 'calls'], {
			cwd: folder,
			input: 'secret',
			hook,
		});
		assert.equal(code, 1);
		assert.deepEqual(
			jsonLines(stdout).map(({ file, error }) => [file, error?.code]),
			[
				['calls/a.enc', undefined],
				['calls/locked', 'permission'],
				['calls/z.enc', undefined],
			],
		);
	});
});

test(
	'nothing is written outside of --out-dir through a link in it',
	{ skip: isWindows && 'Windows' },
	async () => {
		const folder = folderWith(...calls, 'out/x', 'elsewhere/y');
		symlinkSync('../elsewhere', join(folder, 'out', '2024'));
		const { code, stderr } = await decryptIn(folder, '-f', '-d', 'out', 'calls');
		assert.equal(code, 1);
		assert.match(stderr, /calls\/2024\/a\.enc: The output folder out\/2024 is a symbolic link/);
		assert.match(stderr, /calls\/2024\/05\/a\.enc: The output folder out\/2024 is a symbolic link/);
		assert.deepEqual(readdirSync(join(folder, 'elsewhere')), ['y']);
		assert.deepEqual(readdirSync(join(folder, 'out')).sort(), ['2024', '2025', 'a.wav', 'x']);
	},
);

test('--out-dir itself may be a link', { skip: isWindows && 'Windows' }, async () => {
	const folder = folderWith(...calls, 'elsewhere/y');
	symlinkSync('elsewhere', join(folder, 'out'));
	assert.equal((await decryptIn(folder, '-d', 'out', 'calls')).code, 0);
	assert.deepEqual(filesIn(join(folder, 'elsewhere')).length, 5);
});
