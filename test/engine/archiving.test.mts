/** What an archive workflow asks of Download and Delete: metadata, calls without a recording, proof for several files. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, suite, test } from 'node:test';

import { startEngine } from '../../harness/engine/engine.mts';
import { byGuid, voiceAgent } from '../../harness/flow.mts';
import type { Json } from '../../harness/n8n/execution.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { assertFailed } from './outcome.mts';

const engine = await startEngine();
after(async () => await engine.stop());
const { control } = engine.emulator;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const stateOf = (sessionGuid: string) => engine.ledger(sessionGuid).state;
const deletes = (sessionGuid: string) =>
	control.requests().filter(({ method, path }) => method === 'DELETE' && path.endsWith(sessionGuid))
		.length;
const UNKNOWN = '0e8f6d6e-1111-4222-8333-444455556666';

const download = (options: Record<string, unknown>) => ({
	resource: 'recording',
	operation: 'download',
	recording: byGuid(),
	options,
});

suite('Download', () => {
	const run = async (options: Record<string, unknown>, items: Array<Record<string, Json>>) =>
		await engine.runNode({ parameters: download(options), items });

	test('a metadata file is written for people, and beside the recording', async () => {
		const { sessionGuid } = await control.addRecording({ format: 'wav' });
		const names = async (outputFileName: string) => {
			const execution = await run({ addMetadata: true, outputFileName }, [{ sessionGuid }]);
			const [, second] = execution.items(NODE);
			assert.ok(second?.binary?.data, execution.error?.message);
			return { json: second.json, file: second.binary.data };
		};
		const { json, file } = await names('v1.0/2026.11/call.of.{name}.{extension}');
		assert.equal(json.fileName, `v1.0/2026.11/call.of.${sessionGuid}.json`);
		assert.equal(file.fileName, `call.of.${sessionGuid}.json`);
		assert.equal(file.mimeType, 'application/json');
		assert.equal((await names('v1.0/call')).json.fileName, 'v1.0/call.json');
		const content = (await engine.n8n.binary(file)).toString();
		assert.equal(content, `${JSON.stringify(JSON.parse(content), undefined, '\t')}\n`);
	});

	for (const [name, more, simple] of [
		['with its record', {}, false],
		['simplified', { note: 'x' }, true],
	] as const) {
		test(`the metadata of an item from Get Many, ${name}: the list is not read again`, async () => {
			const { sessionGuid } = await control.addRecording({ format: 'wav' });
			const record = { sessionGuid, endedAt: '2026-11-14T12:00:00Z', ...more };
			const listed = { callEndedAt: '2026-11-14T12:00:00.000Z', hoursLeft: 3 };
			const item = simple
				? { ...record, ...listed }
				: { sessionGuid, ...listed, recording: record };
			control.clearLogs();
			const execution = await run({ addMetadata: true }, [item]);
			const file = execution.items(NODE)[1]?.binary?.data;
			assert.ok(file, execution.error?.message);
			const metadata = JSON.parse((await engine.n8n.binary(file)).toString()) as object;
			assert.deepEqual((metadata as { listed: object }).listed, simple ? item : record);
			assert.equal((metadata as { callEndedAt: string }).callEndedAt, listed.callEndedAt);
			assert.equal(control.requests().length, 1);
		});
	}

	test('with a metadata file: a second item about the first', async () => {
		const endedAt = new Date(Date.now() - 3_600_000).toISOString();
		const recording = await control.addRecording({ format: 'mp3', password: PASSWORD, endedAt });
		const { sessionGuid } = recording;
		const payload = { event: 'CallEnd', sessionGuid, to: '+15550100' };
		const execution = await run(
			{ addMetadata: true, includeMd5: true, outputFileName: 'calls/{to}_{name}.{extension}' },
			[{ sessionGuid, receivedAt: endedAt, payload }],
		);
		assert.equal(execution.status, 'success', execution.error?.message);
		const [first, second, ...more] = execution.items(NODE);
		assert.equal(more.length, 0);
		assert.equal(first?.json.fileName, `calls/+15550100_${sessionGuid}.mp3`);
		assert.equal(first?.binary?.data?.fileName, `+15550100_${sessionGuid}.mp3`);
		assert.ok(second?.binary?.data);
		const content = await engine.n8n.binary(second.binary.data);
		assert.deepEqual(second.json, {
			sessionGuid,
			fileName: `calls/+15550100_${sessionGuid}.json`,
			format: 'json',
			mimeType: 'application/json',
			bytes: content.length,
			metadataSha256: sha256(content),
		});
		const metadata = JSON.parse(content.toString()) as Record<string, unknown>;
		const { sessionGuid: _, ...file } = first?.json ?? {};
		assert.deepEqual(
			{ ...metadata, downloadedAt: '', listed: '' },
			{
				sessionGuid,
				callEndedAt: endedAt,
				retentionEndsAt: new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString(),
				downloadedAt: '',
				file,
				callEnd: payload,
				listed: '',
			},
		);
		assert.equal((file as { sha256?: string }).sha256, recording.plainSha256);
		assert.equal((metadata.listed as { sessionGuid?: string }).sessionGuid, sessionGuid);
		assert.ok(Math.abs(Date.parse(String(metadata.downloadedAt)) - Date.now()) < 60_000);
		for (const secret of [PASSWORD, 'demo-key']) assert.ok(!content.includes(secret));
	});

	test('a call without a recording: an error, nothing, or an item on a second output', async () => {
		const { sessionGuid } = await control.addRecording();
		const receivedAt = '2026-11-21T14:03:22Z';
		const items = [
			{ sessionGuid: UNKNOWN, receivedAt },
			{ sessionGuid, receivedAt },
		];
		assertFailed(await run({}, items), /^The recording is gone/, new RegExp(UNKNOWN));

		const quiet = await run({ ifNoRecording: 'end' }, items);
		assert.equal(quiet.status, 'success', quiet.error?.message);
		assert.deepEqual(
			quiet.items(NODE).map(({ json }) => json.sessionGuid),
			[sessionGuid],
		);

		const split = await run(
			{ ifNoRecording: 'output', outputFileName: '{date}_{name}.{extension}' },
			items,
		);
		assert.equal(split.status, 'success', split.error?.message);
		assert.deepEqual(
			split.items(NODE).map(({ json }) => json.sessionGuid),
			[sessionGuid],
		);
		const [absent] = split.items(NODE, 1);
		assert.equal(absent?.json.sessionGuid, UNKNOWN);
		assert.equal(absent.json.reason, 'recordingGone');
		assert.match(String(absent.json.metadataFile), new RegExp(`^2026-11-2[12]_${UNKNOWN}\\.json$`));
	});

	for (const ifNoRecording of ['end', 'output']) {
		test(`a recording that cannot be opened fails also with '${ifNoRecording}'`, async () => {
			const { sessionGuid } = await control.addRecording({ password: 'another' });
			const retentionEndsAt = '2026-11-28T14:03:22.000Z';
			assertFailed(
				await run({ ifNoRecording }, [{ sessionGuid, retentionEndsAt }]),
				/^The recording cannot be decrypted/,
				new RegExp(`keeps the recording ${sessionGuid} until ${retentionEndsAt}`),
			);
		});
	}

	// As two executions of two n8n have the same id.
	test('{random}: the same recording twice gets two names, each with its metadata file', async () => {
		const { sessionGuid } = await control.addRecording({ format: 'wav' });
		const execution = await run(
			{ addMetadata: true, outputFileName: '{sessionGuid}_{random}.{extension}' },
			[{ sessionGuid }, { sessionGuid }],
		);
		assert.equal(execution.status, 'success', execution.error?.message);
		const names = execution.items(NODE).map(({ json }) => String(json.fileName));
		const [first, second] = names.filter((name) => name.endsWith('.wav'));
		assert.notEqual(first, second);
		for (const name of [first, second]) {
			assert.match(String(name).replace(sessionGuid, ''), /^_[0-9a-f]{8}\.wav$/);
			assert.ok(names.includes(String(name).replace(/wav$/, 'json')));
		}
	});

	test('a value of a webhook adds no folder, and a missing one leaves no gap', async () => {
		const { sessionGuid } = await control.addRecording({ format: 'wav' });
		const execution = await run(
			{ outputFileName: '{date}/{agent}_{to}_{sessionGuid}.{extension}' },
			[{ sessionGuid, payload: { call: { To: '../../etc/x' } } }],
		);
		assert.equal(execution.items(NODE)[0]?.json.fileName, `-..-etc-x_${sessionGuid}.wav`);
	});
});

suite('Delete with proof from files', () => {
	/** Deletes what the node "Download" has put out, as if it had been read back from an archive. */
	const remove = async (
		sessionGuids: string[],
		parameters: Record<string, unknown> = {},
		options: Record<string, unknown> = { addMetadata: true },
		downloadedFiles = "={{ $('Download').all() }}",
	) =>
		await engine.runNode({
			before: [voiceAgent(download(options), { name: 'Download' })],
			parameters: {
				resource: 'recording',
				operation: 'delete',
				recording: byGuid(),
				requireProof: true,
				proofFrom: 'file',
				options: { downloadedFiles },
				...parameters,
			},
			items: sessionGuids.map((sessionGuid) => ({ sessionGuid })),
		});

	test('each recording is deleted once, when all its files are proven', async () => {
		const first = await control.addRecording({ password: PASSWORD });
		const second = await control.addRecording({ format: 'wav' });
		const execution = await remove([first.sessionGuid, second.sessionGuid]);
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => ({ ...json, archivedAt: typeof json.archivedAt })),
			[first, second].map(({ sessionGuid, plainSha256, plainBytes }) => ({
				sessionGuid,
				deleted: true,
				archived: true,
				sha256: plainSha256,
				bytes: plainBytes,
				archivedAt: 'string',
			})),
		);
		for (const { sessionGuid } of [first, second]) assert.equal(deletes(sessionGuid), 1);
	});

	/** What Download has output, with another value in each item that has it. */
	const changed = (change: string) => {
		const [name] = change.split(':');
		return `={{ $('Download').all().map(({ json }) => (json.${name} ? { ...json, ${change} } : json)) }}`;
	};
	const isMetadata = `$json.format === 'json'`;
	const each = { options: {}, downloadSize: '={{ $json.bytes }}' };
	for (const checksum of ['sha256', 'md5']) {
		test(`each item with its own ${checksum}, without metadata`, async () => {
			const { sessionGuid } = await control.addRecording();
			const execution = await remove(
				[sessionGuid],
				{ ...each, downloadChecksum: `={{ $json.${checksum} }}` },
				{ includeMd5: true },
			);
			assert.equal(execution.items(NODE)[0]?.json.archived, true, execution.error?.message);
		});
	}

	test('metadata alone proves nothing, whichever way Delete learns of it', async () => {
		const { sessionGuid } = await control.addRecording();
		for (const parameters of [
			{ ...each, downloadChecksum: '={{ $json.sha256 }}' },
			{ ...each, downloadChecksum: "={{ $json.format === 'json' ? $json.metadataSha256 : '' }}" },
		]) {
			const execution = await remove([sessionGuid], parameters);
			assert.equal(execution.status, 'error');
			assert.equal(deletes(sessionGuid), 0);
		}
	});

	for (const [what, change] of Object.entries({
		'whose metadata differs': `metadataSha256: '${'0'.repeat(64)}'`,
		'that differs itself': `sha256: '${'0'.repeat(64)}'`,
		'of another size': 'bytes: 1',
	})) {
		test(`a recording ${what} in the archive is not deleted [fault 43]`, async () => {
			const endedAt = new Date(Date.now() - 60_000).toISOString();
			const { sessionGuid } = await control.addRecording({ password: PASSWORD, endedAt });
			const keptUntil = new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString();
			assertFailed(
				await remove([sessionGuid], {}, undefined, changed(change)),
				/^The recording was not deleted: the archived file differs/,
				new RegExp(`${sessionGuid} is still at the service, which keeps it until ${keptUntil}`),
			);
			assert.equal(stateOf(sessionGuid), 'stored');
			assert.equal(deletes(sessionGuid), 0);
		});
	}

	test('an item whose session is unknown may be a part of any recording: none is deleted', async () => {
		const { sessionGuid } = await control.addRecording();
		const execution = await remove([sessionGuid], {
			recording: { __rl: true, mode: 'id', value: `={{ ${isMetadata} ? '' : $json.sessionGuid }}` },
		});
		assertFailed(execution, /^'Recording' is empty$/);
		assert.equal(deletes(sessionGuid), 0);
	});

	test('Keep Recording: proven, and left at the service, as often as it is archived', async () => {
		const { sessionGuid, plainSha256, plainBytes } = await control.addRecording();
		const options = { downloadedFiles: "={{ $('Download').all() }}", keepRecording: true };
		for (const _time of [1, 2]) {
			const [item, ...more] = (await remove([sessionGuid], { options })).items(NODE);
			assert.deepEqual(more, []);
			const { archivedAt, ...json } = item?.json ?? {};
			assert.ok(Math.abs(Date.parse(String(archivedAt)) - Date.now()) < 60_000);
			const proven = { archived: true, sha256: plainSha256, bytes: plainBytes };
			assert.deepEqual(json, { sessionGuid, deleted: false, ...proven });
		}
		assert.equal(deletes(sessionGuid), 0);
		assert.equal(stateOf(sessionGuid), 'stored');
	});

	test('Keep Recording: a file that differs is an error, and so is a recording that nobody proves', async () => {
		const { sessionGuid } = await control.addRecording();
		const keepRecording = true;
		const downloadedFiles = changed(`sha256: '${'0'.repeat(64)}'`);
		for (const [parameters, message] of [
			[{ options: { downloadedFiles, keepRecording } }, /the archived file differs/],
			[
				{ options: { downloadedFiles: '={{ [] }}', keepRecording } },
				/^The recording was not deleted: it is not in the archive/,
			],
			[
				{ requireProof: false, options: { keepRecording } },
				/'Keep Recording' needs 'Require Proof/,
			],
		] as const) {
			assertFailed(await remove([sessionGuid], parameters), message);
		}
		assert.equal(deletes(sessionGuid), 0);
	});

	const noDownload = { options: { downloadedFiles: '={{ [] }}' } };
	test('without a download, a recording that is still there is not deleted', async () => {
		const { sessionGuid } = await control.addRecording();
		assertFailed(
			await remove([sessionGuid], noDownload),
			/^The recording was not deleted: it is not in the archive/,
			new RegExp(`${sessionGuid} is still at the service`),
		);
		assert.equal(deletes(sessionGuid), 0);
	});

	for (const addMetadata of [true, false]) {
		test(`gone from the service, ${addMetadata ? 'with' : 'without'} its metadata in the archive`, async () => {
			const { sessionGuid, plainSha256, plainBytes } = await control.addRecording({
				password: PASSWORD,
			});
			control.addFault({
				match: { endpoint: 'listRecordings' },
				times: 'always',
				fault: { kind: 'status', status: 200, body: { recordings: [] } },
			});
			const execution = await remove([sessionGuid], noDownload, { addMetadata });
			control.clearFaults();
			const found = { sha256: plainSha256, bytes: plainBytes, archivedAt: 'string' };
			assert.deepEqual(
				execution
					.items(NODE)
					.map(({ json }) => ({ ...json, ...(json.archivedAt && { archivedAt: 'string' }) })),
				[
					{
						sessionGuid,
						deleted: false,
						alreadyGone: true,
						archived: addMetadata,
						...(addMetadata && found),
					},
				],
			);
			assert.equal(deletes(sessionGuid), 0);
		});
	}

	test('metadata of another session proves nothing', async () => {
		const { sessionGuid } = await control.addRecording();
		const execution = await remove([sessionGuid], { ...noDownload, recording: byGuid(UNKNOWN) });
		assert.equal(execution.items(NODE)[0]?.json.archived, false, execution.error?.message);
	});
});

suite('Delete with proof from checksums', () => {
	const remove = async (
		item: Record<string, Json>,
		parameters: Record<string, unknown> = {},
		options: Record<string, unknown> = {},
	) =>
		await engine.runNode({
			parameters: {
				resource: 'recording',
				operation: 'delete',
				recording: byGuid(),
				requireProof: true,
				downloadChecksum: '={{ $json.expected }}',
				downloadSize: '={{ $json.bytes }}',
				archiveChecksum: '={{ $json.sha256Checksum }}',
				archiveSize: '={{ $json.size }}',
				options,
				...parameters,
			},
			items: [item],
		});

	test('a node before it has failed: its error is the reason', async () => {
		const { sessionGuid, plainSha256, plainBytes } = await control.addRecording();
		for (const error of ['Storage quota exceeded', { message: 'Storage quota exceeded' }]) {
			assertFailed(
				await remove({ sessionGuid, expected: plainSha256, bytes: plainBytes, error }),
				/^The recording was not deleted: it is not in the archive: Storage quota exceeded$/,
				new RegExp(`${sessionGuid} is still at the service`),
			);
		}
		assertFailed(
			await remove({ sessionGuid, expected: plainSha256 }, {}, { archiveError: 'No space left' }),
			/not in the archive: No space left$/,
		);
		assert.equal(deletes(sessionGuid), 0);
	});

	test('nothing at the service and nothing in the archive: there was nothing to archive', async () => {
		const execution = await remove({ sessionGuid: UNKNOWN });
		assert.deepEqual(execution.items(NODE)[0]?.json, {
			sessionGuid: UNKNOWN,
			deleted: false,
			alreadyGone: true,
			archived: false,
		});
		assertFailed(await remove({ sessionGuid: UNKNOWN }, {}, { ifGone: 'fail' }), /is gone/);
	});

	const whole = 'ab'.repeat(32);
	for (const [stored, inArchive, archived] of [
		[whole, whole.toUpperCase(), true],
		[whole, 'cd'.repeat(32), false],
		[whole, '', false],
		['', whole, false],
		['', '', false],
	] as const) {
		test(`gone from the service, stored with ${stored.slice(0, 4)}…, now ${inArchive.slice(0, 4)}…`, async () => {
			const execution = await remove(
				{ sessionGuid: UNKNOWN, sha256Checksum: inArchive, size: 5 },
				{},
				{ storedChecksum: stored },
			);
			assert.equal(execution.items(NODE)[0]?.json.archived, archived);
		});
	}

	test('a list that cannot be read does not tell that a recording is gone', async () => {
		control.addFault({
			match: { endpoint: 'listRecordings' },
			times: 'always',
			fault: { kind: 'html' },
		});
		const execution = await remove({ sessionGuid: UNKNOWN });
		control.clearFaults();
		assertFailed(execution, /^The recording was not deleted: it is not in the archive/);
	});
});
