import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import {
	assertRefused,
	audio,
	decryptCall,
	encrypted,
	folderWithCall,
	isWindows,
} from './support/call.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { run, type Ended } from './support/program.mts';

describe('disks without hard links', () => {
	const hook = `const p = require('node:fs').promises;
		const error = Object.assign(new Error('no links'), { code: 'EPERM', errno: -1 });
		p.link = async () => { throw error; };`;

	test('get their files too, and keep what exists', async () => {
		const folder = folderWithCall();
		const args = ['-q', '-p-', 'call.enc'];
		const first = await run(args, { cwd: folder, input: 'secret', hook });
		assert.equal(first.code, 0, first.stderr);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
		write(folder, 'call.wav', 'mine');
		const second = await run(args, { cwd: folder, input: 'secret', hook });
		assertRefused(second, /exists/);
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
	});
});

// Outside the group, which unmounts the disk at its end, before the folder is deleted.
const disk = temporaryFolder();

describe('a full disk', () => {
	const mounted =
		process.platform === 'linux' &&
		spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0;
	const skip = !mounted && 'a small tmpfs cannot be mounted here';
	after(() => {
		if (mounted) execFileSync('umount', [disk]);
	});

	test('is noticed before anything is written, if the size is known', { skip }, async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(2_000_000), 'secret'));
		const refused = await decryptCall(folder, '-d', disk);
		assertRefused(refused, /The disk is full \(2\.0 MB are needed, 1\.0 MB are free\)/);
		assert.deepEqual(readdirSync(disk), []);
	});

	test(
		'in the middle: nothing is left, what exists stays, and it works later [fault 26]',
		{ skip },
		async () => {
			const big = await encrypt(wav(2_000_000), 'secret');
			const small = await encrypt(wav(200_000), 'secret');
			write(disk, 'call.wav', 'mine');
			const args = ['-q', '-', 'secret', '-f', '-o', 'call.wav'];
			const refused = await run(args, { cwd: disk, input: big });
			assertRefused(
				refused,
				/^standard input: The disk is full \(writing the output\)\. Free some/,
			);
			assert.deepEqual(readdirSync(disk), ['call.wav']);
			assert.equal(readFileSync(join(disk, 'call.wav'), 'utf8'), 'mine');
			assert.equal((await run(args, { cwd: disk, input: small })).code, 0);
			assert.equal(statSync(join(disk, 'call.wav')).size, 200_000);
			rmSync(join(disk, 'call.wav'));
		},
	);

	test('as temporary folder: says what to do', { skip }, async () => {
		const big = await encrypt(wav(2_000_000), 'secret');
		const refused = await run(['-q', '-', 'secret'], { input: big, env: { TMPDIR: disk } });
		assertRefused(refused, /The disk is full \(the temporary folder .*\)\. .*TMPDIR/);
		assert.deepEqual(readdirSync(disk), []);
	});
});

describe('missing permissions', () => {
	const isRoot = process.getuid?.() === 0;
	const NOBODY = 65_534;
	let skip: string | false = isWindows && 'Windows';
	const folder = temporaryFolder();

	/** The superuser may do everything: as root, the program runs as another user. */
	const asUser = async (...args: string[]): Promise<Ended> =>
		run(args, { cwd: folder, input: 'secret', ...(isRoot && { uid: NOBODY }) });

	before(async () => {
		if (isWindows) return;
		chmodSync(folder, 0o777);
		write(folder, 'call.enc', encrypted);
		chmodSync(join(folder, 'call.enc'), 0o644);
		try {
			if ((await asUser('--version')).code !== 0) skip = 'no other user can run Node here';
		} catch {
			skip = 'no other user can run Node here';
		}
	});

	test('an unreadable input and an unwritable folder', async (context) => {
		if (skip !== false) return context.skip(skip);
		write(folder, 'unreadable.enc', encrypted);
		chmodSync(join(folder, 'unreadable.enc'), 0o000);
		mkdirSync(join(folder, 'locked'), { mode: 0o555 });
		chmodSync(join(folder, 'locked'), 0o555);
		assertRefused(await asUser('-p-', 'unreadable.enc'), /unreadable\.enc: Permission denied\./);
		assertRefused(
			await asUser('-p-', '-d', 'locked', 'call.enc'),
			/call\.enc: Permission denied \(the output folder locked\)/,
		);
		assert.deepEqual(readdirSync(join(folder, 'locked')), []);
		// So that the folder can be deleted.
		chmodSync(join(folder, 'locked'), 0o755);
	});

	test('a folder that cannot be read is refused, in a folder or by a pattern', async (context) => {
		if (skip !== false) return context.skip(skip);
		for (const name of ['calls', 'calls/closed', 'calls/open']) {
			mkdirSync(join(folder, name));
			chmodSync(join(folder, name), 0o755);
		}
		for (const name of ['calls/closed/a.enc', 'calls/open/b.enc']) write(folder, name, encrypted);
		chmodSync(join(folder, 'calls/open/b.enc'), 0o644);
		chmodSync(join(folder, 'calls/closed'), 0o000);
		for (const files of ['calls', 'calls/**/*.enc', 'calls/*/*.enc']) {
			const { code, stderr } = await asUser('-n', '-p-', files);
			assert.equal(code, 1, files);
			assert.match(stderr, /^calls\/closed: Permission denied\.$/m);
			assert.match(stderr, /^1 of 2 recordings verified, 1 refused\.$/m);
		}
		// What a pattern does not look into does not matter.
		assert.equal((await asUser('-n', '-p-', 'calls/open/*.enc')).code, 0);
		chmodSync(join(folder, 'calls/closed'), 0o755);
	});
});
