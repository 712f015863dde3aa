import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encrypt, ended, run, start, temporaryFolder, wav, write } from './helpers.mts';

const ROUNDS = 40;

test(`25: killed ${ROUNDS} times at any moment: never a partial file, and the next run cleans up`, async (context) => {
	const folder = temporaryFolder();
	const audio = wav(48_000_000);
	const digest = createHash('sha256').update(audio).digest('hex');
	write(folder, 'call.enc', await encrypt(audio, 'secret'));
	const output = join(folder, 'out', 'call.wav');

	// How long a whole run takes now, to spread the moments over all of it.
	const began = performance.now();
	const whole = await run(['-p-', '-d', 'out', 'call.enc'], { cwd: folder, input: 'secret' });
	assert.equal(whole.code, 0, whole.stderr);
	const takes = performance.now() - began;
	rmSync(output);

	const seen = { nothing: 0, temporary: 0, complete: 0 };
	for (let round = 0; round < ROUNDS; round += 1) {
		const child = start(['-p-', '-d', 'out', 'call.enc'], { cwd: folder });
		const ending = ended(child);
		child.stdin?.on('error', () => undefined).end('secret');
		await sleep((takes * (round + 0.5) * 1.1) / ROUNDS);
		child.kill('SIGKILL');
		await ending;

		const left = readdirSync(join(folder, 'out'));
		if (existsSync(output)) {
			seen.complete += 1;
			const found = createHash('sha256').update(readFileSync(output)).digest('hex');
			assert.equal(found, digest, `round ${round}: the output is not complete`);
			rmSync(output);
		} else if (left.length > 0) seen.temporary += 1;
		else seen.nothing += 1;
		// Those of earlier rounds are gone: each run deletes what the one before has left.
		assert.ok(left.filter((name) => name.endsWith('.part')).length <= 2, left.join(' '));
	}
	context.diagnostic(
		`killed before writing: ${seen.nothing}, while writing: ${seen.temporary}, after: ${seen.complete}`,
	);
	assert.ok(seen.temporary > 0, 'no run was killed while it was writing');

	const last = await run(['-p-', '-d', 'out', 'call.enc'], { cwd: folder, input: 'secret' });
	assert.equal(last.code, 0, last.stderr);
	assert.deepEqual(readdirSync(join(folder, 'out')), ['call.wav']);
	assert.ok(readFileSync(output).equals(audio));
});

test('25: killed 15 times with --delete-source: the recording or the complete output is always there', async () => {
	const folder = temporaryFolder();
	const audio = wav(20_000_000);
	const encrypted = await encrypt(audio, 'secret');
	const input = join(folder, 'call.enc');
	const output = join(folder, 'call.wav');
	const args = ['-p-', '-f', '--delete-source', 'call.enc'];
	write(folder, 'call.enc', encrypted);
	const began = performance.now();
	assert.equal((await run(args, { cwd: folder, input: 'secret' })).code, 0);
	const takes = performance.now() - began;

	for (let round = 0; round < 15; round += 1) {
		rmSync(output, { force: true });
		write(folder, 'call.enc', encrypted);
		const child = start(args, { cwd: folder });
		const ending = ended(child);
		child.stdin?.on('error', () => undefined).end('secret');
		await sleep(takes * (0.5 + (0.6 * round) / 15));
		child.kill('SIGKILL');
		await ending;
		if (existsSync(output)) assert.ok(readFileSync(output).equals(audio), `round ${round}`);
		else assert.ok(existsSync(input), `round ${round}: both are gone`);
	}
});
