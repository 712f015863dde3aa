/**
 * 1,000 calls are archived, the database of n8n is deleted, and an empty n8n gets its ledger back
 * with rebuild-ledger. Its pages and checks answer as those of the first n8n did.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { createLedger, entered, LEDGER } from '../../harness/ledger.mts';
import { packedPackage, startN8n, type N8n, type Row } from '../../harness/n8n/n8n.mts';
import { publishPages, viewerAuthorization } from '../../harness/pages.mts';
import { createCredentials } from '../../harness/serviceAccess.mts';
import { addService, PASSWORD, type Stack } from '../../harness/stack.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { until } from '../../harness/until.mts';
import {
	archiveToFolder,
	rebuildFromFolder,
	verifyFolder,
	withLedger,
} from '../../harness/workflows.mts';
import { publishArchive } from '../n8n/archived.mts';
import { succeeded } from '../n8n/suite.mts';

const CALLS = 1_000;
const AT_ONCE = 20;
const NUMBERS = 100;
/** verify-archive checks so many new files and so many that it has checked before. */
const CHECKED_A_NIGHT = 40;
const numberOf = (call: number) => `+1555${String(call % NUMBERS).padStart(7, '0')}`;

test('the ledger of 1,000 calls comes back in an empty n8n', async (t) => {
	const folderOf = async (name: string) => {
		const folder = await mkdtemp(join(tmpdir(), `voiceagent-${name}-`));
		t.after(async () => await rm(folder, { recursive: true, force: true, maxRetries: 3 }));
		return folder;
	};
	const archive = await folderOf('archive');
	const lostHome = await folderOf('lost');
	const packages = [packedPackage()];
	const first = await startN8n({ packages, allowedPaths: [archive], userFolder: lostHome });
	t.after(async () => await first.stop());
	const stack = await addService(first);
	t.after(async () => await stack.stop());
	await createLedger(first);
	await publishPages(first, stack.credentials);
	await publishArchive(stack, withLedger(archiveToFolder(archive)));
	await archiveCalls(stack);
	const before = await answersOf(first, stack);
	const rows = await rowsOf(first);
	assert.equal(rows.size, CALLS);

	await first.stop({ kill: true });
	await rm(lostHome, { recursive: true, maxRetries: 3 });
	const n8n = await startN8n({
		packages,
		allowedPaths: [archive],
		userFolder: await folderOf('empty'),
	});
	t.after(async () => await n8n.stop());
	assert.equal(await n8n.dataTable(LEDGER), undefined);
	const credentials = await createCredentials(
		stack.emulator,
		async (credential) => await n8n.createCredential(credential),
	);
	await createLedger(n8n);
	await publishPages(n8n, credentials);
	const rebuild = await n8n.importWorkflow(rebuildFromFolder(archive));
	await n8n.activate(rebuild);
	const report = async () => {
		const run = { trigger: 'When you execute it', timeoutMs: 1_200_000 };
		const [item] = succeeded(await n8n.run(rebuild, run)).items('Report what was entered');
		const { added, corrected, same, problems } = item?.json ?? {};
		return { added, corrected, same, problems };
	};
	const none = { added: 0, corrected: 0, same: 0, problems: [] };
	assert.deepEqual(await report(), { ...none, added: CALLS });
	assert.deepEqual(await report(), { ...none, same: CALLS });

	const rebuilt = await rowsOf(n8n);
	assert.equal(rebuilt.size, CALLS);
	for (const [key, row] of rebuilt) assert.deepEqual(known(row), known(rows.get(key)));
	assert.deepEqual(await answersOf(n8n, { ...stack, n8n, credentials }), before);
});

/** The service ends all calls, and the archive workflow takes them. */
async function archiveCalls({ n8n, emulator: { control } }: Stack): Promise<void> {
	for (let call = 0; call < CALLS; call += AT_ONCE) {
		const some = Array.from({ length: AT_ONCE }, async (_, index) => {
			const numbers = { to: numberOf(call + index), from: '+15550199' };
			const { sessionGuid } = await control.addRecording({ ...numbers, password: PASSWORD });
			await control.sendCallEnd(sessionGuid);
		});
		await Promise.all(some);
		const count = call + AT_ONCE;
		const isDeleted = ({ state }: { state: string }) => state === 'deleted';
		await until(
			() => control.recordings().filter(isDeleted).length === count,
			() => `${count} calls were not archived within three minutes.`,
		);
	}
	await until(async () =>
		[...(await rowsOf(n8n)).values()].every(({ deletedAt }) => Boolean(deletedAt)),
	);
}

/** The rows of the ledger, by the key of the recording. */
async function rowsOf(n8n: N8n): Promise<Map<string, Row>> {
	const rows = (await (await n8n.dataTable(LEDGER))?.rows()) ?? [];
	return new Map(rows.map((row) => [String(row.recordingKey), entered(row)]));
}

/** What the ledger and the metadata file both know of a recording. */
function known(row: Row = {}): unknown[] {
	const { recordingKey, sessionGuid, to, from, endedAt, bytes, file, archive } = row;
	return [recordingKey, sessionGuid, to, from, endedAt, bytes, row.sha256, file, archive];
}

/** What the pages of report-and-status, find-a-call and forget-caller and verify-archive say. */
async function answersOf(n8n: N8n, { credentials }: Stack) {
	const headers = { Authorization: viewerAuthorization() };
	const get = async (page: string) => {
		const answer = await fetch(`${n8n.url}/webhook/voiceagent/${page}`, { headers });
		assert.equal(answer.status, 200, page);
		return Buffer.from(await answer.arrayBuffer());
	};
	const text = async (page: string) => String(await get(page));
	const number = encodeURIComponent(numberOf(7));
	const found = guidsIn(await text(`find-a-call?q=${number}`));
	assert.equal(found.length, CALLS / NUMBERS);
	const played: string[] = [];
	for (const sessionGuid of found) {
		const source = /<audio [^>]*src="([^"]+)"/.exec(await text(`find-a-call?call=${sessionGuid}`));
		assert.ok(source?.[1], sessionGuid);
		played.push(sha256(await get(source[1].replaceAll('&amp;', '&'))));
	}
	const verify = await n8n.importWorkflow(verifyFolder(), credentials);
	succeeded(await n8n.run(verify, { trigger: 'Every night', timeoutMs: 600_000 }));
	const whole = [...(await rowsOf(n8n)).values()].filter((row) => row.verification === 'whole');
	const { days } = JSON.parse(await text('status.json')) as { days: unknown };
	return {
		days,
		status: /<h1>[^<]*<\/h1>/.exec(await text('status'))?.[0],
		found,
		played,
		checkedFiles: Math.min(whole.length, CHECKED_A_NIGHT),
		forgotten: guidsIn(await text(`forget-caller?number=${number}`)),
	};
}

const GUID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gi;
const guidsIn = (html: string) =>
	[...new Set(html.match(GUID)?.map((guid) => guid.toLowerCase()))].sort();
