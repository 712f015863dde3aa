import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { packageFolder, run } from './support/program.mts';

const audio = wav(100);

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
		...['-p', '-o', '-d', '-e', '--previous-password-file'].map((option): [string[], RegExp] => [
			['-p-', option, '', 'a.enc'],
			/followed by an empty value/,
		]),
		[['-p-', '--out-dir=', 'a.enc'], /followed by an empty value/],
		// A password that starts with a hyphen, taken for options.
		...['-ps3cr3t', '-ds3cr3t', '-os3cr3t', '-es3cr3t', '-p=s3cr3t', '-fps3cr3t', '-nqds3cr3t'].map(
			(password): [string[], RegExp] => [
				['a.enc', password, 'wav'],
				/must not be attached[^]*goes after --/,
			],
		),
		...['-f', '-q', '-fq', '-n', '--json', '--force', '--delete-source'].map(
			(password): [string[], RegExp] => [
				['a.enc', password, 'wav'],
				/between the file and the password[^]*goes after --/,
			],
		),
		[['a.enc', '-es3cr3t'], /must not be attached/],
		[['a.enc', '-e', 'wav', 's3cr3t'], /between the file and the password/],
		[['a.enc', '-f'], /A password is needed[^]*goes after --/],
		[['a.enc', '-5s3cr3t', 'wav'], /goes after --/],
		[['a.enc', '--password=s3cr3t'], /unknown option[^]*goes after --/],
		[['a.enc', '--password', 's3cr3t'], /unknown option/],
		[['a.enc', '--json=s3cr3t'], /unknown option/],
		[['a.enc', '-d', '-s3cr3t'], /value that starts with a hyphen[^]*\.\//],
		[['a.enc', '--out-dir', '--s3cr3t'], /value that starts with a hyphen/],
		[['-p', 's3cr3t', 'a.enc'], /Cannot read the password file[^]*not the password itself/],
		[['--password-file=s3cr3t', 'a.enc'], /Cannot read the password file/],
		[['-p-', '--previous-password-file', 's3cr3t', 'a.enc'], /Cannot read the password file/],
		[['-p-', '-f', '--skip-existing', 'a.enc'], /cannot be used together/],
		[['-p-', '-n', '--skip-existing', 'a.enc'], /cannot be used together/],
		[['-p-', '-o', '-', '*.enc'], /--output is for one file/],
		[['-p-', '-o', 'x.wav', '*.enc'], /--output is for one file/],
	];
	for (const [args, message] of cases) {
		test(`FileDecryptor ${args.join(' ')}`, async () => {
			const { code, stdout, stderr } = await run(args, { cwd: folder });
			assert.equal(code, 2, stderr);
			assert.equal(stdout.length, 0);
			assert.match(stderr, message);
			assert.doesNotMatch(stderr, /s3cr3t/);
			assert.deepEqual(readdirSync(folder), ['a.enc', 'b.enc']);
		});
	}
});

describe('short options', () => {
	test('may be combined, and the last one may take the next argument', async () => {
		const folder = temporaryFolder();
		write(folder, 'a.enc', await encrypt(audio, 's3cr3t'));
		write(folder, 'a.wav', 'old');
		write(folder, 'password.txt', 's3cr3t');
		const { code, stderr } = await run(['-fqp', 'password.txt', 'a.enc'], { cwd: folder });
		assert.deepEqual([code, stderr], [0, '']);
	});

	test('after -- nothing is an option', async () => {
		for (const password of ['-f', '-ps3cr3t', '--json', '-h', '--', '-5', '-']) {
			for (const args of [
				['--', 'a.enc', password, 'wav'],
				['a.enc', '--', password, 'wav'],
			]) {
				const folder = temporaryFolder();
				write(folder, 'a.enc', await encrypt(audio, password));
				const { code, stderr } = await run(args, { cwd: folder });
				assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
				assert.deepEqual(readdirSync(folder), ['a.enc', 'a.wav']);
			}
		}
	});
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
