import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { copy, succeeds } from '../copy.mts';
import { assertDecrypted, encryptedRecording } from '../encryptedRecording.mts';
import { stage, type Entry } from '../entry.mts';
import { runInShell, succeedsIn, type CommandOptions, type Ended } from '../shell.mts';
import { folderWith, standIn, TEMPORARY } from '../temporary.mts';

const GLOBAL = { npm_config_prefix: join(TEMPORARY, 'global') };
const globalBin = join(GLOBAL.npm_config_prefix, 'bin');
const players = standIn('ffplay', 'test "$1" = - && cat > played');

export const fileDecryptor: Entry[] = [
	builds('npm install && npm run build', 'file-decryptor'),
	builds('npm run build', 'file-decryptor'),
	{
		command: 'npm install --global voiceagent-file-decryptor',
		async run() {
			// From the package that npm would have.
			const command = this.command.replace(/\S+$/, await packedFileDecryptor());
			await succeedsIn(folderWith({}), command, { env: GLOBAL });
			assert.deepEqual(readdirSync(globalBin).sort(), ['FileDecryptor', 'file-decryptor']);
		},
	},
	{
		command: 'npx voiceagent-file-decryptor call.enc',
		async run(context) {
			const program = `--package='${await packedFileDecryptor()}' FileDecryptor`;
			const command = this.command.replace(/voice\S+/, program);
			await decrypts(command).run(context, this);
		},
	},
	...['FileDecryptor --help', 'file-decryptor --help'].map(
		(command): Entry => ({
			command,
			async run() {
				const { stdout } = await withFileDecryptor(folderWith({}), command);
				assert.match(stdout, /--password-file/);
			},
		}),
	),
	decrypts('node file-decryptor.cjs call.enc'),
	decrypts('FileDecryptor *.enc'),
	{
		command:
			'FileDecryptor -p password.txt --dry-run *.enc\n' +
			'FileDecryptor -p password.txt -d audio --skip-existing calls',
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'a.enc': encryptedRecording('secret'),
				'calls/b.enc': encryptedRecording('secret'),
				'calls/2024/05/c.enc': encryptedRecording('secret'),
				'calls/d.enc': encryptedRecording('another'),
				'audio/d.mp3': 'there',
			});
			await withFileDecryptor(folder, this.command);
			assertDecrypted(folder, 'audio/b.wav', 'audio/2024/05/c.wav');
			assert.deepEqual(readdirSync(folder).sort(), ['a.enc', 'audio', 'calls', 'password.txt']);
		},
	},
	{
		command: `printf '%s' "$PASSWORD" | FileDecryptor --password-stdin calls`,
		async run() {
			const folder = folderWith({
				'calls/a.enc': encryptedRecording(' secret '),
				'calls/b.enc': encryptedRecording(' secret '),
			});
			await withFileDecryptor(folder, this.command, { env: { PASSWORD: ' secret ' } });
			assertDecrypted(folder, 'calls/a.wav', 'calls/b.wav');
		},
	},
	{
		command:
			'FileDecryptor -p new.txt --previous-password-file old.txt --json *.enc ' +
			"| jq -r 'select(.error) | .file'",
		async run(context) {
			if (spawnSync('jq', ['--version']).status !== 0) return context.skip('there is no jq');
			const folder = folderWith({
				'new.txt': 'new\n',
				'old.txt': 'older\nold\n',
				'a.enc': encryptedRecording('new'),
				'b.enc': encryptedRecording('old'),
				'c.enc': encryptedRecording('another'),
			});
			const { stdout } = await withFileDecryptor(folder, this.command);
			assert.equal(stdout, 'c.enc\n');
			assertDecrypted(folder, 'a.wav', 'b.wav');
			assert.ok(!existsSync(join(folder, 'c.wav')));
		},
	},
	{
		command: 'FileDecryptor -p password.txt -o - call.enc | ffplay -',
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'call.enc': encryptedRecording('secret'),
			});
			await withFileDecryptor(folder, this.command);
			assertDecrypted(folder, 'played');
		},
	},
	{
		command: "FileDecryptor -p password.txt -d ../archive --delete-source '*.enc'",
		async run() {
			const folder = folderWith({
				'password.txt': 'secret\n',
				'a.enc': encryptedRecording('secret'),
				'b.enc': encryptedRecording('another'),
			});
			const { code, output } = await runInShell(this.command, fileDecryptorIn(folder));
			assert.equal(code, 1, output);
			assertDecrypted(folder, '../archive/a.wav');
			assert.deepEqual(readdirSync(folder).sort(), ['b.enc', 'password.txt']);
		},
	},
	stage('file-decryptor'),
	{
		command: 'npm test -- output.test.mts',
		folder: 'file-decryptor',
		async run() {
			const { output } = await succeeds(this.command, { cwd: 'file-decryptor' });
			assert.match(output, /^ℹ fail 0$/m);
			assert.doesNotMatch(output, /^ℹ pass 0$/m);
		},
	},
	{
		command: 'npm run typecheck',
		folder: 'file-decryptor',
		run: async (_context, { command }) => void (await succeeds(command, { cwd: 'file-decryptor' })),
	},
];

/** With the command that `npm install --global` has installed. */
async function withFileDecryptor(
	folder: string,
	command: string,
	options: Partial<CommandOptions> = {},
): Promise<Ended> {
	return await succeedsIn(folder, command, fileDecryptorIn(folder, options));
}

function fileDecryptorIn(folder: string, options: Partial<CommandOptions> = {}): CommandOptions {
	return { cwd: folder, programs: [globalBin, players], ...options };
}

/** A command that takes the password from its environment, where a user would be asked for it. */
function decrypts(command: string): Entry {
	return {
		command,
		async run() {
			const program = join(copy.root, 'file-decryptor/dist/file-decryptor.cjs');
			const folder = folderWith({
				'file-decryptor.cjs': readFileSync(program),
				'call.enc': encryptedRecording('my password'),
			});
			const env = { ...GLOBAL, npm_config_yes: 'true', FILE_DECRYPTOR_PASSWORD: 'my password' };
			await withFileDecryptor(folder, command, { env });
			assertDecrypted(folder, 'call.wav');
		},
	};
}

async function packedFileDecryptor(): Promise<string> {
	const folder = join(TEMPORARY, 'packed');
	mkdirSync(folder, { recursive: true });
	await succeeds(`npm pack --pack-destination '${folder}'`, { cwd: 'file-decryptor' });
	return join(folder, readdirSync(folder)[0] ?? '');
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
