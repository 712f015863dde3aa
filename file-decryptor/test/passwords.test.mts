import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { opus, wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { jsonLines, run, type Ended, type RunOptions } from './support/program.mts';

const audio = wav(100);

/** Ways to give a password that need no terminal. */
const ways: Record<string, (password: string, folder: string) => [string[], RunOptions]> = {
	argument: (password) => [['--', 'call.enc', password], {}],
	'--password-file': (password, folder) => [
		['-p', write(folder, 'password.txt', `${password}\n`), 'call.enc'],
		{},
	],
	'--password-stdin': (password) => [['--password-stdin', 'call.enc'], { input: password }],
	environment: (password) => [['call.enc'], { env: { FILE_DECRYPTOR_PASSWORD: password } }],
};

const passwords = {
	'composed (NFC)': 'Gr\u00fc\u00dfe \u00e9\u00e7',
	'decomposed (NFD)': 'Gru\u0308\u00dfe e\u0301c\u0327',
	'beyond the BMP': '\u{1F511}\u{20BB7} \u05d0\u05d1',
	'200 characters': 'p\u00e4ssw0rd! '.repeat(20),
	'spaces at both ends': '  secret \t ',
	'like an option': '--force',
	'for a shell': '$(id) `x` "\' \\ * ; | & <>',
	'ends in .enc': 'no such file.enc',
	'a single letter': 'x',
};

for (const [kind, password] of Object.entries(passwords)) {
	test(`a password taken as given, in every way: ${kind}`, async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(audio, password));
		for (const [way, give] of Object.entries(ways)) {
			const [args, options] = give(password, folder);
			const { code, stderr } = await run(['-f', ...args], { cwd: folder, ...options });
			assert.equal(code, 0, `${way}: ${stderr}`);
			if (password.length > 1) assert.ok(!stderr.includes(password), way);
		}
		assert.ok(readFileSync(join(folder, 'call.wav')).equals(audio));
	});
}

test('NFC and NFD are different passwords', async () => {
	const folder = temporaryFolder();
	write(folder, 'call.enc', await encrypt(audio, passwords['composed (NFC)']));
	const { code } = await run(['call.enc', passwords['composed (NFC)'].normalize('NFD'), 'wav'], {
		cwd: folder,
	});
	assert.equal(code, 1);
});

test('an empty password may be given as an argument', async () => {
	const folder = temporaryFolder();
	write(folder, 'call.enc', await encrypt(audio, ''));
	assert.equal((await run(['call.enc', '', 'wav'], { cwd: folder })).code, 0);
});

describe('the argument', () => {
	test('is warned of, and the safer ways are named', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(audio, 'secret'));
		const { stderr } = await run(['call.enc', 'secret', 'wav'], { cwd: folder });
		assert.match(stderr, /^Warning: a password given as an argument can be seen by other users/);
		assert.match(stderr, /--password-file, --password-stdin/);
	});

	test('goes before the environment', async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(audio, 'secret'));
		const { code } = await run(['call.enc', 'secret', 'wav'], {
			cwd: folder,
			env: { FILE_DECRYPTOR_PASSWORD: 'other' },
		});
		assert.equal(code, 0);
	});
});

describe('the password file', () => {
	const folder = temporaryFolder();
	before(async () => {
		write(folder, 'call.enc', await encrypt(audio, 'secret'));
	});
	const openWith = async (content: string | Uint8Array): Promise<Ended> => {
		write(folder, 'password.txt', content);
		return run(['-n', '-p', 'password.txt', 'call.enc'], { cwd: folder });
	};

	test('may end with or without a line end, and start with a byte order mark', async () => {
		for (const content of ['secret', 'secret\n', 'secret\r\n', '\ufeffsecret\n']) {
			assert.equal((await openWith(content)).code, 0, JSON.stringify(content));
		}
	});

	test('that is empty, has two lines, is not UTF-8, a folder or missing: exit code 2', async () => {
		const cases: [string | Uint8Array, RegExp][] = [
			['', /There is no password in the password file password\.txt: it is empty\./],
			['\n', /it is empty/],
			['secret\nother\n', /There are 2 lines in .*--previous-password-file/],
			[Buffer.from('secret\n', 'utf16le'), /There are 2 lines|is not UTF-8/],
			[Buffer.from('fffe73006500', 'hex'), /is not UTF-8/],
		];
		for (const [content, message] of cases) {
			const { code, stderr } = await openWith(content);
			assert.equal(code, 2, stderr);
			assert.match(stderr, message);
			assert.doesNotMatch(stderr, /secret|other/);
		}
		const missing = await run(['-p', 'missing.txt', 'call.enc'], { cwd: folder });
		assert.equal(missing.code, 2);
		assert.match(
			missing.stderr,
			/Cannot read the password file \(not shown: .*\): There is no such/,
		);
		const directory = await run(['-p', '.', 'call.enc'], { cwd: folder });
		assert.match(directory.stderr, /This is a folder/);
	});

	test(
		'is warned of if everybody can read it',
		{
			skip: process.platform === 'win32' && 'Windows',
		},
		async () => {
			writeFileSync(join(folder, 'open.txt'), 'secret\n');
			chmodSync(join(folder, 'open.txt'), 0o644);
			const { code, stderr } = await run(['-n', '-p', 'open.txt', 'call.enc'], { cwd: folder });
			assert.equal(code, 0);
			assert.match(stderr, /Warning: every user of this machine can read .*open\.txt.*chmod 600/);
		},
	);
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
