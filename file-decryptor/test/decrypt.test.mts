import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { mp3, opus, wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run } from './support/program.mts';

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

	test('a name without an extension gets one, and .enc is not required', async () => {
		write(folder, 'plainname', await encrypt(wav(100), 'secret'));
		assert.equal((await run(['plainname', 'secret', 'wav'], { cwd: folder })).code, 0);
		assert.equal(readFileSync(join(folder, 'plainname.wav')).length, 100);
	});
});

test('the format is recognized from the decrypted bytes', async () => {
	const formats = temporaryFolder();
	const contents = {
		a: opus(5000),
		b: mp3(5000),
		c: wav(5000),
		d: randomBytes(5000),
		e: Buffer.alloc(0),
	};
	for (const [name, content] of Object.entries(contents)) {
		write(formats, `${name}.enc`, await encrypt(content, 'secret', randomBytes(16)));
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
		const contents = new Map(sizes.map((size) => [`${size}.enc`, wav(size)]));
		for (const [name, content] of contents) {
			write(many, name, await encrypt(content, 'secret'));
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

	test('files that the shell listed, and a password from the environment', async () => {
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

	test('a refused file does not stop the others; exit code 1', async () => {
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
