/** e. Webhooks and archived recordings per second in queue mode, and what each process does. */
import { setTimeout as sleep } from 'node:timers/promises';

import { startFleet, type Fleet } from '../../harness/fleet.mts';
import { PASSWORD } from '../../harness/stack.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { cpuMs, sendAll } from './measure.mts';
import type { Part } from './page.mts';

const RECORDINGS = 40;
const SIZE_BYTES = 300_000;
const WEBHOOKS_AT_ONCE = 20;
const WORKERS = [1, 2, 4];
const CONCURRENCIES = [5, 20];

const PROCESSES = ['main', 'webhook', 'workers', 'PostgreSQL', 'Redis'] as const;

export const fleet: Part = {
	letter: 'e',
	title: 'Archiving in queue mode',
	text: [
		'archive-to-folder with main, one webhook process and workers, with PostgreSQL and Redis on',
		`the same machine, ${SIZE_BYTES / 1000} kB encrypted, ${WEBHOOKS_AT_ONCE} webhooks at once,`,
		'`N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE=true`. The columns from main to Redis show the CPU time',
		'per recording.',
	].join(' '),
	missing: () => missingServer('PostgreSQL', 'Redis'),
	async measure() {
		const { rows, bytes } = await measureFleet();
		const head = ['Workers', 'Concurrency', 'Webhooks per second', 'Archived per second'];
		return {
			head: [...head, ...PROCESSES, 'Room in PostgreSQL'],
			rows: rows.map((row) => [...row, `${Math.round(bytes / 1000)} kB`]),
		};
	},
};

/** The rows, and how much the database grows with each recording. */
async function measureFleet(): Promise<{ rows: string[][]; bytes: number }> {
	const archive = await folderArchive();
	const running = await startFleet({
		workers: 0,
		allowedPaths: archive.n8n.allowedPaths,
		env: { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' },
	});
	try {
		const { n8n, credentials } = running.stack;
		const id = await n8n.importWorkflow(archive.configured(), credentials);
		await n8n.activate(id);
		const url = await running.webhookUrl(id, 'When a call ends');
		const rows: string[][] = [];
		let bytes = 0;
		for (const concurrency of CONCURRENCIES) {
			const first = running.workers.length;
			for (const workers of WORKERS) {
				while (running.workers.length - first < workers) {
					await running.start('worker', { N8N_CONCURRENCY_PRODUCTION_LIMIT: String(concurrency) });
				}
				const pids = running.workers.slice(first).map(({ pid }) => pid);
				// What is done for the first time takes longer.
				await archiveAll(running, url, await addRecordings(running, WEBHOOKS_AT_ONCE));
				const before = await databaseBytes(running);
				const row = [String(workers), String(concurrency), ...(await speedOf(running, url, pids))];
				console.log(row.join(', '));
				rows.push(row);
				bytes += (await databaseBytes(running)) - before;
			}
			for (const worker of running.workers.slice(first)) await worker.stop();
		}
		return { rows, bytes: bytes / (rows.length * RECORDINGS) };
	} finally {
		await running.stop();
		await archive.close();
	}
}

/** Webhooks and archived recordings per second, and CPU time for each recording, by process. */
async function speedOf(fleet: Fleet, url: string, workers: readonly number[]): Promise<string[]> {
	const pids: Record<(typeof PROCESSES)[number], readonly number[]> = {
		main: [fleet.stack.n8n.pid],
		webhook: [fleet.webhooks.pid],
		workers,
		PostgreSQL: [fleet.postgres.pid],
		Redis: [fleet.redis.pid],
	};
	const used = () => PROCESSES.map((name) => pids[name].reduce((sum, pid) => sum + cpuMs(pid), 0));
	const guids = await addRecordings(fleet, RECORDINGS);
	const before = used();
	const { webhooksMs, archivedMs } = await archiveAll(fleet, url, guids);
	return [
		...[webhooksMs, archivedMs].map((ms) => ((RECORDINGS * 1000) / ms).toFixed(1)),
		...used().map((ms, index) => `${((ms - Number(before[index])) / RECORDINGS).toFixed(0)} ms`),
	];
}

async function addRecordings({ stack }: Fleet, count: number): Promise<string[]> {
	const guids: string[] = [];
	for (let index = 0; index < count; index++) {
		const recording = { sizeBytes: SIZE_BYTES, password: PASSWORD };
		guids.push((await stack.emulator.control.addRecording(recording)).sessionGuid);
	}
	return guids;
}

/** Ends calls, and waits until their recordings are archived and deleted. */
async function archiveAll(
	{ stack }: Fleet,
	url: string,
	guids: readonly string[],
): Promise<{ webhooksMs: number; archivedMs: number }> {
	const { control } = stack.emulator;
	const all = new Set(guids);
	const startMs = performance.now();
	const bodies = guids.map((sessionGuid) => ({ event: 'CallEnd', sessionGuid, recorded: true }));
	const webhooksMs = await sendAll(url, bodies, WEBHOOKS_AT_ONCE);
	const isOpen = () =>
		control
			.recordings()
			.some(({ sessionGuid, state }) => all.has(sessionGuid) && state !== 'deleted');
	while (isOpen()) await sleep(50);
	return { webhooksMs, archivedMs: performance.now() - startMs };
}

async function databaseBytes({ postgres }: Fleet): Promise<number> {
	const [row] = await postgres.query('SELECT pg_database_size(current_database()) AS bytes');
	return Number(row?.bytes);
}
