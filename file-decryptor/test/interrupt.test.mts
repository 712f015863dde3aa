import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { wav } from './support/audio.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { run, start } from './support/program.mts';

const ROUNDS = 40;

/** How long a whole run takes now: the moments of killing are spread over all of it. */
async function durationOf(args: string[], folder: string): Promise<number> {
	const began = performance.now();
	const { code, stderr } = await run(args, { cwd: folder, input: 'secret' });
	assert.equal(code, 0, stderr);
	return performance.now() - began;
}

async function killAfter(ms: number, args: string[], folder: string): Promise<void> {
	const running = start(args, { cwd: folder });
	running.child.stdin?.end('secret');
	await sleep(ms);
	await running.kill('SIGKILL');
}

/** Kills a run as soon as it has a temporary file that was not there before. */
async function killWhileWriting(args: string[], folder: string, outputs: string): Promise<void> {
	const before = new Set(readdirSync(outputs));
	const running = start(args, { cwd: folder });
	running.child.stdin?.end('secret');
	const isNew = (name: string) => name.endsWith('.part') && !before.has(name);
	while (running.child.exitCode === null && !readdirSync(outputs).some(isNew)) await sleep(2);
	await running.kill('SIGKILL');
}

/** Makes the temporary files of killed runs look as if nobody had written to them for a day. */
function letADayPass(folder: string): void {
	const yesterday = new Date(Date.now() - 25 * 3_600_000);
	for (const name of readdirSync(folder)) {
		if (name.endsWith('.part')) utimesSync(join(folder, name), yesterday, yesterday);
	}
}

test(`killed ${ROUNDS} times at any moment: never a partial file, and a later run cleans up [fault 25]`, async (context) => {
	const folder = temporaryFolder();
	const audio = wav(48_000_000);
	write(folder, 'call.enc', await encrypt(audio, 'secret'));
	const output = join(folder, 'out', 'call.wav');

	const args = ['-p-', '-d', 'out', 'call.enc'];
	const takes = await durationOf(args, folder);
	rmSync(output);

	const seen = { nothing: 0, temporary: 0, complete: 0 };
	for (let round = 0; round < ROUNDS; round += 1) {
		// On a machine that gets busier meanwhile, no other moment might be within the writing.
		if (round % 4 === 0) await killWhileWriting(args, folder, join(folder, 'out'));
		else await killAfter((takes * (round + 0.5) * 1.1) / ROUNDS, args, folder);

		const left = readdirSync(join(folder, 'out'));
		if (existsSync(output)) {
			seen.complete += 1;
			assert.ok(readFileSync(output).equals(audio), `round ${round}: the output is not complete`);
			rmSync(output);
		} else if (left.length > 0) seen.temporary += 1;
		else seen.nothing += 1;
		// Those of earlier rounds are gone: each run deletes what the previous one left.
		assert.ok(left.filter((name) => name.endsWith('.part')).length <= 2, left.join(' '));
		letADayPass(join(folder, 'out'));
	}
	context.diagnostic(
		`killed before writing: ${seen.nothing}, while writing: ${seen.temporary}, ` +
			`after: ${seen.complete}`,
	);
	assert.ok(seen.temporary > 0, 'no run was killed while it was writing');

	await durationOf(args, folder);
	assert.deepEqual(readdirSync(join(folder, 'out')), ['call.wav']);
	assert.ok(readFileSync(output).equals(audio));
});

test('killed 15 times with --delete-source: the recording or the complete output is always there', async () => {
	const folder = temporaryFolder();
	const audio = wav(20_000_000);
	const encrypted = await encrypt(audio, 'secret');
	const input = join(folder, 'call.enc');
	const output = join(folder, 'call.wav');
	const args = ['-p-', '-f', '--delete-source', 'call.enc'];
	write(folder, 'call.enc', encrypted);
	const takes = await durationOf(args, folder);

	for (let round = 0; round < 15; round += 1) {
		rmSync(output, { force: true });
		write(folder, 'call.enc', encrypted);
		await killAfter(takes * (0.5 + (0.6 * round) / 15), args, folder);
		if (existsSync(output)) assert.ok(readFileSync(output).equals(audio), `round ${round}`);
		else assert.ok(existsSync(input), `round ${round}: both are gone`);
	}
});
