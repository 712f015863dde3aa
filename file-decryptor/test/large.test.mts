import assert from 'node:assert/strict';
import { statfsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from './support/folder.mts';
import { LargeAudio } from './support/largeRecording.mts';
import { peakMemoryHook } from './support/peakMemory.mts';
import { run } from './support/program.mts';

const GIBIBYTE = 1024 ** 3;
/** More than 32 bits with a sign can count. */
const SIZE = 2 * GIBIBYTE + 12_345;
const ALLOWED_PEAK = 100_000_000;

const folder = temporaryFolder();
const { bavail, bsize } = statfsSync(folder);
const free = bavail * bsize;
const skip =
	free < 5 * GIBIBYTE &&
	`needs 5 GiB in the temporary folder (TMPDIR), and ${(free / GIBIBYTE).toFixed(1)} GiB are free`;

test(
	'2 GiB: decrypted correctly, with less than 100 MB of memory [fault 27]',
	{ skip },
	async (context) => {
		const audio = new LargeAudio(SIZE);
		const input = join(folder, 'large.enc');
		await audio.writeEncrypted(input, 'secret');
		const peakFile = join(folder, 'peak');
		const began = performance.now();
		const { code, stderr } = await run(['-p-', '-e', 'wav', 'large.enc'], {
			cwd: folder,
			input: 'secret',
			hook: peakMemoryHook,
			env: { PEAK_MEMORY_FILE: peakFile },
		});
		const seconds = (performance.now() - began) / 1000;
		assert.equal(code, 0, stderr);
		await rm(input);
		assert.ok(await audio.isIn(join(folder, 'large.wav')));
		const peak = Number(await readFile(peakFile, 'utf8'));
		context.diagnostic(
			`${(SIZE / 1e6 / seconds).toFixed(0)} MB/s, peak memory ${(peak / 1e6).toFixed(0)} MB`,
		);
		assert.ok(peak < ALLOWED_PEAK, `peak memory ${peak}`);
	},
);
