import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { copy, succeeds } from '../copy.mts';
import { assertDecrypted, encryptedRecording, PLAIN_SHA256 } from '../encryptedRecording.mts';
import type { Entry } from '../entry.mts';
import { user } from '../published.mts';
import { runInShell, succeedsIn } from '../shell.mts';
import { folderWith, standIn } from '../temporary.mts';

/** The program that is one file. */
const PROGRAM = 'file-decryptor.cjs';
const players = standIn('ffplay', 'test "$1" = - && cat > played');
/** Runs in the folder what would run in a container that has this folder. */
const containers = standIn(
	'docker',
	'case "$*" in *" -v $PWD:/calls -w /calls node:"*) ;; *) exit 64 ;; esac\n' +
		'while [ "${1#node:}" = "$1" ]; do shift; done\n' +
		'shift\n' +
		'exec "$@"',
);
/** With the command that `npm install --global` has installed. */
const programs = [...user.programs, players, containers];
/** A user would be asked for it. */
const asked = { FILE_DECRYPTOR_PASSWORD: 'my password' };

export const fileDecryptor: Entry[] = [
	{
		command: 'npm install && npm run build && npm pack',
		folder: 'file-decryptor',
		// What the other commands install is packed so.
		run: () => undefined,
	},
	{
		command: 'npm install --global voiceagent-file-decryptor\nFileDecryptor --help',
		async run() {
			const { stdout } = await succeedsIn(folderWith({}), this.command, { ...user, programs });
			assert.match(stdout, /--password-file/);
			const [bin = ''] = user.programs;
			assert.deepEqual(readdirSync(bin).sort(), ['FileDecryptor', 'file-decryptor']);
		},
	},
	decrypts('npx voiceagent-file-decryptor call.enc', { 'call.enc': 'my password' }, ['call.wav'], {
		env: asked,
	}),
	decrypts(
		'npm pack voiceagent-file-decryptor\n' +
			'tar -xzf voiceagent-file-decryptor-*.tgz --strip-components=2 package/dist/file-decryptor.cjs\n' +
			'node file-decryptor.cjs call.enc',
		{ 'call.enc': 'my password' },
		['call.wav'],
		{ env: asked },
	),
	decrypts(
		'docker run --rm -it --network none --user "$(id -u):$(id -g)" -v "$PWD:/calls" -w /calls \\\n' +
			'  node:24-alpine node file-decryptor.cjs -d audio .',
		{ 'calls/a.enc': 'my password', 'b.enc': 'my password', 'file-decryptor.cjs': PROGRAM },
		['audio/calls/a.wav', 'audio/b.wav'],
		{ env: asked },
	),
	builds('npm run build', 'file-decryptor'),
	decrypts('FileDecryptor *.enc', { 'call.enc': 'my password' }, ['call.wav'], { env: asked }),
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
	{
		command:
			'FileDecryptor -p password.txt -d plain --json calls > opened.json\n' +
			`jq -r 'select(.output) | .file + "\\t" + .output' opened.json | while IFS="$(printf '\\t')" read -r file output; do\n` +
			`  jq -r --arg output "$output" '.file.plainSha256 + "  " + $output' "\${file%.enc}.json"\n` +
			'done > SHA256SUMS\n' +
			'sha256sum -c SHA256SUMS',
		async run(context) {
			if (spawnSync('jq', ['--version']).status !== 0) return context.skip('there is no jq');
			const metadata = (plainSha256: string) =>
				JSON.stringify({ version: 1, file: { plainSha256 } });
			const folder = folderWith({
				'password.txt': 'secret\n',
				'calls/a call.enc': encryptedRecording('secret'),
				'calls/a call.json': metadata(PLAIN_SHA256),
				'calls/b.enc': encryptedRecording('secret'),
				'calls/b.json': metadata('0'.repeat(64)),
			});
			const options = { cwd: folder, programs, env: user.env };
			const { code, stdout } = await runInShell(this.command, options);
			assert.equal(code, 1);
			assert.match(stdout, /^plain\/a call\.wav: OK$/m);
			assert.match(stdout, /^plain\/b\.wav: FAILED$/m);
		},
	},
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
 *   password that the recording is encrypted with; or the program
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
			const contents = Object.entries(files).map(([name, text]) => [name, contentOf(name, text)]);
			const folder = folderWith(Object.fromEntries(contents) as Record<string, string | Buffer>);
			const ended = await runInShell(command, {
				cwd: folder,
				programs,
				env: { ...user.env, ...env },
			});
			assert.equal(ended.code, code, ended.output);
			assertDecrypted(folder, ...decrypted);
			if (stdout !== undefined) assert.equal(ended.stdout, stdout);
			if (left !== undefined) assert.deepEqual(readdirSync(folder).sort(), left);
		},
	};
}

function contentOf(name: string, text: string): string | Buffer {
	if (name.endsWith('.enc')) return encryptedRecording(text);
	return text === PROGRAM ? readFileSync(join(copy.root, 'file-decryptor/dist', PROGRAM)) : text;
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
