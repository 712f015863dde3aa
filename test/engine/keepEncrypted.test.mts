/** What a file is, what Keep Encrypted makes of it, and under which name it is put out. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { suite, test, type TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';

import { encrypt as encryptChunks } from '../../emulator/src/recordings/encryption.mts';
import { NODE, START } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { root } from '../../scripts/paths.mjs';
import { apiCredential, sharedEngine } from './engines.mts';
import { inRecording } from './oneRecording.mts';
import { assertFailed, failure } from './outcome.mts';
import { ownService } from './ownService.mts';

const engine = await sharedEngine();

const FOLDER = join(root, 'test/vectors/field/files');
const reported = (name: string) => readFileSync(join(FOLDER, name));
const encrypt = async (plain: Uint8Array, password: string) =>
	await buffer(encryptChunks(Readable.from([plain]), password));
const sessionGuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

interface Served {
	parameters?: object;
	headers?: Record<string, string>;
	/** Whether the service announces the length. Without it, the file comes in chunks. */
	isAnnounced?: boolean;
	password?: string;
}

/** One download of this file, and what came out. */
async function download(t: TestContext, file: Uint8Array, served: Served = {}) {
	const { parameters, headers, isAnnounced = true, password } = served;
	const body = Buffer.from(password ? await encrypt(file, password) : file);
	const length = isAnnounced ? { 'content-length': String(body.length) } : undefined;
	const { run, requests } = await ownService(t, engine, ({ path }) =>
		path.endsWith(sessionGuid)
			? { headers: { 'content-type': 'application/octet-stream', ...headers, ...length }, body }
			: { body: [{ sessionGuid }] },
	);
	const execution = await run({
		parameters: inRecording('download', parameters),
		items: [{ sessionGuid }],
		settings: { onError: 'continueRegularOutput' },
	});
	const [item] = execution.items(NODE);
	const output = item?.binary?.data;
	return {
		json: item?.json ?? {},
		problem: failure(execution),
		execution,
		body,
		stored: output && (await engine.n8n.binary(output)),
		downloads: requests.filter(({ path }) => path.endsWith(sessionGuid)).length,
	};
}

const KEEP = { decrypt: 'never' };

suite('recordings that people have reported', () => {
	const whole = readdirSync(FOLDER).filter((name) =>
		/^(?:lame|plain|wav-alaw|wav-ixml).*\.(?:mp3|wav)$/.test(name),
	);
	for (const name of whole) {
		for (const parameters of [{}, KEEP]) {
			for (const isAnnounced of [true, false]) {
				const how = `${JSON.stringify(parameters)}${isAnnounced ? '' : ', in chunks'}`;
				test(`${name} is stored, ${how}`, async (t) => {
					const file = reported(name);
					const { stored, json, problem } = await download(t, file, { parameters, isAnnounced });
					assert.ok(stored?.equals(file), problem);
					assert.deepEqual([json.format, json.verified], [name.slice(-3), true]);
				});
			}
		}
	}

	for (const type of ['application/json', 'text/html; charset=UTF-8', 'multipart/mixed']) {
		test(`an encrypted recording that is called ${type} is opened`, async (t) => {
			const file = reported('plain.wav');
			const served = { headers: { 'content-type': type }, password: PASSWORD };
			const { stored, json, problem } = await download(t, file, served);
			assert.ok(stored?.equals(file), problem);
			assert.deepEqual([json.format, json.decrypted, json.verified], ['wav', true, true]);
			const kept = await download(t, file, { ...served, parameters: KEEP });
			assert.ok(kept.stored?.equals(kept.body), kept.problem);
			assert.deepEqual([kept.json.format, kept.json.verified], ['enc', true]);
			assert.equal(kept.json.plainSha256, sha256(file));
			assert.equal(kept.downloads, 1);
		});
	}

	test('WAV from a pipe is stored if it comes in chunks, which mark the end of the transfer', async (t) => {
		const file = Buffer.from(reported('plain.wav'));
		for (const offset of [4, 40]) file.writeUInt32LE(0xffffffff, offset);
		const { stored, json, problem } = await download(t, file, { isAnnounced: false });
		assert.ok(stored?.equals(file), problem);
		assert.equal(json.verified, true);
	});

	for (const name of ['wav-placeholder-256mb.wav', 'ogg-no-end-mark-2.ogg']) {
		test(`${name}, in chunks, is refused, and kept as the error says`, async (t) => {
			const file = reported(name);
			const { problem, downloads } = await download(t, file, { isAnnounced: false });
			assert.match(problem, /^recordingIncomplete: .* 'Keep Encrypted'\. It is then not verified/);
			// What may be cut is tried again.
			assert.equal(downloads, 4);
			const kept = await download(t, file, { isAnnounced: false, parameters: KEEP });
			assert.ok(kept.stored?.equals(file), kept.problem);
			assert.equal(kept.json.verified, false);
			assert.match(String(kept.json.unverifiedReason), /^The recording is not complete: /);
			// After as many attempts, it is downloaded once more to be kept.
			assert.equal(kept.downloads, 5);
		});
	}
});

suite('what nothing proves to be a recording', () => {
	const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(62)]);
	const page = Buffer.from('<html><body>The service is being updated. Try again later.</body>');
	const altered = async () => {
		const file = await encrypt(reported('plain.wav'), PASSWORD);
		file.writeUInt8(file.readUInt8(100) ^ 1, 100);
		return file;
	};
	const files: Array<[string, () => Promise<Buffer> | Buffer, string?]> = [
		['a PNG', () => png, 'image/png'],
		['a ZIP', () => Buffer.concat([Buffer.from('PK\x03\x04'), randomBytes(90)]), 'application/zip'],
		['gzip', () => gzipSync(randomBytes(60))],
		['44 random bytes', () => randomBytes(44)],
		['zeros', () => Buffer.alloc(500)],
		['a page', () => page, 'text/html'],
		['an altered recording', altered],
		['a recording with another password', () => encrypt(randomBytes(50), 'another')],
	];
	for (const [name, make, type = 'application/octet-stream'] of files) {
		test(`${name} is refused, or kept as not verified`, async (t) => {
			const file = await make();
			const headers = { 'content-type': type };
			const refused = await download(t, file, { headers });
			assert.equal(refused.stored, undefined);
			assert.match(
				refused.problem,
				/^(?:notARecording|recordingNotReady|wrongPasswordOrAltered): /,
			);

			const options = { addMetadata: true };
			const kept = await download(t, file, { headers, parameters: { ...KEEP, options } });
			assert.ok(kept.stored?.equals(file), kept.problem);
			const { format, encrypted, verified, unverifiedReason } = kept.json;
			assert.deepEqual([format, encrypted, verified], ['enc', true, false]);
			assert.ok(unverifiedReason);
			const [, metadata] = kept.execution.items(NODE);
			assert.ok(metadata?.binary?.data);
			const about = JSON.parse(String(await engine.n8n.binary(metadata.binary.data))) as object;
			assert.partialDeepStrictEqual(about, { file: { verified: false, unverifiedReason } });
			assert.match(kept.execution.raw, /not known to be a whole recording/);
		});
	}

	test('a file shorter than any encrypted one, and an empty one, are refused', async (t) => {
		for (const length of [0, 43]) {
			const { stored, problem } = await download(t, randomBytes(length), { parameters: KEEP });
			assert.equal(stored, undefined);
			assert.match(problem, /^notARecording: /);
		}
	});

	test('without a password, an encrypted recording is kept at once, as not verified', async () => {
		const { control } = engine.emulator;
		const recording = await control.addRecording({ password: PASSWORD });
		control.clearLogs();
		const execution = await engine.runNode({
			parameters: inRecording('download', KEEP),
			items: [{ sessionGuid: recording.sessionGuid }],
			credentials: { voiceAgentApi: await apiCredential(engine, { recordingPassword: '' }) },
		});
		const [item] = execution.items(NODE);
		assert.deepEqual(
			[item?.json.sha256, item?.json.verified, item?.json.unverifiedReason],
			[recording.storedSha256, false, 'No password is available to check its tag'],
		);
		assert.equal(control.requests().length, 1);
	});
});

suite('text instead of an encrypted recording', () => {
	for (const name of ['base64-lines.enc', 'hex.enc', 'json.enc']) {
		test(`Decrypt says of ${name} that it is text`, async () => {
			const execution = await engine.runNode({
				parameters: inRecording('decrypt', { inputBinaryField: 'data' }),
				pinned: itemWith(reported(name)),
			});
			assertFailed(execution, /^This is not an encrypted recording: it is text$/, /Base64/);
		});
	}
});

/** The input item of a node that gets this file. */
function itemWith(content: Buffer, fileName = 'call.enc') {
	const data = { data: content.toString('base64'), mimeType: 'application/octet-stream', fileName };
	return { [START]: [{ json: { sessionGuid }, binary: { data } }] };
}

suite('a name that two recordings could have', () => {
	const templates: Array<[template: string, isAccepted: boolean]> = [
		['', true],
		['{name}', true],
		['calls/{sha256}.{extension}', true],
		['{sessionGuid}/call.{extension}', true],
		[`call of ${sessionGuid.toUpperCase()}.{extension}`, true],
		['={{ $json.sessionGuid }}.{extension}', true],
		['{date}_{to}.{extension}', false],
		['{date}_{time}_{to}.{extension}', false],
		['{SessionGuid}.{extension}', false],
		['{session_guid}.{extension}', false],
		['{format}.{extension}', false],
		['call.wav', false],
	];
	for (const [outputFileName, isAccepted] of templates) {
		test(`'${outputFileName}' is ${isAccepted ? 'accepted' : 'refused'}`, async (t) => {
			const parameters = { options: { outputFileName } };
			const { json, problem, downloads } = await download(t, reported('plain.wav'), { parameters });
			if (isAccepted) assert.ok(json.sha256, problem);
			else assert.match(problem, /^invalidParameter: 'Output File Name' must have \{sessionGuid\}/);
			assert.equal(downloads, isAccepted ? 1 : 0);
		});
	}

	test('tells recordings apart without its folder, for nodes that know none', async (t) => {
		const parameters = { options: { outputFileName: '{sessionGuid}/call.wav' } };
		const { json, execution } = await download(t, reported('plain.wav'), { parameters });
		assert.equal(json.fileName, `${sessionGuid}/call.wav`);
		const file = execution.items(NODE)[0]?.binary?.data;
		assert.equal(file?.fileName, `${sessionGuid}_call.wav`);
	});

	test('by their bytes does not make one metadata file of two', async () => {
		const { control } = engine.emulator;
		const content = reported('plain.wav');
		const recordings = [
			await control.addRecording({ content }),
			await control.addRecording({ content }),
		];
		const options = { addMetadata: true, outputFileName: '{sha256}.{extension}' };
		const execution = await engine.runNode({
			parameters: inRecording('download', { options }),
			items: recordings.map((one) => ({ sessionGuid: one.sessionGuid })),
		});
		const names = execution.items(NODE).map(({ json }) => json.fileName);
		assert.equal(new Set(names).size, 3, JSON.stringify(names));
	});

	test('by identifiers that differ in letter case differs in more', async (t) => {
		const guids = ['Recording-0001', 'recordinG-0001', 'recording-0001'];
		const { run } = await ownService(t, engine, () => ({ body: reported('plain.wav') }));
		const execution = await run({
			parameters: inRecording('download'),
			items: guids.map((guid) => ({ sessionGuid: guid })),
		});
		const names = execution.items(NODE).map(({ json }) => String(json.fileName).toLowerCase());
		assert.equal(new Set(names).size, 3, execution.error?.message ?? JSON.stringify(names));
	});

	test('Decrypt refuses such a name, and tells long names apart that begin alike', async () => {
		const sealed = await encrypt(reported('plain.wav'), PASSWORD);
		const decrypt = async (options: object, fileName: string) =>
			await engine.runNode({
				parameters: inRecording('decrypt', { inputBinaryField: 'data', options }),
				pinned: itemWith(sealed, fileName),
			});
		assertFailed(
			await decrypt({ outputFileName: 'call.{extension}' }, 'a.enc'),
			/^'Output File Name' must have/,
		);
		const long = 'x'.repeat(190);
		const names = await Promise.all(
			['1', '2'].map(async (end) => {
				const execution = await decrypt({}, `${long}${end}.enc`);
				return execution.items(NODE)[0]?.json.fileName;
			}),
		);
		assert.match(String(names[0]), /^x{100,}-[\da-f]{12}\.wav$/);
		assert.notEqual(names[0], names[1]);
	});
});
