import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SameChunks } from '../src/sameChunks.mts';
import {
	encrypt,
	ended,
	jsonLines,
	run,
	start,
	temporaryFolder,
	wav,
	write,
	type Ended,
} from './helpers.mts';

const isWindows = process.platform === 'win32';
const audio = wav(1000);
let encrypted: Buffer;
before(async () => {
	encrypted = await encrypt(audio, 'secret');
});

/** A folder with `call.enc`. */
function folderWithCall(): string {
	const folder = temporaryFolder();
	write(folder, 'call.enc', encrypted);
	return folder;
}

const open = async (folder: string, ...more: string[]): Promise<Ended> =>
	run(['-q', '-p-', '-e', 'wav', ...more, 'call.enc'], { cwd: folder, input: 'secret' });

function assertRefused({ code, stderr }: Ended, message: RegExp): void {
	assert.equal(code, 1, stderr);
	assert.match(stderr, message);
}

describe('24: the output exists, is the input, or is a link', () => {
	test('an existing file stays as it is without --force', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', 'mine');
		assertRefused(await open(folder), /The output call\.wav exists\. .*--force/);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
		assert.equal((await open(folder, '--force')).code, 0);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});

	test('an existing file stays as it is when the recording is refused, even with --force', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', 'mine');
		write(folder, 'call.enc', encrypted.subarray(0, -1));
		assertRefused(await open(folder, '--force'), /wrong password, or the file was altered/);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav']);
	});

	test('the input itself is never replaced', async () => {
		const folder = folderWithCall();
		for (const args of [
			['-e', 'enc'],
			['-o', 'call.enc'],
			['-o', '../' + folder.split('/').pop() + '/call.enc'],
		]) {
			const ended = await run(['-f', '-p-', ...args, 'call.enc'], { cwd: folder, input: 'secret' });
			assertRefused(ended, /would replace an input file/);
		}
		assert.ok(readFileSync(join(folder, 'call.enc')).equals(encrypted));
		assert.deepEqual(readdirSync(folder), ['call.enc']);
	});

	test('nor is another input, nor an output of the same run', async () => {
		const folder = folderWithCall();
		write(folder, 'call.wav', encrypted);
		mkdirSync(join(folder, 'sub'));
		write(folder, 'sub/call.enc', encrypted);
		const files = ['call.enc', 'call.wav', 'sub/call.enc'];
		const { code, stdout } = await run(['-f', '-p-', '-e', 'wav', '--json', ...files], {
			cwd: folder,
			input: 'secret',
		});
		assert.equal(code, 1);
		assert.deepEqual(
			jsonLines(stdout).map(({ error }) => error?.code),
			['outputIsInput', 'outputIsInput', undefined],
		);
		const many = await run(['-f', '-p-', '-d', 'out', '--json', 'call.enc', 'sub/call.enc'], {
			cwd: folder,
			input: 'secret',
		});
		assert.deepEqual(
			jsonLines(many.stdout).map(({ error }) => error?.code),
			[undefined, 'outputTaken'],
		);
	});

	test('a hard link to the input is the input', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWithCall();
		linkSync(join(folder, 'call.enc'), join(folder, 'call.wav'));
		assertRefused(await open(folder, '--force'), /would replace an input file/);
	});

	test('links are neither followed nor replaced', { skip: isWindows && 'Windows' }, async () => {
		const folder = folderWithCall();
		const other = write(folder, 'other', 'mine');
		for (const target of [other, join(folder, 'nowhere'), join(folder, 'call.enc')]) {
			symlinkSync(target, join(folder, 'call.wav'));
			for (const force of [[], ['--force']]) {
				assertRefused(await open(folder, ...force), /The output call\.wav is a symbolic link/);
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
			const { code, stderr } = await run(['-q', '-p-', 'link.enc', 'folder.enc', 'pipe.enc'], {
				cwd: folder,
				input: 'secret',
			});
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
		assertRefused(await open(folder, '--force'), /The output call\.wav is a folder\. .*--out-dir/);
		const inNoFolder = await run(['-q', '-p-', '-o', 'no/x.wav', 'call.enc'], {
			cwd: folder,
			input: 'secret',
		});
		assertRefused(inNoFolder, /There is no such file or folder \(the output folder no\)/);
	});
});

test('--out-dir is made if missing', async () => {
	const folder = folderWithCall();
	assert.equal((await open(folder, '--out-dir', 'a/b')).code, 0);
	assert.ok(readFileSync(join(folder, 'a/b/call.wav')).equals(audio));
});

test('the output is private', { skip: isWindows && 'Windows' }, async () => {
	const folder = folderWithCall();
	await open(folder);
	assert.equal(statSync(join(folder, 'call.wav')).mode & 0o777, 0o600);
});

/** A run that has begun to write `call.wav` and waits for the rest of its input. */
async function halfWay(folder: string, ...more: string[]) {
	const child = start(['-', 'secret', '-o', 'call.wav', ...more], { cwd: folder });
	const ending = ended(child);
	child.stdin?.write(encrypted.subarray(0, -1));
	let temporary: string | undefined;
	while (temporary === undefined) {
		temporary = readdirSync(folder).find((name) => name.endsWith('.part'));
		await sleep(20);
		assert.equal(child.exitCode, null, 'the run has ended early');
	}
	return {
		temporary,
		child,
		finish: async () => {
			child.stdin?.end(encrypted.subarray(-1));
			return ending;
		},
		ending,
	};
}

describe('while a run is at work', () => {
	test('there is a private temporary file, and nothing under the final name', async () => {
		const folder = temporaryFolder();
		const { temporary, child, finish } = await halfWay(folder);
		assert.deepEqual(readdirSync(folder), [temporary]);
		if (!isWindows) assert.equal(statSync(join(folder, temporary)).mode & 0o777, 0o600);
		if (process.platform === 'linux') {
			const arguments_ = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
			assert.doesNotMatch(arguments_, /secret/);
		}
		const { code, stderr } = await finish();
		assert.equal(code, 0, stderr);
		assert.deepEqual(readdirSync(folder), ['call.wav']);
	});

	test('24: a file that appears in the meantime is not replaced', async () => {
		const folder = temporaryFolder();
		const { finish } = await halfWay(folder);
		write(folder, 'call.wav', 'mine');
		assertRefused(await finish(), /The output call\.wav exists\./);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.wav']);
	});

	test('another run leaves its temporary file alone', async () => {
		const folder = folderWithCall();
		const { temporary, finish } = await halfWay(folder);
		const other = await run(['-p-', '-o', 'other.wav', 'call.enc'], {
			cwd: folder,
			input: 'secret',
		});
		assert.equal(other.code, 0);
		assert.ok(existsSync(join(folder, temporary)));
		assert.equal((await finish()).code, 0);
	});

	for (const [signal, code] of [
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	] as const) {
		test(
			`${signal} leaves nothing; exit code ${code}`,
			{ skip: isWindows && 'Windows' },
			async () => {
				const folder = temporaryFolder();
				const { child, ending } = await halfWay(folder);
				child.kill(signal);
				const end = await ending;
				assert.equal(end.code, code);
				assert.match(end.stderr, /Stopped\. Nothing unfinished was kept\./);
				assert.deepEqual(readdirSync(folder), []);
			},
		);
	}
});

describe('what killed runs have left', () => {
	test('is deleted by the next run; what belongs to others stays', async () => {
		const folder = temporaryFolder();
		const killed = await halfWay(folder);
		killed.child.kill('SIGKILL');
		await killed.ending;
		assert.deepEqual(readdirSync(folder), [killed.temporary]);
		const machine = killed.temporary.split('-')[2] ?? '';

		const hour = new Date(Date.now() - 3_600_000);
		const random = '0123456789abcdef';
		const names = {
			elsewhereOld: `.file-decryptor-000000000000-1-${random}.part`,
			elsewhereNew: `.file-decryptor-000000000000-2-${random}.part`,
			living: `.file-decryptor-${machine}-${process.pid}-${random}.part`,
			foreign: '.file-decryptor-notes.part',
			unrelated: 'call.part',
			folder: `.file-decryptor-000000000000-3-${random}.part`,
		};
		for (const name of Object.values(names)) {
			if (name === names.folder) mkdirSync(join(folder, name));
			else write(folder, name, '');
			if (name !== names.elsewhereNew) utimesSync(join(folder, name), hour, hour);
		}
		write(folder, 'call.enc', encrypted);
		const { code, stderr } = await run(['-p-', 'call.enc'], { cwd: folder, input: 'secret' });
		assert.equal(code, 0);
		assert.match(stderr, /deleted 2 unfinished files of an interrupted run/);
		const { elsewhereOld: _deleted, ...kept } = names;
		assert.deepEqual(
			readdirSync(folder).sort(),
			['call.enc', 'call.wav', ...Object.values(kept)].sort(),
		);
	});
});

describe('--delete-source', () => {
	test('deletes the recording after all is stored', async () => {
		const folder = folderWithCall();
		const { code, stderr } = await run(['-p-', '--delete-source', 'call.enc'], {
			cwd: folder,
			input: 'secret',
		});
		assert.equal(code, 0);
		assert.match(stderr, /source deleted/);
		assert.deepEqual(readdirSync(folder), ['call.wav']);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});

	test('keeps it when anything went wrong', async () => {
		const folder = folderWithCall();
		const wrong = await run(['-p-', '--delete-source', 'call.enc'], { cwd: folder, input: 'no' });
		assert.equal(wrong.code, 1);
		write(folder, 'call.wav', 'mine');
		assertRefused(await open(folder, '--delete-source'), /exists/);
		assert.ok(readFileSync(join(folder, 'call.enc')).equals(encrypted));
	});

	test('keeps a file that has changed since it was read', async () => {
		const folder = folderWithCall();
		const hook = write(
			folder,
			'hook.cjs',
			`const fs = require('node:fs'), p = fs.promises, link = p.link;
			p.link = async (...names) => { await link(...names); fs.appendFileSync('call.enc', 'x'); };`,
		);
		const { code, stdout, stderr } = await run(['-p-', '--json', '--delete-source', 'call.enc'], {
			cwd: folder,
			input: 'secret',
			nodeArguments: ['--require', hook],
		});
		assert.equal(code, 1);
		assert.match(stderr, /It was decrypted, but the source was not deleted: The file has changed/);
		const [line] = jsonLines(stdout);
		assert.deepEqual(
			[line?.status, line?.output, line?.sourceDeleted],
			['decrypted', 'call.wav', false],
		);
		assert.ok(existsSync(join(folder, 'call.enc')));
	});

	test('flushes the file and the folder first', async () => {
		const folder = folderWithCall();
		const hook = write(
			folder,
			'hook.cjs',
			`const fs = require('node:fs'), p = fs.promises, log = (text) => fs.appendFileSync('log', text + '\\n');
			const { open, link, unlink } = p;
			p.open = async (path, ...more) => {
				const handle = await open(path, ...more), { sync } = handle;
				handle.sync = async () => (log('sync ' + (path.endsWith('.part') ? 'file' : path)), sync.call(handle));
				return handle;
			};
			p.link = async (...names) => (log('name'), link(...names));
			p.unlink = async (path) => (path.endsWith('.enc') && log('delete'), unlink(path));`,
		);
		const { code } = await run(['-p-', '--delete-source', 'call.enc'], {
			cwd: folder,
			input: 'secret',
			nodeArguments: ['--require', hook],
		});
		assert.equal(code, 0);
		const log = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
		assert.deepEqual(log, ['sync file', 'name', 'sync .', 'delete', 'sync .']);
	});
});

describe('disks without hard links', () => {
	const hook = `const p = require('node:fs').promises;
		p.link = async () => { throw Object.assign(new Error('no links'), { code: 'EPERM', errno: -1 }); };`;

	test('get their files too, and keep what exists', async () => {
		const folder = folderWithCall();
		const nodeArguments = ['--require', write(folder, 'hook.cjs', hook)];
		const args = ['-q', '-p-', 'call.enc'];
		const first = await run(args, { cwd: folder, input: 'secret', nodeArguments });
		assert.equal(first.code, 0, first.stderr);
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
		write(folder, 'call.wav', 'mine');
		const second = await run(args, { cwd: folder, input: 'secret', nodeArguments });
		assertRefused(second, /exists/);
		assert.deepEqual(readdirSync(folder), ['call.enc', 'call.wav', 'hook.cjs']);
	});
});

// Outside of the group, which takes the disk away at its end, before the folder is deleted.
const disk = temporaryFolder();

describe('a full disk', () => {
	const mounted =
		process.platform === 'linux' &&
		spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0;
	const skip = !mounted && 'a small tmpfs cannot be mounted here';
	after(() => {
		if (mounted) execFileSync('umount', [disk]);
	});

	test('is noticed before anything is written, where the size is known', { skip }, async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(2_000_000), 'secret'));
		const refused = await open(folder, '-d', disk);
		assertRefused(refused, /The disk is full \(2\.0 MB are needed, 1\.0 MB are free\)/);
		assert.deepEqual(readdirSync(disk), []);
	});

	test(
		'in the middle: nothing is left, what exists stays, and it works later',
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

	/** The superuser may do everything, so the program runs as somebody else then. */
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
});

test('a file that another program changes between the two readings for standard output', async () => {
	const same = new SameChunks();
	async function* pieces(...texts: string[]): AsyncGenerator<Uint8Array, void, undefined> {
		for (const text of texts) yield Buffer.from(text);
	}
	const read = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
		let text = '';
		for await (const chunk of chunks) text += Buffer.from(chunk).toString();
		return text;
	};
	assert.equal(await read(same.remember(pieces('a', 'b', 'c'))), 'abc');
	assert.equal(await read(same.confirm(pieces('a', 'b', 'c'))), 'abc');
	for (const changed of [['a', 'x', 'c'], ['a', 'b'], ['a', 'b', 'c', 'd'], []]) {
		await assert.rejects(read(same.confirm(pieces(...changed))), { code: 'changedWhileRead' });
	}
});

test('a recording that grows while it is read is refused', async () => {
	const folder = folderWithCall();
	truncateSync(join(folder, 'call.enc'), 500);
	assertRefused(await open(folder), /wrong password, or the file was altered/);
	writeFileSync(join(folder, 'call.enc'), encrypted);
	assert.equal((await open(folder)).code, 0);
});
