import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { wav } from './support/audio.mts';
import { assertRefused, encrypted, folderWithCall, isWindows, runIn } from './support/call.mts';
import { encrypt } from './support/encryption.mts';
import { temporaryFolder, write } from './support/folder.mts';
import { start } from './support/program.mts';

/** Longer than a block that is deciphered at once, so that writing begins before all is read. */
const longRecording = await encrypt(wav(3_000_000), 'secret');

/** A run that has begun to write `call.wav` and waits for the rest of its input. */
async function halfWay(folder: string) {
	const running = start(['-', 'secret', '-o', 'call.wav'], { cwd: folder });
	running.child.stdin?.write(longRecording.subarray(0, -1));
	let temporary: string | undefined;
	while (temporary === undefined) {
		temporary = readdirSync(folder).find((name) => name.endsWith('.part'));
		await sleep(20);
		assert.equal(running.child.exitCode, null, 'the run has ended early');
	}
	return {
		...running,
		temporary,
		finish: async () => {
			running.child.stdin?.end(longRecording.subarray(-1));
			return await running.ended;
		},
	};
}

describe('while a run is at work', () => {
	test('there is a private temporary file, and nothing under the final name', async () => {
		const folder = temporaryFolder();
		const { temporary, child, finish } = await halfWay(folder);
		assert.deepEqual(readdirSync(folder), [temporary]);
		if (!isWindows) assert.equal(statSync(join(folder, temporary)).mode & 0o777, 0o600);
		if (process.platform === 'linux') {
			const arguments_ = readFileSync(`/proc/${child.pid}/cmdline`, 'utf8');
			assert.doesNotMatch(arguments_, /secret/);
		}
		const { code, stderr } = await finish();
		assert.equal(code, 0, stderr);
		assert.deepEqual(readdirSync(folder), ['call.wav']);
	});

	test('a file that appears in the meantime is not replaced', async () => {
		const folder = temporaryFolder();
		const { finish } = await halfWay(folder);
		write(folder, 'call.wav', 'mine');
		assertRefused(await finish(), /The output call\.wav exists\./);
		assert.equal(readFileSync(join(folder, 'call.wav'), 'utf8'), 'mine');
		assert.deepEqual(readdirSync(folder), ['call.wav']);
	});

	test('another run leaves its temporary file alone', async () => {
		const folder = folderWithCall();
		const { temporary, finish } = await halfWay(folder);
		const other = await runIn(folder, '-p-', '-o', 'other.wav', 'call.enc');
		assert.equal(other.code, 0);
		assert.ok(existsSync(join(folder, temporary)));
		assert.equal((await finish()).code, 0);
	});

	for (const [signal, code] of [
		['SIGINT', 130],
		['SIGTERM', 143],
		['SIGHUP', 129],
	] as const) {
		test(
			`${signal} leaves nothing; exit code ${code}`,
			{ skip: isWindows && 'Windows' },
			async () => {
				const folder = temporaryFolder();
				const running = await halfWay(folder);
				const end = await running.kill(signal);
				assert.equal(end.code, code);
				assert.match(end.stderr, /Stopped\. Nothing unfinished was kept\./);
				assert.deepEqual(readdirSync(folder), []);
			},
		);
	}
});

describe('what killed runs left', () => {
	test('is deleted after a day; what is newer or belongs to others stays', async () => {
		const folder = temporaryFolder();
		const killed = await halfWay(folder);
		await killed.kill('SIGKILL');
		assert.deepEqual(readdirSync(folder), [killed.temporary]);

		const names = {
			old: '.file-decryptor-0000000000000001.part',
			new: '.file-decryptor-0000000000000002.part',
			foreign: '.file-decryptor-notes.part',
			unrelated: 'call.part',
			folder: '.file-decryptor-0000000000000003.part',
		};
		for (const name of Object.values(names)) {
			if (name === names.folder) mkdirSync(join(folder, name));
			else write(folder, name, '');
		}
		const ages = { [names.new]: 23 };
		for (const name of readdirSync(folder)) {
			const time = new Date(Date.now() - (ages[name] ?? 25) * 3_600_000);
			utimesSync(join(folder, name), time, time);
		}
		write(folder, 'call.enc', encrypted);
		const { code, stderr } = await runIn(folder, '-p-', 'call.enc');
		assert.equal(code, 0);
		assert.match(stderr, /deleted 2 unfinished files of an interrupted run/);
		const { old: _deleted, ...kept } = names;
		assert.deepEqual(
			readdirSync(folder).sort(),
			['call.enc', 'call.wav', ...Object.values(kept)].sort(),
		);
	});
});
