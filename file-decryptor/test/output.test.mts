import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import {
	assertRefused,
	audio,
	decryptCall,
	encrypted,
	folderWithCall,
	isWindows,
	runIn,
} from './support/call.mts';
import { write } from './support/folder.mts';
import { jsonLines } from './support/program.mts';

describe('the output exists, is the input, or is a link [fault 24]', () => {
	test('an existing file stays as it is without --force', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', 'mine');
		assertRefused(await decryptCall(folder), /The output call\.wav exists\. .*--force/);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
		assert.equal((await decryptCall(folder, '--force')).code, 0);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});

	test('an existing file stays as it is when the recording is refused, even with --force', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', 'mine');
		write(folder, 'call.enc', encrypted.subarray(0, -1));
		assertRefused(await decryptCall(folder, '--force'), /wrong password, or the file was altered/);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
	});

	test('the input itself is never replaced', async () => {
		const folder = folderWithCall();
		for (const args of [
			['-e', 'enc'],
			['-o', 'call.enc'],
			['-o', `../${basename(folder)}/call.enc`],
		]) {
			const ended = await runIn(folder, '-f', '-p-', ...args, 'call.enc');
			assertRefused(ended, /would replace an input file/);
		}
		assert.ok(readFileSync(join(folder, 'call.enc')).equals(encrypted));
		assert.deepEqual(readdirSync(folder), ['call.enc']);
	});

	test('nor is another input', async () => {
		const folder = folderWithCall();
		for (const name of ['in', 'out']) mkdirSync(join(folder, name));
		for (const name of ['in/a.enc', 'out/a.wav']) write(folder, name, encrypted);
		const args = ['-f', '-p-', '-e', 'wav', '-d', 'out', '--json'];
		const { code, stdout } = await runIn(folder, ...args, 'in/*.enc', 'out/a.wav', 'call.enc');
		assert.equal(code, 1);
		assert.deepEqual(
			jsonLines(stdout).map(({ output, error }) => error?.code ?? output),
			['outputIsInput', 'out/out/a.wav', 'out/call.wav'],
		);
		assert.ok(readFileSync(join(folder, 'out/a.wav')).equals(encrypted));
	});

	test('a hard link to the input is the input', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWithCall();
		linkSync(join(folder, 'call.enc'), join(folder, 'call.wav'));
		assertRefused(await decryptCall(folder, '--force'), /would replace an input file/);
	});

	test('links are neither followed nor replaced', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWithCall();
		const other = write(folder, 'other', 'mine');
		for (const target of [other, join(folder, 'nowhere'), join(folder, 'call.enc')]) {
			symlinkSync(target, join(folder, 'call.wav'));
			for (const force of [[], ['--force']]) {
				assertRefused(
					await decryptCall(folder, ...force),
					/The output call\.wav is a symbolic link/,
				);
			}
			assert.ok(lstatSync(join(folder, 'call.wav')).isSymbolicLink());
			rmSync(join(folder, 'call.wav'));
		}
		assert.equal(readFileSync(other, 'utf8'), 'mine');
		assert.ok(!existsSync(join(folder, 'nowhere')));
	});

	test(
		'an input that is a link, a folder or a pipe',
		{ skip: isWindows && 'Windows' },
		async () => {
			const folder = folderWithCall();
			symlinkSync('call.enc', join(folder, 'link.enc'));
			mkdirSync(join(folder, 'folder.enc'));
			execFileSync('mkfifo', [join(folder, 'pipe.enc')]);
			const { code, stderr } = await runIn(
				folder,
				'-q',
				'-p-',
				'link.enc',
				'folder.enc',
				'pipe.enc',
			);
			assert.equal(code, 1);
			assert.match(
				stderr,
				/link\.enc: This is a symbolic link\. Name the file that it points to\./,
			);
			assert.match(stderr, /folder\.enc: This is a folder\. /);
			assert.match(stderr, /pipe\.enc: This is not a file but a pipe or a device\. /);
		},
	);

	test('an output that is a folder or lies in no folder', async () => {
		const folder = folderWithCall();
		mkdirSync(join(folder, 'call.wav'));
		assertRefused(
			await decryptCall(folder, '--force'),
			/The output call\.wav is a folder\. .*--out-dir/,
		);
		const inNoFolder = await runIn(folder, '-q', '-p-', '-o', 'no/x.wav', 'call.enc');
		assertRefused(inNoFolder, /There is no such file or folder \(the output folder no\)/);
	});
});

test('--out-dir is made if missing', async () => {
	const folder = folderWithCall();
	assert.equal((await decryptCall(folder, '--out-dir', 'a/b')).code, 0);
	assert.ok(readFileSync(join(folder, 'a/b/call.wav')).equals(audio));
});

test('the output is private', { skip: isWindows && 'Windows' }, async () => {
	const folder = folderWithCall();
	await decryptCall(folder);
	assert.equal(statSync(join(folder, 'call.wav')).mode & 0o777, 0o600);
});
