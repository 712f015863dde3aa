/** The archive workflows: what ends up in the archive, and what is deleted from the service. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';

import type { RecordingFormat } from '../../../emulator/src/index.mts';
import { executionsFor } from '../../../harness/executions.mts';
import type { Execution } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import type { Archive, ArchiveName } from '../../../harness/standIns/archives.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import {
	ARCHIVE_NODE,
	nodeOf,
	readWorkflow,
	SWEEP_TRIGGER,
	sweepInto,
} from '../../../harness/workflows.mts';
import { root } from '../../../scripts/paths.mjs';
import { assertArchived, CALL_END, publishArchive, sendCallEndsTo } from '../archived.mts';
import { retry, serviceOf, succeeded, type ArchiveHost } from '../suite.mts';
import { sweepOfOne } from './sweepOfOne.mts';

const DOWNLOAD = 'Download recording';

/** What the ledger calls each archive. */
const ARCHIVES: Record<ArchiveName, string> = {
	'archive-to-folder': 'Folder',
	'archive-to-google-drive': 'Google Drive',
	'archive-to-s3': 'S3',
	'archive-to-sftp': 'SFTP',
};

const RECORDINGS = '/api/customer/recordings';

/** Tests of one archive workflow, with a service of its own in an n8n that others use too. */
export function archiveSuite(name: string, getHost: () => ArchiveHost): void {
	suite(`workflow: ${name}`, { concurrency: 1 }, () => archiveTests(name, getHost));
}

function archiveTests(name: string, getHost: () => ArchiveHost): void {
	const stack = serviceOf(() => getHost().n8n);
	const control = () => stack.emulator.control;
	let archive: Archive;
	let workflowId: string;

	before(async () => {
		({ archive } = getHost());
		workflowId = await publishArchive(stack, archive.configured(), archive.credentials);
	});
	afterEach(() => control().setRecordingDelay(0));

	/** All executions for a call, once there are `count`. */
	async function executions(sessionGuid: string, count = 1): Promise<Execution[]> {
		const found = await executionsFor(stack.n8n, {
			workflowId,
			trigger: CALL_END,
			sessionGuid,
			count,
		});
		assert.equal(found.length, count, 'an execution that nobody asked for');
		return found;
	}

	/** Waits for executions for a call. The last one has to have succeeded. */
	async function succeeds(sessionGuid: string, count = 1): Promise<Execution> {
		return succeeded((await executions(sessionGuid, count)).at(-1));
	}

	async function fails(sessionGuid: string, message: RegExp): Promise<void> {
		const execution = (await executions(sessionGuid)).at(-1);
		assert.equal(execution?.status, 'error');
		const { message: headline, description } = execution.error ?? {};
		assert.match(`${headline}. ${description}`, message);
	}

	/** Places a call and waits until it is over. */
	async function recordedCall(
		recordCallFormat: RecordingFormat = 'opus',
		recordCallPassword: string | null = PASSWORD,
	): Promise<string> {
		control().setDefaultInstructions({ recordCall: true, recordCallFormat, recordCallPassword });
		// In a folder with braces, n8n would take the quote for a part of a pattern.
		const call = control().placeCall({ to: "{it's,+15550100}", durationSeconds: 3 });
		await control().completedCall(call.sessionGuid);
		return call.sessionGuid;
	}

	const ledger = (sessionGuid: string) => stack.ledger(sessionGuid);

	/** The recordings of a session in the archive. */
	const filesOf = async (sessionGuid: string) =>
		(await archive.files()).filter(
			({ name }) => name.includes(sessionGuid) && !name.endsWith('.json'),
		);

	/** SHA-256 of each recording of a session that is in the archive. */
	const archived = async (sessionGuid: string) =>
		(await filesOf(sessionGuid)).map(({ content }) => sha256(content));

	/** What the archive workflow tells a sweep about one recording. */
	const sweptAlone = async (sessionGuid: string, id = workflowId) =>
		await sweepOfOne(stack, id, {
			sessionGuid,
			endedAt: new Date(Date.now() - 3_600_000).toISOString(),
		});

	/** How often the service was asked to delete a recording. */
	const deletes = (sessionGuid: string) =>
		control()
			.requests()
			.filter(
				({ method, path }) =>
					method === 'DELETE' && decodeURIComponent(path) === `${RECORDINGS}/${sessionGuid}`,
			).length;

	async function assertArchivedOnce(sessionGuid: string): Promise<void> {
		const files = assertArchived(await archive.files(), ledger(sessionGuid));
		assert.equal(files.length, 2);
		const metadata = files.find((file) => file.name.endsWith('.json'));
		const { sessionGuid: about } = JSON.parse(String(metadata?.content)) as Record<string, unknown>;
		assert.equal(about, sessionGuid);
	}

	function fileDecides(): void {
		test('audio that is full of text is archived, and an encrypted file that is called JSON', async () => {
			const content = await readFile(join(root, 'test/vectors/field/files/lame-silence-16.mp3'));
			const { sessionGuid: text } = await control().addRecording({ content });
			const { sessionGuid: called } = await control().addRecording({ password: PASSWORD });
			const fault = { kind: 'headers', set: { 'content-type': 'application/json' } } as const;
			control().addFault({ match: { endpoint: 'downloadRecording' }, times: 'always', fault });
			for (const guid of [text, called]) {
				await control().sendCallEnd(guid);
				await succeeds(guid);
				await assertArchivedOnce(guid);
			}
			control().clearFaults();
		});

		test('under Keep Encrypted, a picture instead of a recording is never deleted', async (t) => {
			const usual = workflowId;
			const workflow = archive.configured();
			nodeOf(workflow, DOWNLOAD).parameters.decrypt = 'never';
			workflowId = await publishArchive(stack, workflow);
			t.after(async () => {
				workflowId = usual;
				await sendCallEndsTo(stack, usual);
			});
			const png = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), randomBytes(62)]);
			const { sessionGuid: picture } = await control().addRecording({ content: png });
			const { sessionGuid: sealed } = await control().addRecording({ password: PASSWORD });
			for (const guid of [picture, sealed]) await control().sendCallEnd(guid);
			await fails(picture, /not deleted/);
			assert.deepEqual([ledger(picture).state, deletes(picture)], ['stored', 0]);
			// Its tag is checked on the way.
			await succeeds(sealed);
			assert.deepEqual(await archived(sealed), [ledger(sealed).storedSha256]);
			assert.equal(ledger(sealed).state, 'deleted');
		});
	}

	for (const [format, password] of [
		['opus', PASSWORD],
		['mp3', PASSWORD],
		['wav', null],
	] as const) {
		test(`a call that is recorded as ${format}, ${password ? 'encrypted' : 'plain'}, is archived`, async () => {
			control().clearLogs();
			const sessionGuid = await recordedCall(format, password);
			const execution = await succeeds(sessionGuid);
			await assertArchivedOnce(sessionGuid);
			// The name says when the call ended and whom it was with. Its extension is the format.
			const file = String((await filesOf(sessionGuid))[0]?.name);
			for (const part of [sessionGuid, '+15550100', `.${format}`]) assert.ok(file.includes(part));
			assert.match(file, /(?:^|_)\d\d-\d\d-\d\d_/);
			const [outcome] = execution.items('Delete recording from service');
			assert.equal(outcome?.json.deleted, true);
			assert.ok(outcome.json.archivedAt);
			const { archive: archiveName, file: address } = outcome.json;
			assert.equal(archiveName, ARCHIVES[name as ArchiveName]);
			// A path, a key or a name: it ends with the name of the file there.
			assert.ok(String(address).endsWith(file), String(address));
			// The service saw one download, then one delete, and nothing else.
			const path = `${RECORDINGS}/${sessionGuid}`;
			assert.deepEqual(
				control()
					.requests()
					.map((request) => `${request.method} ${request.path}`),
				[`GET ${path}`, `DELETE ${path}`],
			);
			// The service has recorded the reply to its webhook: 200 and a small JSON.
			const delivery = control()
				.deliveries()
				.find(({ event }) => event === 'CallEnd');
			assert.equal(delivery?.status, 200);
			assert.deepEqual(JSON.parse(delivery?.replyBody ?? ''), { received: true, sessionGuid });
		});
	}

	// One archive shows it: what a recording is does not depend on where it is stored.
	if (name === 'archive-to-folder') fileDecides();

	test('a recording whose CallEnd comes three times at once is archived once [fault 29]', async () => {
		const { sessionGuid } = await control().addRecording({ password: PASSWORD });
		await Promise.all([1, 2, 3].map(async () => await control().sendCallEnd(sessionGuid)));
		await executions(sessionGuid, 3);
		await assertArchivedOnce(sessionGuid);
	});

	test('three calls that end at once are archived, one of several megabytes, in a new folder', async () => {
		const endedAt = new Date(Date.now() - 3 * 24 * 3_600_000).toISOString();
		// The SFTP stand-in waits for each packet.
		const sizeBytes = name === 'archive-to-sftp' ? 1_000_000 : 7_000_000;
		const large = { format: 'wav', sizeBytes, password: PASSWORD } as const;
		const recordings = [{}, {}, large].map((one) => control().addRecording({ endedAt, ...one }));
		const guids = (await Promise.all(recordings)).map(({ sessionGuid }) => sessionGuid);
		await Promise.all(guids.map(async (guid) => await control().sendCallEnd(guid)));
		for (const guid of guids) {
			await succeeds(guid);
			await assertArchivedOnce(guid);
		}
	});

	suite('nothing to archive', { concurrency: true }, () => {
		// The file is named without the braces and a GUID in lower case, and must still be found.
		for (const sessionGuid of ['{3F2504E0-4F89-41D3-9A0C-0305E82C3301}', 'Call_20261121_A']) {
			test(`a repeated CallEnd for ${sessionGuid} ends quietly, and changes no file [fault 40]`, async () => {
				await control().addRecording({ sessionGuid });
				await control().sendCallEnd(sessionGuid);
				await succeeds(sessionGuid);
				assert.equal(deletes(sessionGuid), 1);
				const payload = { event: 'CallEnd', sessionGuid, recorded: true };
				await control().sendCallEnd(sessionGuid, payload);
				const execution = await succeeds(sessionGuid, 2);
				assert.deepEqual(execution.items(DOWNLOAD), []);
				// A sweep that has lost the race has nothing to do.
				assert.deepEqual(await sweptAlone(sessionGuid), {});
				await assertArchivedOnce(sessionGuid);
				assert.equal(deletes(sessionGuid), 1);
			});
		}

		test('a call that was not recorded ends quietly', async () => {
			control().setDefaultInstructions({ recordCall: false });
			const { sessionGuid } = control().placeCall({ to: '+15550100', durationSeconds: 1 });
			await control().completedCall(sessionGuid);
			const execution = await succeeds(sessionGuid);
			assert.equal(execution.nodes.at(-1), DOWNLOAD);
		});
	});

	test('a CallEnd that comes before the recording is waited for [fault 30]', async () => {
		control().setRecordingDelay(3_000);
		const sessionGuid = await recordedCall();
		await succeeds(sessionGuid);
		await assertArchivedOnce(sessionGuid);
	});

	suite('files whose names are known beforehand', { concurrency: 1 }, () => {
		// The stand-ins spoil a file by its name.
		before(async () => {
			const workflow = archive.configured();
			const { options } = nodeOf(workflow, DOWNLOAD).parameters as { options: object };
			Object.assign(options, {
				outputFileName: '{sessionGuid}.{extension}',
				waitUntilAvailable: 2,
			});
			usual = workflowId;
			workflowId = await publishArchive(stack, workflow);
		});
		after(async () => {
			workflowId = usual;
			await sendCallEndsTo(stack, usual);
		});
		let usual: string;

		const refusals: Array<[upload: string, how: Parameters<Archive['spoil']>[0]]> = [
			['that is stored altered', 'alter'],
			['that is stored in part', 'truncate'],
		];
		for (const [upload, how] of refusals) {
			test(`an upload ${upload} is never followed by a delete [fault 43] [promise 1]`, async () => {
				const endedAt = new Date(Date.now() - 60_000).toISOString();
				const { sessionGuid } = await control().addRecording({ password: PASSWORD, endedAt });
				// 7 days after its call ended.
				const keptUntil = new Date(Date.parse(endedAt) + 7 * 24 * 3_600_000).toISOString();
				await archive.spoil(how, `${sessionGuid}.opus`);
				await control().sendCallEnd(sessionGuid);
				const kept = `keeps the recording ${sessionGuid} until ${keptUntil}`;
				// The device that spoils a file of a folder cannot be read back.
				const isFolder = name === 'archive-to-folder';
				const why = isFolder ? 'is not a regular file' : `^The recording was not deleted.*${kept}`;
				await fails(sessionGuid, new RegExp(why));
				assert.equal(ledger(sessionGuid).state, 'stored');
				assert.equal(deletes(sessionGuid), 0);
			});
		}

		for (const repair of ['Retry', 'a redelivery'] as const) {
			test(`an upload that fails is the failed step, and ${repair} repairs it [fault 43]`, async () => {
				const { sessionGuid } = await control().addRecording({ password: PASSWORD });
				await archive.spoil('refuse', `${sessionGuid}.opus`);
				await control().sendCallEnd(sessionGuid);
				const [failed] = await executions(sessionGuid);
				assert.deepEqual([failed?.status, deletes(sessionGuid)], ['error', 0]);
				assert.match(String(failed?.nodes.at(-1)), /^(?:Upload|Write) recording/);
				await archive.mend?.(`${sessionGuid}.opus`);
				await (repair === 'Retry'
					? retry(stack.n8n, failed?.id)
					: control().sendCallEnd(sessionGuid));
				await succeeds(sessionGuid, 2);
				await assertArchivedOnce(sessionGuid);
			});
		}

		// A folder gives no answer that could be lost.
		if (name !== 'archive-to-folder') {
			test('an upload whose answer is lost is archived once by the next execution [fault 44]', async () => {
				const { sessionGuid } = await control().addRecording({ password: PASSWORD });
				await archive.spoil('loseAnswer', `${sessionGuid}.opus`);
				await control().sendCallEnd(sessionGuid);
				await executions(sessionGuid);
				await sweptAlone(sessionGuid);
				// Google Drive keeps both uploads, side by side.
				const contents = new Set(await archived(sessionGuid));
				assert.deepEqual([...contents], [ledger(sessionGuid).plainSha256]);
				assert.equal(ledger(sessionGuid).state, 'deleted');
			});
		}

		test('a cut file of exactly that name is repaired before anything is deleted', async () => {
			const { sessionGuid } = await control().addRecording({ password: PASSWORD });
			for (const extension of ['opus', 'json']) {
				await archive.place(`${sessionGuid}.${extension}`, Buffer.from('OggS'));
			}
			await control().sendCallEnd(sessionGuid);
			await succeeds(sessionGuid);
			assert.equal((await archived(sessionGuid)).at(-1), ledger(sessionGuid).plainSha256);
			assert.equal(ledger(sessionGuid).state, 'deleted');
		});

		test('if a folder has exactly that name, nothing is deleted before it is archived', async () => {
			const sessionGuid = randomUUID();
			for (const extension of ['opus', 'json']) {
				await archive.placeFolder(`${sessionGuid}.${extension}`);
			}
			await control().addRecording({ sessionGuid, password: PASSWORD });
			await control().sendCallEnd(sessionGuid);
			const [execution] = await executions(sessionGuid);
			// Where a name is a folder's or a file's, but not both, the execution fails and says why.
			const isDeleted = ['archive-to-google-drive', 'archive-to-s3'].includes(name);
			assert.deepEqual(
				[execution?.status, ledger(sessionGuid).state],
				isDeleted ? ['success', 'deleted'] : ['error', 'stored'],
				execution?.error?.message,
			);
			// With names that are new to the archive, the next execution archives it.
			const next = isDeleted ? workflowId : usual;
			const { archivedAt } = await sweptAlone(sessionGuid, next);
			assert.equal(Boolean(archivedAt), !isDeleted);
			assert.ok((await archived(sessionGuid)).includes(ledger(sessionGuid).plainSha256));
			assert.equal(ledger(sessionGuid).state, 'deleted');
		});
	});

	test('Retry of a failed DELETE deletes nothing: the archive may have changed', async () => {
		const { sessionGuid } = await control().addRecording({ password: PASSWORD });
		const match = { endpoint: 'deleteRecording' } as const;
		control().addFault({ match, times: 'always', fault: { kind: 'status', status: 500 } });
		await control().sendCallEnd(sessionGuid);
		const [failed] = await executions(sessionGuid);
		assert.equal(failed?.status, 'error');
		// The list of executions can be searched by it.
		const record = await stack.n8n.rest('GET', `/rest/executions/${failed?.id}`);
		assert.partialDeepStrictEqual(record, { customData: { sessionGuid } });
		control().clearFaults();
		const before = deletes(sessionGuid);
		await retry(stack.n8n, failed.id);
		const [, second] = await executions(sessionGuid, 2);
		assert.match(String(second?.error?.message), /not deleted: the proof is from an earlier/);
		assert.equal(deletes(sessionGuid), before);
		assert.equal(ledger(sessionGuid).state, 'stored');
	});

	for (const binaryMode of ['separate', 'combined']) {
		test(`nothing is deleted without the nodes that store and read back (${binaryMode} items)`, async () => {
			const { sessionGuid } = await control().addRecording({ password: PASSWORD });
			const variant = async (isOff: RegExp) => {
				const configured = archive.configured();
				const { nodes, ...workflow } = configured;
				const settings = { ...workflow.settings, binaryMode };
				const changed = nodes.map(({ parameters, ...node }) => {
					// In the mode "combined", a node that stores a file finds it in the JSON.
					const isStore = binaryMode === 'combined' && /^(?:Upload|Write) rec/.test(node.name);
					const given = Object.entries(parameters).map(([key, value]) => {
						if (isStore && value === 'data') return [key, '_files.data'];
						// There, the item of another node is its JSON.
						const isOther = binaryMode === 'combined' && typeof value === 'string';
						return [key, isOther ? value.replace('.item.json.', '.item.') : value];
					});
					// Its user has to choose a workflow first.
					const disabled = isOff.test(node.name) || node.name === 'Start after-archiving';
					return { ...node, parameters: Object.fromEntries(given) as object, disabled };
				});
				const all = { ...workflow, settings, nodes: changed } as typeof configured;
				const id = await stack.n8n.importWorkflow(all, stack.credentials);
				await stack.n8n.activate(id);
				return await sweptAlone(sessionGuid, id);
			};
			const offs = [/^(?:Upload|Write|Read)/, /^(?:Upload|Write) recording/, /^Read/];
			for (const isOff of name === 'archive-to-google-drive' ? offs.slice(0, 1) : offs) {
				assert.match(JSON.stringify(await variant(isOff)), /error/);
				assert.deepEqual([deletes(sessionGuid), ledger(sessionGuid).state], [0, 'stored']);
			}
			assert.ok((await variant(/^Note/)).archivedAt);
			assert.equal(ledger(sessionGuid).state, 'deleted');
		});
	}

	test('an altered recording is neither archived nor deleted [promise 3]', async () => {
		const { sessionGuid } = await control().addRecording({ password: PASSWORD });
		await control().tamper(sessionGuid, { flipBitAt: 500 });
		await control().sendCallEnd(sessionGuid);
		await fails(
			sessionGuid,
			new RegExp(`^The recording cannot be decrypted.*keeps the recording ${sessionGuid} until `),
		);
		assert.deepEqual(await archived(sessionGuid), []);
		assert.equal(ledger(sessionGuid).state, 'stored');
		assert.equal(deletes(sessionGuid), 0);
	});

	test('a sweep learns what became of a recording, wherever the nodes stand on the canvas', async () => {
		const { n8n, credentials } = stack;
		const { nodes, ...workflow } = archive.configured();
		const upsideDown = nodes.map((node) => {
			const [x, y] = node.position as [number, number];
			return { ...node, position: [x, -y] };
		});
		const id = await n8n.importWorkflow({ ...workflow, nodes: upsideDown }, credentials);
		await n8n.activate(id);
		const endedAt = new Date(Date.now() - 7_200_000).toISOString();
		const waiting: string[] = [];
		for (const password of [PASSWORD, undefined]) {
			waiting.push((await control().addRecording({ password, endedAt })).sessionGuid);
		}
		const sweep = await n8n.importWorkflow(sweepInto(id), credentials);
		const execution = await n8n.run(sweep, { trigger: SWEEP_TRIGGER });
		assert.deepEqual(
			execution.items(ARCHIVE_NODE).map(({ json }) => Boolean(json.archivedAt)),
			[true, true],
		);
		for (const sessionGuid of waiting) await assertArchivedOnce(sessionGuid);
	});

	// archive-to-folder comes with a path that no machine has: see unfilled.mts.
	if (name !== 'archive-to-folder') {
		test('it cannot be published before its user has said where to archive', async () => {
			const id = await stack.n8n.importWorkflow(readWorkflow(name), stack.credentials);
			await assert.rejects(
				stack.n8n.activate(id),
				/Node "Upload recording [^"]+":\s+- Missing or invalid required parameters/,
			);
		});
	}
}
