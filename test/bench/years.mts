/** f. An archive of years: how long the workflows take that read all of it, and their memory. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createLedger } from '../../harness/ledger.mts';
import type { DataTable, N8n, Row } from '../../harness/n8n/n8n.mts';
import { publishPages, viewerAuthorization } from '../../harness/pages.mts';
import { startStack, type Stack } from '../../harness/stack.mts';
import { until } from '../../harness/until.mts';
import { archiveToFolder, rebuildFromFolder, verifyFolder } from '../../harness/workflows.mts';
import { isQuick, megabytes } from './measure.mts';
import type { Part } from './page.mts';

const COUNTS = isQuick ? [100] : [1_000, 10_000, 100_000];
/** Of more calls than these, rebuild-ledger enters one month, and the others are known before. */
const MAX_REBUILT = 10_000;
/** How many rows n8n takes at once. */
const ROWS_AT_ONCE = 1_000;
/** Each has a folder of its own, because a folder with many files is slow for everybody. */
const MONTHS = 60;
const monthOf = (index: number) => `month-${index % MONTHS}`;
const MONTH_MS = 30.4 * 24 * 3_600_000;
const TIMEOUT_MS = 3 * 3_600_000;
const CALL_END = 'When a call ends';

export const years: Part = {
	letter: 'f',
	title: 'An archive of years',
	text: [
		'The workflows that read a whole archive or a whole ledger, with a folder as the archive and',
		'SQLite as the database. The files of the calls are as archive-to-folder writes them, and',
		'short. rebuild-ledger enters up to 10,000 calls, and of 100,000 those of one month in 60. All',
		'rows are new, as rebuild-ledger leaves them. For two days after it, the status page reads',
		'each of them, and later only those of yesterday and today. Each figure is the time of one',
		'execution or one page, and how much more memory n8n needed meanwhile than before.',
	].join(' '),
	async measure() {
		const rows: string[][] = [];
		for (const count of COUNTS) {
			for (const [step, figure] of await measureAt(count)) {
				rows.push([count.toLocaleString('en-US'), step, seconds(figure.ms), growth(figure)]);
			}
		}
		return { head: ['Calls', 'Step', 'Time', 'Memory'], rows };
	},
};

interface StepFigure {
	ms: number;
	growthBytes: number;
}

/** What its metadata file says of a call. */
interface FirstCall {
	file: { sha256: string; bytes: number };
	endedAt: string;
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
const growth = ({ growthBytes }: StepFigure) => megabytes(Math.max(0, growthBytes));

async function measureAt(count: number): Promise<Map<string, StepFigure>> {
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-bench-'));
	const stack = await startStack({ n8n: { allowedPaths: [folder] } });
	const { n8n } = stack;
	const figures = new Map<string, StepFigure>();
	async function step(name: string, work: () => Promise<void>): Promise<void> {
		const before = n8n.memory().rssBytes;
		n8n.resetPeakMemory();
		const startMs = performance.now();
		await work();
		const ms = performance.now() - startMs;
		const { peakRssBytes = NaN } = n8n.memory();
		figures.set(name, { ms, growthBytes: peakRssBytes - before });
		console.log(`  ${count}, ${name}: ${seconds(ms)}, ${megabytes(peakRssBytes - before)}`);
	}
	try {
		const ledger = await createLedger(n8n);
		const rows = await fill(stack, folder, count);
		await publishPages(n8n, stack.credentials);
		const isAllRebuilt = count <= MAX_REBUILT;
		const month = join(folder, monthOf(MONTHS));
		const isOfMonth = ({ file }: Row) => String(file).startsWith(`${month}/`);
		const known = isAllRebuilt ? [] : rows.filter((row) => !isOfMonth(row));
		for (let at = 0; at < known.length; at += ROWS_AT_ONCE) {
			await ledger.insert(...known.slice(at, at + ROWS_AT_ONCE));
		}
		const missing = count - known.length;
		const what = isAllRebuilt ? 'all' : `${missing.toLocaleString('en-US')} of them`;
		const rebuild = await rebuilder(n8n, isAllRebuilt ? folder : month);
		await step(`rebuild-ledger, ${what} missing`, async () => await rebuild(missing, 0));
		await step(`rebuild-ledger, ${what} known`, async () => await rebuild(0, missing));
		await step('report-and-status, its page', async () => await page(n8n, 'status'));
		const number = encodeURIComponent(String(rows.at(-1)?.to));
		await step('find-a-call, by number', async () => await page(n8n, `find-a-call?q=${number}`));
		await step('forget-caller, what it would remove', async () => {
			await page(n8n, `forget-caller?number=${number}`);
		});
		await step('verify-archive, a night', async () => await verify(stack, ledger));
		return figures;
	} finally {
		await stack.stop();
		await rm(folder, { recursive: true, force: true });
	}
}

/**
 * Archives one call, and then writes the files of the others as those of the first.
 *
 * @returns the rows of the ledger about them
 */
async function fill(stack: Stack, folder: string, count: number): Promise<Row[]> {
	const { n8n, emulator } = stack;
	const archiveId = await n8n.importWorkflow(archiveToFolder(folder), stack.credentials);
	await n8n.activate(archiveId);
	const callEnd = await n8n.webhookUrl(archiveId, CALL_END);
	emulator.control.setWebhooks({ callEnd });
	const { sessionGuid } = await emulator.control.addRecording({ to: '+15550100' });
	await emulator.control.sendCallEnd(sessionGuid);
	const names = await until(
		async () => {
			const found = await readdir(folder);
			return found.length === 2 ? found : undefined;
		},
		() => 'The first call was not archived.',
	);
	await n8n.waitForExecutions({ workflowId: archiveId, count: 1 });
	await n8n.deactivate(archiveId);
	const name = names.find((one) => one.endsWith('.json')) ?? '';
	const first = await readFile(join(folder, name), 'utf8');
	const { file: stored, endedAt } = JSON.parse(first) as FirstCall;
	const { sha256, bytes } = stored;
	const recordingName = name.replace(/json$/, 'opus');
	const rowOf = (
		recordingKey: string,
		to: string,
		end: string,
		file: string,
		checksum: string,
		size: number,
	) => ({
		recordingKey,
		sessionGuid: recordingKey,
		status: 'archived',
		to,
		endedAt: end,
		archivedAt: end,
		archive: 'Folder',
		file: join(folder, file),
		sha256: checksum,
		bytes: size,
		deleted: true,
		deletedAt: end,
	});
	const rows: Row[] = [rowOf(sessionGuid, '+15550100', endedAt, recordingName, sha256, bytes)];

	// As many each day, the newest first.
	const endOf = (index: number) =>
		new Date(Date.parse(endedAt) - (index / count) * MONTHS * MONTH_MS).toISOString();
	const numberOf = (index: number) => `+1555${String(index % 1_000).padStart(7, '0')}`;
	for (let index = 1; index < count; index++) {
		const guid = randomUUID();
		const content = `recording of ${guid}`;
		const checksum = createHash('sha256').update(content).digest('hex');
		const metadata = first
			.replaceAll(sessionGuid, guid)
			.replaceAll('+15550100', numberOf(index))
			.replaceAll(endedAt, endOf(index))
			.replaceAll(sha256, checksum)
			.replace(`"bytes": ${bytes}`, `"bytes": ${content.length}`);
		const own = name.replaceAll(sessionGuid, guid).replaceAll('+15550100', numberOf(index));
		const month = monthOf(index);
		if (index <= MONTHS) await mkdir(join(folder, month));
		const file = join(month, own.replace(/json$/, 'opus'));
		await writeFile(join(folder, month, own), metadata);
		await writeFile(join(folder, file), content);
		rows.push(rowOf(guid, numberOf(index), endOf(index), file, checksum, content.length));
	}
	return rows;
}

/** Imports rebuild-ledger. What it returns runs it, and throws unless it counts so. */
async function rebuilder(n8n: N8n, folder: string) {
	const id = await n8n.importWorkflow(rebuildFromFolder(folder));
	await n8n.activate(id);
	return async (added: number, same: number) => {
		const execution = await n8n.run(id, {
			trigger: 'When you execute it',
			timeoutMs: TIMEOUT_MS,
		});
		const [item] = execution.items('Report what was entered');
		const counts = item?.json ?? {};
		if (counts.added !== added || counts.same !== same) {
			throw new Error(`${JSON.stringify(counts).slice(0, 500)}: ${execution.error?.message}`);
		}
	};
}

async function page({ url }: N8n, path: string): Promise<void> {
	const headers = { Authorization: viewerAuthorization() };
	const answer = await fetch(`${url}/webhook/voiceagent/${path}`, { headers });
	const html = await answer.text();
	if (!answer.ok || !html.includes('</h1>')) throw new Error(`${path}: ${answer.status} ${html}`);
}

async function verify({ n8n, credentials }: Stack, ledger: DataTable): Promise<void> {
	const id = await n8n.importWorkflow(verifyFolder(), credentials);
	const { status, error } = await n8n.run(id, { trigger: 'Every night', timeoutMs: TIMEOUT_MS });
	if (status !== 'success') throw new Error(error?.message);
	const checked = (await ledger.rows()).filter(({ verification }) => verification === 'whole');
	console.log(`  ${checked.length} files were checked.`);
}
