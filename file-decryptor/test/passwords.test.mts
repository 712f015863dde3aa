import assert from 'node:assert/strict';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import {
	encrypt,
	run,
	temporaryFolder,
	wav,
	write,
	type Ended,
	type RunOptions,
} from './helpers.mts';

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
		assert.match(missing.stderr, /Cannot read the password file missing\.txt: There is no such/);
		const directory = await run(['-p', '.', 'call.enc'], { cwd: folder });
		assert.match(directory.stderr, /This is a folder/);
	});

	test(
		'is warned of when everybody can read it',
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

describe('a command line that cannot be followed: exit code 2, nothing done, no argument repeated', () => {
	const folder = temporaryFolder();
	before(async () => {
		for (const name of ['a.enc', 'b.enc']) write(folder, name, await encrypt(audio, 's3cr3t'));
	});
	const cases: [string[], RegExp][] = [
		[[], /No file is given[^]*Usage: FileDecryptor/],
		[['--json'], /No file is given/],
		[['a.enc'], /A password is needed, and there is no terminal/],
		[['a.enc', '-s3cr3t', 'wav'], /unknown option[^]*goes after --/],
		[['a.enc', '--s3cr3t'], /unknown option/],
		[['--outdir', 'x', 'a.enc'], /unknown option\. \(Did you mean --out-dir\?\)/],
		[['a.enc', 's3cr3t', 'wav', 'more'], /more than three arguments/],
		[['a.enc', 'b.enc', 's3cr3t', 'wav'], /more than three arguments/],
		[['a.enc', 'b.enc', 'wav'], /second argument is the password, but it is the name of a file/],
		[['s3cr3t', 'a.enc'], /argument 1 \(not shown|A password is needed/],
		[['s3cr3t', 'a.enc', 'wav'], /seem to be swapped/],
		[['a.enc', 's3cr3t', '../wav'], /output extension cannot be used/],
		[['a.enc', 's3cr3t', ''], /output extension cannot be used/],
		[['a.enc', 's3cr3t', 'wav', '-e', 'mp3'], /given twice/],
		[['-e', 'wav', '-o', 'x.wav', 'a.enc'], /leave --extension out/],
		[['-p', 'x', '--password-stdin', 'a.enc'], /cannot be used together/],
		[['-o', 'x', '-d', 'y', 'a.enc'], /cannot be used together/],
		[['-p-', '-o', 'x', 'a.enc', 'b.enc'], /--output is for one file/],
		[['-p-', '-'], /cannot be both the file and the password/],
		[['-p', 'x', '-', 'a.enc'], /can only be read alone/],
		[['-p', 'x', '-d', 'y', '-'], /has no name/],
		[['-p-', '--json', '-o', '-', 'a.enc'], /cannot hold both/],
		[['-p-', '-n', '--delete-source', 'a.enc'], /cannot be used with --delete-source/],
		[['-p-', '--delete-source', '-o', '-', 'a.enc'], /needs an input and an output that are files/],
		[['-p'], /argument missing/],
	];
	for (const [args, message] of cases) {
		test(`FileDecryptor ${args.join(' ')}`, async () => {
			const { code, stdout, stderr } = await run(args, { cwd: folder });
			assert.equal(code, 2, stderr);
			assert.equal(stdout.length, 0);
			assert.match(stderr, message);
			assert.doesNotMatch(stderr, /s3cr3t/);
		});
	}
});

test('a password in the wrong place is not repeated', async () => {
	const folder = temporaryFolder();
	write(folder, 'a.enc', await encrypt(audio, 's3cr3t'));
	for (const secret of ['s3cr3t', 's3cr3t*', 's3cr3t'.repeat(50), 's3cr3t/'.repeat(9)]) {
		const { code, stdout, stderr } = await run(['-p-', '--json', 'a.enc', secret, '-f'], {
			cwd: folder,
			input: 's3cr3t',
		});
		assert.equal(code, 1);
		assert.doesNotMatch(stderr + stdout.toString(), /s3cr3t/);
		assert.match(stderr, /^argument 2 \(not shown: it may be a password\): /m);
	}
});
