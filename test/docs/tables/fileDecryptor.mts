import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { copy, succeeds } from '../copy.mts';
import { assertDecrypted, encryptedRecording } from '../encryptedRecording.mts';
import type { Entry } from '../entry.mts';
import { runInShell, succeedsIn } from '../shell.mts';
import { folderWith, standIn, TEMPORARY } from '../temporary.mts';

const GLOBAL = { npm_config_prefix: join(TEMPORARY, 'global') };
const globalBin = join(GLOBAL.npm_config_prefix, 'bin');
const players = standIn('ffplay', 'test "$1" = - && cat > played');
/** With the command that `npm install --global` has installed. */
const programs = [globalBin, players];

export const fileDecryptor: Entry[] = [
	builds('npm install && npm run build', 'file-decryptor'),
	builds('npm run build', 'file-decryptor'),
	{
		command: 'npm install --global "$(npm pack --silent)"',
		folder: 'file-decryptor',
		async run() {
			await succeeds(this.command, { cwd: 'file-decryptor', env: GLOBAL });
			assert.deepEqual(readdirSync(globalBin).sort(), ['FileDecryptor', 'file-decryptor']);
		},
	},
	...['FileDecryptor --help', 'file-decryptor --help'].map(
		(command): Entry => ({
			command,
			async run() {
				const { stdout } = await succeedsIn(folderWith({}), command, { programs });
				assert.match(stdout, /--password-file/);
			},
		}),
	),
	...['node file-decryptor.cjs call.enc', 'FileDecryptor *.enc'].map((command) =>
		// A user would be asked for the password.
		decrypts(command, { 'call.enc': 'my password' }, ['call.wav'], {
			env: { FILE_DECRYPTOR_PASSWORD: 'my password' },
		}),
	),
	decrypts(
		'FileDecryptor -p password.txt --dry-run *.enc\n' +
			'FileDecryptor -p password.txt -d audio --skip-existing calls',
		{
			'password.txt': 'secret\n',
			'a.enc': 'secret',
			'calls/b.enc': 'secret',
			'calls/2024/05/c.enc': 'secret',
			'calls/d.enc': 'another',
			'audio/d.mp3': 'there',
		},
		['audio/b.wav', 'audio/2024/05/c.wav'],
		{ left: ['a.enc', 'audio', 'calls', 'password.txt'] },
	),
	decrypts(
		`printf '%s' "$PASSWORD" | FileDecryptor --password-stdin calls`,
		{ 'calls/a.enc': ' secret ', 'calls/b.enc': ' secret ' },
		['calls/a.wav', 'calls/b.wav'],
		{ env: { PASSWORD: ' secret ' } },
	),
	decrypts(
		'FileDecryptor -p new.txt --previous-password-file old.txt --json *.enc ' +
			"| jq -r 'select(.error) | .file'",
		{ 'new.txt': 'new\n', 'old.txt': 'older\nold\n', 'a.enc': 'new', 'b.enc': 'old', 'c.enc': 'x' },
		['a.wav', 'b.wav'],
		{
			needs: 'jq',
			stdout: 'c.enc\n',
			left: ['a.enc', 'a.wav', 'b.enc', 'b.wav', 'c.enc', 'new.txt', 'old.txt'],
		},
	),
	decrypts(
		'FileDecryptor -p password.txt -o - call.enc | ffplay -',
		{ 'password.txt': 'secret\n', 'call.enc': 'secret' },
		['played'],
	),
	decrypts(
		"FileDecryptor -p password.txt -d ../archive --delete-source '*.enc'",
		{ 'password.txt': 'secret\n', 'a.enc': 'secret', 'b.enc': 'another' },
		['../archive/a.wav'],
		{ code: 1, left: ['b.enc', 'password.txt'] },
	),
];

interface Outcome {
	/** A program that is not on every machine. */
	needs?: string;
	env?: Record<string, string>;
	code?: number;
	stdout?: string;
	/** All that is in the folder then. */
	left?: string[];
}

/**
 * A command that decrypts files.
 *
 * @param files by name, with their content; of a name that ends with .enc, the value is the
 *   password that the recording is encrypted with
 */
function decrypts(
	command: string,
	files: Record<string, string>,
	decrypted: string[],
	{ needs, env, code = 0, stdout, left }: Outcome = {},
): Entry {
	return {
		command,
		async run(context) {
			if (needs !== undefined && spawnSync(needs, ['--version']).status !== 0)
				return context.skip(`there is no ${needs}`);
			const contents = Object.entries(files).map(([name, text]) => [
				name,
				name.endsWith('.enc') ? encryptedRecording(text) : text,
			]);
			const folder = folderWith(Object.fromEntries(contents) as Record<string, string | Buffer>);
			const program = command.split(' ').find((word) => word.endsWith('.cjs'));
			if (program !== undefined)
				cpSync(join(copy.root, 'file-decryptor/dist', program), join(folder, program));
			const ended = await runInShell(command, { cwd: folder, programs, env });
			assert.equal(ended.code, code, ended.output);
			assertDecrypted(folder, ...decrypted);
			if (stdout !== undefined) assert.equal(ended.stdout, stdout);
			if (left !== undefined) assert.deepEqual(readdirSync(folder).sort(), left);
		},
	};
}

/** A command that builds the program. */
function builds(command: string, folder: string): Entry {
	return {
		command,
		folder,
		async run() {
			rmSync(join(copy.root, 'file-decryptor/dist'), { recursive: true, force: true });
			await succeeds(command, { cwd: folder });
			await succeeds('node file-decryptor/dist/file-decryptor.cjs --version');
		},
	};
}
