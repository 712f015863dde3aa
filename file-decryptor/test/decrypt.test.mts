import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
	deriveKey,
	encrypt,
	encryptWith,
	jsonLines,
	mp3,
	opus,
	run,
	temporaryFolder,
	wav,
	write,
} from './helpers.mts';

const folder = temporaryFolder();

describe('the form that the service specifies', () => {
	test('fileName password outputExtension: the output is beside the input, with its base name', async () => {
		const audio = wav(100_000);
		const input = write(folder, 'call.one.enc', await encrypt(audio, 'secret'));
		const { code, stdout, stderr } = await run([input, 'secret', 'wav'], { cwd: '/' });
		assert.equal(code, 0, stderr);
		assert.deepEqual(readFileSync(join(folder, 'call.one.wav')), audio);
		assert.equal(stdout.length, 0);
		assert.match(stderr, /call\.one\.enc -> .*call\.one\.wav \(wav, 100\.0 kB\)/);
	});

	test('the extension is taken as given, with or without its dot', async () => {
		write(folder, 'dot.enc', await encrypt(wav(100), 'secret'));
		assert.equal((await run(['dot.enc', 'secret', '.MP3'], { cwd: folder })).code, 0);
		assert.equal(readFileSync(join(folder, 'dot.MP3')).length, 100);
	});

	test('a name without extension gets one, and .enc is no condition', async () => {
		write(folder, 'plainname', await encrypt(wav(100), 'secret'));
		assert.equal((await run(['plainname', 'secret', 'wav'], { cwd: folder })).code, 0);
		assert.equal(readFileSync(join(folder, 'plainname.wav')).length, 100);
	});
});

test('the format is recognised from the decrypted bytes', async () => {
	const formats = temporaryFolder();
	const contents = {
		a: opus(5000),
		b: mp3(5000),
		c: wav(5000),
		d: randomBytes(5000),
		e: Buffer.alloc(0),
	};
	for (const [name, content] of Object.entries(contents)) {
		write(formats, `${name}.enc`, await encrypt(content, 'secret'));
	}
	const { code, stdout } = await run(['--password-stdin', '--json', '*.enc'], {
		cwd: formats,
		input: 'secret\n',
	});
	assert.equal(code, 0);
	assert.deepEqual(
		jsonLines(stdout).map(({ output, format }) => [output, format]),
		[
			['a.opus', 'opus'],
			['b.mp3', 'mp3'],
			['c.wav', 'wav'],
			['d.bin', 'unknown'],
			['e.bin', 'unknown'],
		],
	);
	assert.deepEqual(readFileSync(join(formats, 'b.mp3')), contents.b);
	assert.equal(readFileSync(join(formats, 'e.bin')).length, 0);
});

describe('sizes', () => {
	// The program reads pieces of 512 KiB; the header has 28 bytes, the tag 16.
	const piece = 512 * 1024;
	const sizes = [
		...[0, 1, 15, 16, 17, 2047, 2048, 2049, 65_535, 65_536, 65_537],
		...[-45, -44, -43, -29, -28, -27, -17, -16, -15, -1, 0, 1].map((offset) => piece + offset),
		...[-45, -44, -43, -28, -1, 0, 1].map((offset) => 2 * piece + offset),
	];

	test('around the borders of blocks and pieces, from a file', async () => {
		const many = temporaryFolder();
		const key = await deriveKey('secret', Buffer.alloc(16, 7), 310_000);
		const contents = new Map(sizes.map((size) => [`${size}.enc`, wav(size)]));
		for (const [name, content] of contents) {
			write(many, name, await encryptWith(key, Buffer.alloc(16, 7), content));
		}
		const { code, stderr } = await run(['-p', '-', '-e', 'out', '*.enc'], {
			cwd: many,
			input: 'secret',
		});
		assert.equal(code, 0, stderr);
		for (const [name, content] of contents) {
			const output = readFileSync(join(many, name.replace('.enc', '.out')));
			assert.ok(output.equals(content), name);
		}
	});

	for (const step of [1, 7, 4096]) {
		test(`from standard input that arrives in pieces of ${step}`, async () => {
			const audio = wav(3000);
			const encrypted = await encrypt(audio, 'secret');
			const pieces = [];
			for (let start = 0; start < encrypted.length; start += step) {
				pieces.push(encrypted.subarray(start, start + step));
			}
			const { code, stdout, stderr } = await run(['-'], {
				input: pieces,
				env: { FILE_DECRYPTOR_PASSWORD: 'secret' },
			});
			assert.equal(code, 0, stderr);
			assert.ok(stdout.equals(audio));
		});
	}
});

describe('several files', () => {
	test('globs, also in folders; each file once; a summary', async () => {
		const many = temporaryFolder();
		mkdirSync(join(many, 'sub', 'deep'), { recursive: true });
		const encrypted = await encrypt(wav(20), 'secret');
		for (const name of ['a.enc', 'sub/b.enc', 'sub/deep/c.enc', 'sub/readme.txt']) {
			write(many, name, encrypted);
		}
		const { code, stderr } = await run(['-p-', '**/*.enc', 'a.enc', './a.enc'], {
			cwd: many,
			input: 'secret',
		});
		assert.equal(code, 0, stderr);
		assert.deepEqual(
			readdirSync(many, { recursive: true })
				.map((name) => String(name).replaceAll('\\', '/'))
				.filter((name) => name.endsWith('.wav'))
				.sort(),
			['a.wav', 'sub/b.wav', 'sub/deep/c.wav'],
		);
		assert.match(stderr, /All 3 recordings decrypted\./);
	});

	test('a file whose name looks like a glob is that file', async () => {
		write(folder, 'call[1].enc', await encrypt(wav(20), 'secret'));
		assert.equal((await run(['call[1].enc', 'secret', 'wav'], { cwd: folder })).code, 0);
		assert.equal(readFileSync(join(folder, 'call[1].wav')).length, 20);
	});

	test('files that the shell has listed, and a password from the environment', async () => {
		for (const count of [2, 3, 4]) {
			const listed = temporaryFolder();
			const names = Array.from({ length: count }, (_, index) => `${index}.enc`);
			for (const name of names) write(listed, name, await encrypt(wav(20), 'secret'));
			const { code, stderr } = await run(names, {
				cwd: listed,
				env: { FILE_DECRYPTOR_PASSWORD: 'secret' },
			});
			assert.equal(code, 0, stderr);
			assert.equal(readdirSync(listed).length, 2 * count);
		}
	});

	test('a refused file does not keep the others from being done; exit code 1', async () => {
		const many = temporaryFolder();
		write(many, 'a.enc', await encrypt(wav(20), 'secret'));
		write(many, 'b.enc', await encrypt(wav(20), 'other'));
		write(many, 'c.enc', 'short');
		write(many, 'd.enc', await encrypt(wav(20), 'secret'));
		const { code, stderr } = await run(
			['-p-', 'a.enc', 'b.enc', 'c.enc', 'x.enc', 'no*.enc', 'd.enc'],
			{
				cwd: many,
				input: 'secret',
			},
		);
		assert.equal(code, 1);
		assert.deepEqual(
			readdirSync(many).filter((name) => !name.endsWith('.enc')),
			['a.wav', 'd.wav'],
		);
		assert.match(stderr, /b\.enc: The recording cannot be decrypted: wrong password, or/);
		assert.match(stderr, /c\.enc: This is not an encrypted recording\. It has 5 bytes/);
		assert.match(stderr, /x\.enc: There is no such file\./);
		assert.match(stderr, /no\*\.enc: No file matches this pattern\./);
		assert.match(stderr, /2 of 6 recordings decrypted, 4 refused\./);
	});
});

describe('standard input and output', () => {
	test('- reads and writes them; nothing is left in the temporary folder', async () => {
		const temporary = temporaryFolder();
		const audio = opus(2_000_000);
		const { code, stdout, stderr } = await run(['-', 'secret', 'opus'], {
			input: await encrypt(audio, 'secret'),
			env: { TMPDIR: temporary },
		});
		assert.equal(code, 0, stderr);
		assert.ok(stdout.equals(audio));
		assert.deepEqual(readdirSync(temporary), []);
	});

	test('a file to standard output, standard input to a file', async () => {
		const audio = wav(2_000_000);
		const encrypted = await encrypt(audio, 'secret');
		write(folder, 'tofro.enc', encrypted);
		const out = await run(['tofro.enc', 'secret', '-o', '-'], { cwd: folder });
		assert.ok(out.stdout.equals(audio), out.stderr);
		const { code, stdout } = await run(['-', 'secret', '--output', 'fro.wav'], {
			cwd: folder,
			input: encrypted,
		});
		assert.equal(code, 0);
		assert.equal(stdout.length, 0);
		assert.ok(readFileSync(join(folder, 'fro.wav')).equals(audio));
	});

	test('nothing of an altered recording reaches standard output', async () => {
		const encrypted = await encrypt(wav(2_000_000), 'secret');
		encrypted[encrypted.length - 1] = (encrypted.at(-1) ?? 0) ^ 1;
		write(folder, 'altered.enc', encrypted);
		for (const [args, input] of [
			[['altered.enc', 'secret', '-o', '-'], ''],
			[['-', 'secret'], encrypted],
		] as const) {
			const { code, stdout, stderr } = await run(args, { cwd: folder, input });
			assert.equal(code, 1);
			assert.equal(stdout.length, 0);
			assert.match(stderr, /wrong password, or the file was altered/);
		}
	});
});

describe('previous passwords', () => {
	const passwords = { a: 'current', b: 'former', c: 'oldest' };
	const audios = { a: wav(100), b: opus(5000), c: Buffer.alloc(0) };

	test('are tried in turn, for audio and for content without a known start', async () => {
		const many = temporaryFolder();
		for (const name of ['a', 'b', 'c'] as const) {
			write(many, `${name}.enc`, await encrypt(audios[name], passwords[name]));
		}
		write(many, 'd.enc', await encrypt(randomBytes(3000), 'former'));
		write(many, 'e.enc', await encrypt(wav(100), 'nobody knows'));
		const previous = write(many, 'previous.txt', 'former\r\n\noldest\n');
		const { code, stdout, stderr } = await run(
			['--password-stdin', '--previous-password-file', previous, '--json', '*.enc'],
			{ cwd: many, input: 'current\n' },
		);
		assert.equal(code, 1);
		assert.deepEqual(
			jsonLines(stdout).map(({ file, status, passwordIndex }) => [file, status, passwordIndex]),
			[
				['a.enc', 'decrypted', 0],
				['b.enc', 'decrypted', 1],
				['c.enc', 'decrypted', 2],
				['d.enc', 'decrypted', 1],
				['e.enc', 'refused', null],
			],
		);
		assert.match(stderr, /None of the 3 passwords opens it/);
		assert.deepEqual(readFileSync(join(many, 'b.opus')), audios.b);
	});

	test('also from the environment, and for standard input', async () => {
		const { code, stdout, stderr } = await run(['-'], {
			input: await encrypt(audios.c, 'oldest'),
			env: {
				FILE_DECRYPTOR_PASSWORD: 'current',
				FILE_DECRYPTOR_PREVIOUS_PASSWORDS: 'former\noldest',
			},
		});
		assert.equal(code, 0, stderr);
		assert.equal(stdout.length, 0);
		assert.match(stderr, /opened with a previous password/);
	});
});

describe('what is said', () => {
	test('--json: one object per file on standard output', async () => {
		const many = temporaryFolder();
		write(many, 'a.enc', await encrypt(wav(100), 'secret'));
		write(many, 'b.enc', 'short');
		const { code, stdout, stderr } = await run(['-p-', '--json', 'a.enc', 'b.enc'], {
			cwd: many,
			input: 'secret',
		});
		assert.equal(code, 1);
		const [first, second] = jsonLines(stdout);
		assert.deepEqual(
			{ ...first, seconds: 0 },
			{
				file: 'a.enc',
				status: 'decrypted',
				output: 'a.wav',
				format: 'wav',
				bytes: 100,
				passwordIndex: 0,
				sourceDeleted: false,
				seconds: 0,
				error: null,
			},
		);
		assert.equal(second?.status, 'refused');
		assert.equal(second?.error?.code, 'notEncrypted');
		assert.doesNotMatch(stderr, /a\.enc/);
		assert.match(stderr, /b\.enc/);
	});

	test('--quiet: errors only', async () => {
		write(folder, 'quiet.enc', await encrypt(wav(100), 'secret'));
		const good = await run(['-q', 'quiet.enc', 'secret', 'wav'], { cwd: folder });
		assert.deepEqual([good.code, good.stdout.length, good.stderr], [0, 0, '']);
		const bad = await run(['-q', 'quiet.enc', 'secret', 'wav'], { cwd: folder });
		assert.equal(bad.code, 1);
		assert.match(bad.stderr, /^quiet\.enc: The output quiet\.wav exists\. .*--force\.\n$/);
	});

	test('control characters in file names do not reach the terminal', async () => {
		const name = 'a\u001b[31m\n.enc';
		write(folder, name, 'short');
		const { stderr } = await run(['-p-', name], { cwd: folder, input: 'secret' });
		assert.match(stderr, /^a\\u001b\[31m\\u000a\.enc: /);
	});
});

test('--dry-run verifies, and writes and deletes nothing', async () => {
	const dry = temporaryFolder();
	write(dry, 'a.enc', await encrypt(wav(100), 'secret'));
	write(dry, 'b.enc', await encrypt(wav(100), 'other'));
	const { code, stderr } = await run(['-p-', '-n', '-d', 'audio', 'a.enc', 'b.enc'], {
		cwd: dry,
		input: 'secret',
	});
	assert.equal(code, 1);
	assert.match(stderr, /a\.enc: intact \(wav, 100 bytes\)/);
	assert.match(stderr, /b\.enc: The recording cannot be decrypted/);
	assert.match(stderr, /1 of 2 recordings verified, 1 refused/);
	assert.deepEqual(readdirSync(dry), ['a.enc', 'b.enc']);
});
