import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { opus, wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { cleanEnvironment, program, run, testedNode } from './support/program.mts';
import { inTerminal, skip } from './support/terminal.mts';

const folder = temporaryFolder();

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

test('recordings are not written to the terminal', { skip }, async () => {
	const folder = temporaryFolder();
	write(folder, 'call.enc', await encrypt(wav(100), 'secret'));
	const { code, shown } = await inTerminal('@ call.enc secret -o -', { folder });
	assert.equal(code, 2);
	assert.match(shown, /Standard output is the terminal, which cannot show audio\. Redirect it/);
});

test(
	'a reader that stops early ends the run quietly: exit code 1',
	{
		skip: process.platform === 'win32' && 'Windows',
	},
	async () => {
		const folder = temporaryFolder();
		write(folder, 'call.enc', await encrypt(wav(5_000_000), 'secret'));
		const { status, stdout, stderr } = spawnSync(
			'bash',
			[
				'-c',
				`'${testedNode}' '${program}' -q call.enc secret -o - | head -c 12; exit \${PIPESTATUS[0]}`,
			],
			{ cwd: folder, env: cleanEnvironment() },
		);
		assert.equal(status, 1);
		assert.equal(stdout.length, 12);
		assert.match(
			stderr.toString(),
			/^call\.enc: The program that reads standard output has closed it\.\n$/,
		);
	},
);

describe('a file that another program changes between the two readings for standard output', () => {
	const PIECE_BYTES = 512 * 1024;
	const threePieces = wav(3 * PIECE_BYTES - 44);

	for (const [change, code] of [
		[
			'the second piece',
			`fs.writeSync(fs.openSync('call.enc', 'r+'), Buffer.alloc(16), 0, 16, ${PIECE_BYTES})`,
		],
		['one piece less', `fs.truncateSync('call.enc', ${2 * PIECE_BYTES})`],
		['one piece more', `fs.appendFileSync('call.enc', Buffer.alloc(${PIECE_BYTES}))`],
		['nothing left', `fs.truncateSync('call.enc')`],
	] as const) {
		test(change, async () => {
			const changed = temporaryFolder();
			write(changed, 'call.enc', await encrypt(threePieces, 'secret'));
			const {
				code: exitCode,
				stdout,
				stderr,
			} = await run(['-q', 'call.enc', 'secret', '-o', '-'], {
				cwd: changed,
				hook: `
					const fs = require('node:fs'), p = fs.promises, { open } = p;
					let readings = 0;
					p.open = async (...names) => {
						const handle = await open(...names), { read } = handle;
						handle.read = (buffer, offset, length, position) => {
							if (position === 0 && ++readings === 2) ${code};
							return read.call(handle, buffer, offset, length, position);
						};
						return handle;
					};`,
			});
			assert.equal(exitCode, 1);
			assert.equal(stderr, 'call.enc: Another program changed the file while it was read.\n');
			assert.ok(threePieces.subarray(0, stdout.length).equals(stdout), 'something unverified');
		});
	}
});
