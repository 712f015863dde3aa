import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { createEmulator } from '../src/index.mts';
import { call, list, recordingPath, send, start } from './helpers.mts';

async function folder(t: TestContext): Promise<string> {
	const dataDir = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
	return dataDir;
}

test('recordings, ledger, calls and clock survive a restart', async (t) => {
	const dataDir = await folder(t);
	const first = await createEmulator({
		dataDir,
		callSpeed: Infinity,
		defaultInstructions: { recordCall: true, recordCallPassword: 'x' },
	});
	const { sessionGuid } = await call(first);
	await first.control.addRecording({ sessionGuid: 'gone', content: Buffer.of(1) });
	await send(first.url, 'DELETE', recordingPath('gone'));
	await first.control.advanceClock(86_400_000);
	const [ledger, calls, rows] = [
		first.control.recordings(),
		first.control.calls(),
		await list(first),
	];
	const { body } = await send(first.url, 'GET', recordingPath(sessionGuid));
	await first.close();

	const second = await start(t, { dataDir });
	assert.deepEqual(second.control.recordings(), ledger);
	assert.deepEqual(second.control.calls(), calls);
	assert.deepEqual(await list(second), rows);
	assert.ok(second.control.now() - Date.now() > 86_000_000);
	assert.ok((await send(second.url, 'GET', recordingPath(sessionGuid))).body.equals(body));
});

test('without a data folder nothing stays behind', async (t) => {
	const emulator = await createEmulator();
	const { sessionGuid } = await emulator.control.addRecording({ content: Buffer.of(1) });
	const file = await emulator.control.storedFile(sessionGuid);
	assert.ok(existsSync(file));
	await emulator.close();
	assert.ok(!existsSync(path.dirname(path.dirname(file))));
	t.diagnostic(`was in ${path.basename(path.dirname(path.dirname(file)))}`);
});

test('the start removes files without a row and rows without a file', async (t) => {
	const dataDir = await folder(t);
	const first = await createEmulator({ dataDir });
	for (const sessionGuid of ['whole', 'fileless']) {
		await first.control.addRecording({ sessionGuid, content: Buffer.from(sessionGuid) });
	}
	const lost = await first.control.storedFile('fileless');
	await first.close();
	await unlink(lost);
	const orphans = ['orphan.opus', 'half.wav.part'].map((name) =>
		path.join(dataDir, 'recordings', name),
	);
	for (const orphan of orphans) await writeFile(orphan, 'x');

	const second = await start(t, { dataDir });
	assert.deepEqual(
		(await list(second)).map((row) => row['sessionGuid']),
		['whole'],
	);
	for (const orphan of orphans) assert.ok(!existsSync(orphan), orphan);
	assert.equal((await send(second.url, 'GET', recordingPath('whole'))).body.toString(), 'whole');
	assert.equal((await send(second.url, 'GET', recordingPath('fileless'))).status, 404);
});

test('kill -9 while recordings are written and deleted', async (t) => {
	const dataDir = await folder(t);
	const files = path.join(dataDir, 'recordings');
	let leftovers = 0;
	for (const delay of [0, 25, 60, 110]) {
		const child = fork(new URL('./killMe.mts', import.meta.url), [dataDir], { stdio: 'inherit' });
		await once(child, 'message');
		await new Promise((resolve) => setTimeout(resolve, delay));
		child.kill('SIGKILL');
		await once(child, 'exit');
		const found = await readdir(files);
		leftovers += found.filter((name) => name.endsWith('.part')).length;

		const emulator = await createEmulator({ dataDir });
		const rows = await list(emulator);
		assert.equal((await readdir(files)).length, rows.length);
		for (const row of rows) {
			const reply = await send(emulator.url, 'GET', recordingPath(String(row['sessionGuid'])));
			assert.equal(reply.status, 200);
			assert.equal(reply.body.length, row['sizeBytes']);
		}
		const { state } = emulator.control.calls().at(-1) ?? {};
		assert.equal(state, 'aborted');
		await emulator.close();
	}
	t.diagnostic(`${leftovers} half-written files were cleared away`);
});

test('two emulators cannot share a data folder', async (t) => {
	const dataDir = await folder(t);
	const first = await start(t, { dataDir });
	await assert.rejects(createEmulator({ dataDir }), /in use by another emulator/);
	assert.equal((await send(first.url, 'GET', '/api/customer/recordings')).status, 200);
});

test('a data folder that is a file is refused with a clear message', async (t) => {
	const file = path.join(await folder(t), 'file');
	await writeFile(file, '');
	await assert.rejects(createEmulator({ dataDir: file }), /data folder .* cannot be used/);
});
