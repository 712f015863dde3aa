import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { assertRefused, audio, encrypted, folderWithCall, isWindows } from './support/call.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run, type Ended } from './support/program.mts';

/** Fails as soon as a key is derived. */
const noKeys = `require('node:crypto').pbkdf2 = () => { throw new Error('a key is derived'); };`;

async function runWithoutKeys(folder: string, ...args: string[]): Promise<Ended> {
	return await run(args, { cwd: folder, input: 'secret', hook: noKeys });
}

describe('an output that exists is found before a key is derived', () => {
	for (const [kind, args] of Object.entries({
		'with an extension': ['-e', 'wav'],
		'with a name': ['-o', 'call.wav'],
		'by the format': [],
	})) {
		test(kind, async () => {
			const folder = folderWithCall();
			write(folder, 'call.wav', 'mine');
			const refused = await runWithoutKeys(folder, '-p-', ...args, 'call.enc');
			assertRefused(
				refused,
				/^call\.enc: The output call\.wav exists\. .*--skip-existing.*--force/,
			);
			const skipped = await runWithoutKeys(folder, '-p-', ...args, '--skip-existing', 'call.enc');
			assert.deepEqual(
				[skipped.code, skipped.stderr],
				[0, 'call.enc: skipped, because call.wav exists\n'],
			);
			assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
			assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
		});
	}

	for (const extension of ['opus', 'ogg', 'mp3', 'wav', 'bin']) {
		test(`whatever the format was: .${extension}`, async () => {
			const folder = folderWithCall();
			write(folder, `call.${extension}`, 'mine');
			const { code } = await runWithoutKeys(folder, '-p-', '--skip-existing', 'call.enc');
			assert.equal(code, 0);
		});
	}

	test('nobody is asked for a password that nothing needs', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', 'mine');
		assert.equal((await run(['--skip-existing', 'call.enc'], { cwd: folder })).code, 0);
		assertRefused(await run(['call.enc'], { cwd: folder }), /exists/);
	});

	test('an encrypted file with the extension of audio is not in its own way', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.mp3', encrypted);
		const { code, stderr } = await run(['-p-', 'call.mp3'], { cwd: folder, input: 'secret' });
		assert.equal(code, 0, stderr);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});
});

describe('--skip-existing', () => {
	test('does the rest, and says what was left out', async () => {
		const folder = folderWithCall();
		write(folder, 'call.mp3', 'mine');
		write(folder, 'more.enc', encrypted);
		write(folder, 'short.enc', 'short');
		const args = ['-p-', '--skip-existing', '--delete-source', '*.enc'];
		const { code, stderr } = await run(args, { cwd: folder, input: 'secret' });
		assert.equal(code, 1);
		assert.match(stderr, /^1 of 3 recordings decrypted, 1 skipped, 1 refused\.$/m);
		// What was skipped was not verified: it stays.
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.mp3', 'more.wav', 'short.enc']);
		const json = await run(['-p-', '--skip-existing', '--json', 'call.enc'], {
			cwd: folder,
			input: 'secret',
		});
		assert.deepEqual(
			jsonLines(json.stdout).map(({ status, output, error }) => [status, output, error]),
			[['skipped', 'call.mp3', null]],
		);
	});

	test(
		'a link or folder in the way is still refused',
		{ skip: isWindows && 'Windows' },
		async () => {
			const folder = folderWithCall();
			symlinkSync('nowhere', join(folder, 'call.wav'));
			const skip = ['-p-', '--skip-existing'];
			assertRefused(await runWithoutKeys(folder, ...skip, 'call.enc'), /is a symbolic link/);
			mkdirSync(join(folder, 'other.mp3'));
			write(folder, 'other.enc', encrypted);
			assertRefused(await runWithoutKeys(folder, ...skip, 'other.enc'), /is a folder/);
		},
	);
});

describe('two recordings with the same output: exit code 2, nothing done', () => {
	for (const [kind, args] of Object.entries({
		'in a folder': ['-d', 'out', 'a/**/*.enc', 'b/**/*.enc'],
		'in a folder, with --force': ['-f', '-d', 'out', 'a', 'b'],
		'with --skip-existing': ['--skip-existing', '-d', 'out', 'a', 'b'],
		'with an extension': ['-e', 'wav', 'a/call.enc', 'a/call'],
		'beside them': ['a/call.enc', 'a/call'],
	})) {
		test(kind, async () => {
			const folder = temporaryFolder();
			for (const name of ['a', 'b']) mkdirSync(join(folder, name));
			for (const name of ['a/call.enc', 'a/call', 'a/x.enc', 'b/call.enc']) {
				write(folder, name, encrypted);
			}
			const before = readdirSync(folder, { recursive: true });
			const { code, stdout, stderr } = await runWithoutKeys(folder, '-p-', '--json', ...args);
			assert.equal(code, 2, stderr);
			assert.equal(stdout.length, 0);
			assert.match(stderr, /a\/call\.enc and (b\/call\.enc|a\/call) would have the same output/);
			assert.deepEqual(readdirSync(folder, { recursive: true }), before);
		});
	}
});

describe('a run that writes nothing makes no folder', () => {
	for (const [kind, code, args, input] of [
		['no password', 2, ['call.enc'], ''],
		['an empty password', 2, ['-p-', 'call.enc'], ''],
		['a wrong password', 1, ['-p-', 'call.enc'], 'wrong'],
		['an altered recording', 1, ['-p-', 'altered.enc'], 'secret'],
		['not a recording', 1, ['-p-', 'short.enc'], 'secret'],
		['a missing input', 1, ['-p-', 'missing.enc'], 'secret'],
		['a missing folder', 1, ['-p-', 'missing/'], 'secret'],
		['a pattern without a file', 1, ['-p-', 'x*.enc'], 'secret'],
		['a bad extension', 2, ['-p-', '-e', 'a/b', 'call.enc'], 'secret'],
	] as const) {
		test(kind, async () => {
			const folder = folderWithCall();
			write(folder, 'short.enc', 'short');
			write(folder, 'altered.enc', encrypted.subarray(1));
			const ended = await run(['-d', 'new/deep', ...args], { cwd: folder, input });
			assert.equal(ended.code, code, ended.stderr);
			assert.ok(!existsSync(join(folder, 'new')));
		});
	}

	test('a folder that was there stays', async () => {
		const folder = folderWithCall();
		mkdirSync(join(folder, 'old'));
		await run(['-d', 'old/new', '-p-', 'call.enc'], { cwd: folder, input: 'wrong' });
		assert.deepEqual(readdirSync(join(folder, 'old')), []);
	});

	test('a file in the place of the folder', async () => {
		const folder = folderWithCall();
		write(folder, 'out', 'mine');
		for (const out of ['out', 'out/deep']) {
			const { code, stderr } = await runWithoutKeys(folder, '-d', out, '-p-', 'call.enc');
			assert.equal(code, 2);
			assert.match(stderr, /--out-dir.* a file, not a folder/);
		}
		assert.equal(readFileSync(join(folder, 'out'), 'utf8'), 'mine');
	});
});
