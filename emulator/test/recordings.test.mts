import assert from 'node:assert/strict';
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { createEmulator, type Emulator } from '../src/index.mts';
import { call, list, recordingPath, send, start } from './helpers.mts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/**
 * Decrypts a `.enc` file with Web Crypto, written from the table of the service specification and
 * not from the emulator's encryptor.
 */
async function decrypt(file: Uint8Array, password: string): Promise<Buffer> {
	const salt = file.slice(0, 16);
	const nonce = file.slice(16, 28);
	const secret = new TextEncoder().encode(password);
	const material = await webcrypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
	const key = await webcrypto.subtle.deriveKey(
		{ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 310000 },
		material,
		{ name: 'AES-GCM', length: 256 },
		false,
		['decrypt'],
	);
	const algorithm = { name: 'AES-GCM', iv: nonce, tagLength: 128 };
	return Buffer.from(await webcrypto.subtle.decrypt(algorithm, key, file.slice(28)));
}

test('a download is the stored file, byte for byte, with length, type and name', async (t) => {
	const { url, control } = await start(t);
	const content = randomBytes(700_001);
	const types = { opus: 'audio/ogg', mp3: 'audio/mpeg', wav: 'audio/wav' } as const;
	for (const format of ['opus', 'mp3', 'wav'] as const) {
		const added = await control.addRecording({ sessionGuid: `guid-${format}`, format, content });
		assert.equal(added.plainSha256, sha256(content));
		assert.equal(added.storedBytes, 700_001);
		const reply = await send(url, 'GET', recordingPath(`guid-${format}`));
		assert.equal(reply.status, 200);
		assert.equal(reply.headers['content-length'], '700001');
		assert.equal(reply.headers['content-type'], types[format]);
		assert.equal(
			reply.headers['content-disposition'],
			`attachment; filename="guid-${format}.${format}"`,
		);
		assert.ok(reply.body.equals(content));
	}
	const again = await send(url, 'GET', recordingPath('guid-mp3'));
	assert.ok(again.body.equals(content), 'a second download');
});

test('an encrypted recording has the layout of the specification', async (t) => {
	const { url, control } = await start(t);
	for (const size of [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 400_000]) {
		const content = randomBytes(size);
		const password = `pässword ${size}`;
		const added = await control.addRecording({ content, password, format: 'wav' });
		assert.equal(added.encrypted, true);
		assert.equal(added.storedBytes, 16 + 12 + size + 16);
		const reply = await send(url, 'GET', recordingPath(added.sessionGuid));
		assert.equal(reply.headers['content-type'], 'application/octet-stream');
		assert.match(String(reply.headers['content-disposition']), /\.enc"$/);
		assert.equal(sha256(reply.body), added.storedSha256);
		assert.ok((await decrypt(reply.body, password)).equals(content), `${size} bytes`);
		if (size === 17) await assert.rejects(decrypt(reply.body, 'wrong'));
	}
});

test('salt and nonce are new for every file', async (t) => {
	const { control } = await start(t);
	const heads = new Set<string>();
	for (let round = 0; round < 4; round += 1) {
		const { sessionGuid } = await control.addRecording({ content: Buffer.of(1), password: 'x' });
		const file = await readFile(await control.storedFile(sessionGuid));
		heads.add(file.toString('hex', 0, 16)).add(file.toString('hex', 16, 28));
	}
	assert.equal(heads.size, 8);
});

test('a recorded call with a password decrypts to what the ledger says', async (t) => {
	const emulator = await start(t, {
		defaultInstructions: { recordCall: true, recordCallFormat: 'mp3', recordCallPassword: 'hush' },
	});
	const { sessionGuid } = await call(emulator, { to: '+1', durationSeconds: 2 });
	const reply = await send(emulator.url, 'GET', recordingPath(sessionGuid));
	const audio = await decrypt(reply.body, 'hush');
	const [entry] = emulator.control.recordings();
	assert.equal(sha256(audio), entry?.plainSha256);
	assert.equal(audio.length, entry?.plainBytes);
	assert.equal(audio.readUInt16BE() & 0xffe0, 0xffe0, 'starts like an mp3 frame');
	const visible = JSON.stringify([emulator.control.calls(), emulator.control.log()]);
	assert.ok(!visible.includes('hush'), 'the password shows');
});

test('deleting removes row and file, and the ledger remembers', async (t) => {
	const emulator = await start(t);
	const { sessionGuid, plainSha256 } = await emulator.control.addRecording();
	const file = await emulator.control.storedFile(sessionGuid);
	assert.ok(existsSync(file));
	const reply = await send(emulator.url, 'DELETE', recordingPath(sessionGuid));
	assert.equal(reply.status, 200);
	assert.deepEqual(reply.json(), { deleted: true, sessionGuid });
	assert.ok(!existsSync(file));
	assert.deepEqual(await list(emulator), []);
	const [entry] = emulator.control.recordings();
	assert.equal(entry?.state, 'deleted');
	assert.equal(entry.plainSha256, plainSha256);
	for (const method of ['GET', 'DELETE']) {
		const gone = await send(emulator.url, method, recordingPath(sessionGuid));
		assert.equal(gone.status, 404);
		assert.equal(gone.json().error?.code, 'recording_not_found');
	}
});

test('a DELETE that announces JSON without a body is understood', async (t) => {
	const { url, control } = await start(t);
	const { sessionGuid } = await control.addRecording({ content: Buffer.of(1) });
	const headers = { Token: 'demo-key', 'Content-Type': 'application/json' };
	assert.equal((await send(url, 'DELETE', recordingPath(sessionGuid), { headers })).status, 200);
});

test('of several simultaneous deletions exactly one deletes', async (t) => {
	const { url, control } = await start(t);
	const { sessionGuid } = await control.addRecording({ content: Buffer.of(1) });
	const replies = await Promise.all(
		Array.from({ length: 5 }, () => send(url, 'DELETE', recordingPath(sessionGuid))),
	);
	assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404, 404, 404, 404]);
});

test('unknown session GUIDs are 404, whatever they look like', async (t) => {
	const { url } = await start(t);
	for (const guid of [
		'x',
		'%2e%2e%2f%2e%2e',
		'..%5c',
		"'%20OR%201=1",
		'%F0%9F%92%A9',
		'a'.repeat(400),
	]) {
		assert.equal((await send(url, 'GET', recordingPath(guid))).status, 404, guid);
	}
	assert.equal((await send(url, 'GET', recordingPath('%zz'))).status, 400);
	const tooLong = await send(url, 'GET', recordingPath('a'.repeat(5000)));
	assert.ok([404, 414].includes(tooLong.status), String(tooLong.status));
});

test('the list is ordered by the end of the call and shows only what is stored', async (t) => {
	const emulator = await start(t);
	assert.deepEqual(await list(emulator), []);
	const content = Buffer.of(1, 2, 3);
	const hour = (hours: number) =>
		new Date(emulator.control.now() - hours * 3_600_000).toISOString();
	for (const hours of [2, 5, 1]) {
		await emulator.control.addRecording({
			sessionGuid: `h${hours}`,
			content,
			endedAt: hour(hours),
			durationSeconds: 60,
		});
	}
	const rows = await list(emulator);
	assert.deepEqual(
		rows.map((row) => row['sessionGuid']),
		['h5', 'h2', 'h1'],
	);
	for (const row of rows) {
		assert.equal(row['sizeBytes'], 3);
		const length = Date.parse(String(row['endedAt'])) - Date.parse(String(row['startedAt']));
		assert.equal(length, 60_000);
	}
});

test('tampering: one bit, at the start or from the end, or a shorter file', async (t) => {
	const emulator = await start(t);
	const content = randomBytes(1000);
	const original = await emulator.control.addRecording({
		content,
		password: 'x',
		sessionGuid: 'g',
	});
	const before = await readFile(await emulator.control.storedFile('g'));
	const changed = await emulator.control.tamper('g', { flipBitAt: 40 });
	const after = (await send(emulator.url, 'GET', recordingPath('g'))).body;
	assert.equal(after.length, before.length);
	assert.deepEqual(
		[...after.keys()].filter((index) => after[index] !== before[index]),
		[40],
	);
	assert.equal(changed.storedSha256, sha256(after));
	assert.equal(changed.plainSha256, original.plainSha256);
	await assert.rejects(decrypt(after, 'x'));
	await emulator.control.tamper('g', { flipBitAt: 40 });
	assert.ok(
		(await decrypt(await readFile(await emulator.control.storedFile('g')), 'x')).equals(content),
	);
	await emulator.control.tamper('g', { flipBitAt: -1 });
	const last = (await send(emulator.url, 'GET', recordingPath('g'))).body;
	assert.notEqual(last.at(-1), before.at(-1));
	await emulator.control.tamper('g', { truncateTo: 28 });
	const short = await send(emulator.url, 'GET', recordingPath('g'));
	assert.equal(short.headers['content-length'], '28');
	assert.equal((await list(emulator))[0]?.['sizeBytes'], 28);
	await assert.rejects(emulator.control.tamper('g', { flipBitAt: 28 }), /outside the file/);
	await assert.rejects(emulator.control.tamper('g', { truncateTo: 29 }), /outside the file/);
	await assert.rejects(emulator.control.tamper('nobody', { flipBitAt: 0 }), /No recording/);
});

test('a session GUID is stored once, and can be stored again after its deletion', async (t) => {
	const emulator = await start(t);
	const add = () => emulator.control.addRecording({ sessionGuid: 'same', content: Buffer.of(1) });
	const results = await Promise.allSettled([add(), add(), add()]);
	assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
	await assert.rejects(add(), /stored already/);
	await send(emulator.url, 'DELETE', recordingPath('same'));
	await add();
	assert.deepEqual(
		emulator.control.recordings().map(({ state }) => state),
		['deleted', 'stored'],
	);
});

test('addRecording refuses contradictions', async (t) => {
	const { control } = await start(t);
	const content = Buffer.of(1);
	await assert.rejects(control.addRecording({ content, sizeBytes: 5 }), /either content or size/);
	await assert.rejects(control.addRecording({ durationSeconds: 1, sizeBytes: 5 }), /either sizeB/);
	await assert.rejects(control.addRecording({ endedAt: 'yesterday' }), /endedAt/);
	assert.deepEqual(control.recordings(), []);
});

test('a recording made on the fly has no file, and the same bytes at every download', async (t) => {
	const dataDir = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-test-'));
	t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
	const first = await createEmulator({ dataDir });
	const hashes: Record<string, string> = {};
	for (const format of ['opus', 'mp3', 'wav'] as const) {
		const sessionGuid = `fly-${format}`;
		const options = { sessionGuid, format, durationSeconds: 61.5 } as const;
		const added = await first.control.addRecording({ ...options, onTheFly: true });
		hashes[sessionGuid] = added.storedSha256;
		await send(first.url, 'DELETE', recordingPath(sessionGuid));
		const kept = await first.control.addRecording(options);
		assert.equal(kept.storedSha256, added.storedSha256, 'as if it were stored');
		await send(first.url, 'DELETE', recordingPath(sessionGuid));
		await first.control.addRecording({ ...options, onTheFly: true });
	}
	assert.deepEqual(await readdir(path.join(dataDir, 'recordings')), []);
	await assert.rejects(first.control.storedFile('fly-wav'), /no file/);
	await assert.rejects(first.control.tamper('fly-wav', { flipBitAt: 1 }), /no file/);
	const onTheFly = true;
	await assert.rejects(first.control.addRecording({ onTheFly, password: 'x' }), /unencrypted/);
	await assert.rejects(first.control.addRecording({ onTheFly, content: Buffer.of(1) }), /synth/);
	await first.close();

	const { url, control } = await start(t, { dataDir });
	for (const [sessionGuid, hash] of Object.entries(hashes)) {
		for (const _time of [1, 2]) {
			const reply = await send(url, 'GET', recordingPath(sessionGuid));
			assert.equal(reply.headers['content-length'], String(reply.body.length));
			assert.equal(sha256(reply.body), hash, sessionGuid);
		}
	}
	await control.advanceClock(8 * 86_400_000);
	assert.equal((await send(url, 'GET', recordingPath('fly-wav'))).status, 404);
});

test('a recording of 2 GB can be ordered, and a client may leave early', async (t) => {
	const { url, control } = await start(t);
	const added = await control.addRecording({
		format: 'wav',
		sizeBytes: 2_000_000_000,
		onTheFly: true,
	});
	assert.equal(added.storedBytes, 2_000_000_000);
	const reply = await fetch(new URL(recordingPath(added.sessionGuid), url), {
		headers: [['Token', 'demo-key']],
	});
	assert.equal(reply.headers.get('content-length'), '2000000000');
	let size = 0;
	for await (const chunk of reply.body ?? []) {
		size += chunk.length;
		if (size > 100_000_000) break;
	}
	assert.equal((await list({ url } as Emulator)).length, 1);
});

test('a large synthetic recording is stored and served in constant memory', async (t) => {
	const { url, control } = await start(t);
	const sizeBytes = 200_000_000;
	const before = process.memoryUsage().rss;
	let peak = 0;
	const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 20);
	t.after(() => clearInterval(watch));
	const added = await control.addRecording({ format: 'wav', sizeBytes, password: 'x' });
	assert.equal(added.plainBytes, sizeBytes);
	assert.equal(statSync(await control.storedFile(added.sessionGuid)).size, sizeBytes + 44);
	const reply = await fetch(new URL(recordingPath(added.sessionGuid), url), {
		headers: [['Token', 'demo-key']],
	});
	const hash = createHash('sha256');
	for await (const chunk of reply.body ?? []) hash.update(chunk);
	assert.equal(hash.digest('hex'), added.storedSha256);
	const grown = (peak - before) / 1e6;
	assert.ok(grown < 150, `memory grew by ${grown.toFixed()} MB`);
});
