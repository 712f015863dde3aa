import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { cleanEnvironment, program, testedNode } from './support/program.mts';

const folder = temporaryFolder();
const disk = temporaryFolder();
for (let index = 0; index < 3; index += 1) {
	write(folder, `${index}.enc`, await encrypt(wav(300_000), 'secret'));
}
const skip =
	process.platform !== 'linux' ? 'Linux' : !existsSync('/dev/full') && 'there is no /dev/full';

/** `@` stands for the program. */
function inShell(command: string): { status: number | null; stdout: string; stderr: string } {
	return spawnSync('bash', ['-c', command.replaceAll('@', `'${testedNode}' '${program}'`)], {
		cwd: folder,
		env: { ...cleanEnvironment(), FILE_DECRYPTOR_PASSWORD: 'secret' },
		encoding: 'utf8',
	});
}

describe('standard output that is full', { skip }, () => {
	for (const args of ['--help', '--version', '-h', '-V', '-n --json 0.enc', "-n --json '*.enc'"]) {
		test(`${args}: exit code 1, and one line says why`, () => {
			const { status, stderr } = inShell(`@ ${args} > /dev/full`);
			assert.equal(status, 1);
			assert.equal(stderr, 'FileDecryptor: The disk is full (standard output).\n');
		});
	}

	test('the recordings are decrypted all the same', () => {
		const { status } = inShell(`@ --json -e full '*.enc' > /dev/full`);
		assert.equal(status, 1);
		for (const index of [0, 1, 2]) {
			assert.equal(readFileSync(join(folder, `${index}.full`)).length, 300_000);
		}
	});

	test('a recording to standard output', () => {
		const { status, stderr } = inShell('@ -o - 0.enc > /dev/full');
		assert.equal(status, 1);
		assert.match(stderr, /^0\.enc: The disk is full \(standard output\)\.[^\n]*\n$/);
	});

	test('what is refused is still told', () => {
		const { status, stderr } = inShell('@ --json missing.enc > /dev/full');
		assert.equal(status, 1);
		assert.match(stderr, /^missing\.enc: There is no such file\.$/m);
		assert.match(stderr, /^FileDecryptor: The disk is full \(standard output\)\.$/m);
	});
});

describe('standard error that is full', { skip }, () => {
	test('a message that is lost: exit code 1', () => {
		assert.equal(inShell('@ -n 0.enc 2> /dev/full').status, 1);
		assert.equal(inShell('@ --json -n missing.enc 2> /dev/full').status, 1);
		assert.equal(inShell('@ --unknown 2> /dev/full').status, 2);
	});

	test('no message, no failure', () => {
		assert.equal(inShell('@ -q -n 0.enc 2> /dev/full').status, 0);
	});
});

describe('a disk that is full after a part', { skip }, () => {
	const mounted =
		skip === false &&
		spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]).status === 0;
	const reason = !mounted && 'a small tmpfs cannot be mounted here';
	after(() => {
		if (mounted) execFileSync('umount', [disk]);
	});

	test('a cut recording on standard output is a failure', { skip: reason }, () => {
		const { status, stderr } = inShell(`@ -o - 0.enc > '${disk}/audio'`);
		assert.equal(status, 1);
		assert.match(stderr, /^0\.enc: The disk is full \(standard output\)\./);
	});

	test('a cut report is a failure', { skip: reason }, () => {
		const { status, stderr } = inShell(
			`head -c 65500 /dev/zero > '${disk}/audio'; @ -n --json '*.enc' >> '${disk}/audio'`,
		);
		assert.equal(status, 1);
		assert.match(stderr, /The disk is full \(standard output\)/);
	});
});

describe('a reader that stops early', { skip: process.platform === 'win32' && 'Windows' }, () => {
	for (const args of ['--help', "-n --json '*.enc'"]) {
		test(`${args}: quiet, exit code 0`, () => {
			const { status, stderr } = inShell(
				`@ ${args} | head -c 1 > /dev/null; exit \${PIPESTATUS[0]}`,
			);
			assert.deepEqual([status, stderr], [0, '']);
		});
	}
});
