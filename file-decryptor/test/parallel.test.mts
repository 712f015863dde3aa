import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { peakMemoryHook } from './support/peakMemory.mts';
import { jsonLines, run, start } from './support/program.mts';

/**
 * Pretends that the machine has this many cores. Counts how many keys are derived at once, and how
 * many threads there are in the end.
 */
const withCores = (cores: number): string => `
	const fs = require('node:fs'), crypto = require('node:crypto'), { pbkdf2 } = crypto;
	require('node:os').availableParallelism = () => ${cores};
	const peak = { keys: 0, threads: 0 };
	let keys = 0;
	crypto.pbkdf2 = (...args) => {
		const done = args.pop();
		peak.keys = Math.max(peak.keys, ++keys);
		pbkdf2(...args, (...result) => { keys--; done(...result); });
	};
	process.on('exit', () => {
		try { peak.threads = fs.readdirSync('/proc/self/task').length; } catch {}
		fs.writeFileSync(process.env.PEAK_FILE, JSON.stringify(peak));
	});`;

async function folderWith(names: readonly string[]): Promise<string> {
	const folder = temporaryFolder();
	for (const name of names) write(folder, name, await encrypt(wav(1000), 'secret'));
	return folder;
}

const names = Array.from({ length: 12 }, (_, index) => `${String.fromCharCode(97 + index)}.enc`);

async function peakWith(cores: number): Promise<{ keys: number; threads: number }> {
	const folder = await folderWith(names);
	const peakFile = join(temporaryFolder(), 'peak');
	const { code, stderr } = await run(['-p-', '*.enc'], {
		cwd: folder,
		input: 'secret',
		hook: withCores(cores),
		env: { PEAK_FILE: peakFile },
	});
	assert.equal(code, 0, stderr);
	assert.equal(readdirSync(folder).length, 2 * names.length);
	return JSON.parse(readFileSync(peakFile, 'utf8')) as { keys: number; threads: number };
}

describe('many files', () => {
	test('as many keys at a time as there are cores, and no more', async () => {
		assert.equal((await peakWith(1)).keys, 1);
		assert.equal((await peakWith(3)).keys, 3);
	});

	test('with a thread for each', { skip: process.platform !== 'linux' && 'Linux' }, async () => {
		const [one, ten] = [await peakWith(1), await peakWith(10)];
		assert.equal(ten.keys, 10);
		// Four threads are Node's default; ten keys need ten.
		assert.ok(ten.threads - one.threads >= 6, `${one.threads} and ${ten.threads} threads`);
	});

	test(
		'with little more memory, whatever the size',
		{ skip: process.platform !== 'linux' && 'Linux' },
		async () => {
			const folder = temporaryFolder();
			const encrypted = await encrypt(wav(20_000_000), 'secret');
			for (const name of names) write(folder, name, encrypted);
			const peakFile = join(temporaryFolder(), 'peak');
			const { code, stderr } = await run(['-p-', '*.enc'], {
				cwd: folder,
				input: 'secret',
				hook: `require('node:os').availableParallelism = () => 12; ${peakMemoryHook}`,
				env: { PEAK_MEMORY_FILE: peakFile },
			});
			assert.equal(code, 0, stderr);
			const peak = Number(readFileSync(peakFile, 'utf8'));
			assert.ok(peak < 170_000_000, `peak memory ${peak}`);
		},
	);

	test('are reported in the order of the input, whichever is done first', async () => {
		const folder = await folderWith([]);
		write(folder, '1.enc', await encrypt(wav(20_000_000), 'secret'));
		write(folder, '2.enc', 'short');
		write(folder, '3.enc', await encrypt(wav(10), 'other'));
		write(folder, '4.enc', await encrypt(wav(10), 'secret'));
		const args = ['-p-', '--json', '1.enc', '2.enc', '3.enc', 'missing.enc', '4.enc'];
		const { code, stdout } = await run(args, { cwd: folder, input: 'secret' });
		assert.equal(code, 1);
		assert.deepEqual(
			jsonLines(stdout).map(({ file, error }) => [file, error?.code]),
			[
				['1.enc', undefined],
				['2.enc', 'notEncrypted'],
				['3.enc', 'wrongPasswordOrAltered'],
				['missing.enc', 'notFound'],
				['4.enc', undefined],
			],
		);
	});

	test(
		'an interrupt leaves only complete files',
		{ skip: process.platform === 'win32' && 'Windows' },
		async () => {
			const folder = temporaryFolder();
			const audio = wav(3_000_000);
			for (let index = 0; index < 40; index += 1) {
				write(folder, `${index}.enc`, await encrypt(audio, 'secret'));
			}
			const running = start(['-p-', '--json', '-d', 'out', '*.enc'], { cwd: folder });
			running.child.stdin?.end('secret');
			await new Promise((resolve) => running.child.stdout?.once('data', resolve));
			const { code } = await running.kill('SIGINT');
			assert.equal(code, 130);
			const outputs = readdirSync(join(folder, 'out'));
			assert.ok(outputs.length > 0 && outputs.length < 40, `${outputs.length} outputs`);
			for (const name of outputs) {
				assert.match(name, /^\d+\.wav$/);
				assert.ok(readFileSync(join(folder, 'out', name)).equals(audio), name);
			}
		},
	);
});
