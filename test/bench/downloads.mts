/**
 * a. Download with Decrypt against other ways to the same file: their time, their memory, and how
 * quickly n8n answers meanwhile.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { WorkflowNode } from '../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';
import { codeNode, httpRequest } from './handBuiltFlow.mts';
import {
	inTurns,
	megabytes,
	milliseconds,
	noise,
	ratio,
	seconds,
	startProgram,
} from './measure.mts';
import { downloadNode, startN8nAt, type N8nAtServer } from './n8nAtServer.mts';
import type { Part } from './page.mts';
import { serve, type FileServer, type RecordingSet } from './recordingSets.mts';
import { slowestAnswer } from './slowestAnswer.mts';

const SETS: Array<RecordingSet & { name: string; rounds: number; byHand: boolean }> = [
	{ name: '100 × 300 KB', count: 100, bytes: 300_000, rounds: 5, byHand: true },
	{ name: '20 × 5 MB', count: 20, bytes: 5_000_000, rounds: 3, byHand: true },
	// A Code node holds the file in memory as a whole, several times.
	{ name: '1 × 1 GiB', count: 1, bytes: 1024 ** 3, rounds: 3, byHand: false },
].map((set) => ({ ...set, encrypted: true }));
const LARGE = SETS.length - 1;
const ENV = { NODE_FUNCTION_ALLOW_BUILTIN: 'crypto' };

const WAYS = {
	ours: 'Download, 4 at once',
	plain: "n8n's download, still encrypted",
	besideKeys: "n8n's download, and the keys in another process",
	byHand: 'HTTP Request + Code',
	script: 'Script without n8n',
	keys: 'The keys alone, on all processors',
} as const;
/** Ways that do not keep n8n busy. */
const OUTSIDE: readonly string[] = ['script', 'keys'];

export const downloads: Part = {
	letter: 'a',
	title: 'Download',
	text: [
		'The same encrypted recordings, downloaded in several ways: with the node, which decrypts and',
		"checks them; with n8n's HTTP Request node alone, which only stores them; the same while",
		'another process derives as many keys, which is the least that any node needs; with HTTP',
		'Request and a Code node that decrypts; with a script that downloads, decrypts, hashes and',
		'writes one file after the other; and the keys alone. The slowest answer is that of',
		"n8n's `/healthz`, requested every few milliseconds in a separate execution, because questions",
		'take processor time. Growth is the additional memory that n8n needs, in a process that has just',
		'started and in one that has done the same before.',
	].join(' '),
	async measure() {
		const server = await serve(SETS);
		try {
			const fresh = {
				ours: await freshGrowth(server, downloadNode),
				plain: await freshGrowth(server, httpRequest(server.url)),
			};
			const at = await startN8nAt(server, { env: ENV });
			try {
				const measured = [];
				for (const [index, set] of SETS.entries()) {
					measured.push(await compare(server, at, index, set));
				}
				const rows = measured.flatMap(({ name, figures }, index) =>
					Object.entries(figures).map(([way, { ms, slowest, growth }]) => [
						name,
						WAYS[way as keyof typeof WAYS],
						seconds(ms),
						ratio(ms, figures.plain.ms),
						OUTSIDE.includes(way) ? '' : milliseconds(slowest),
						OUTSIDE.includes(way) ? '' : growthCell(growth.median, index, fresh[way as 'ours']),
						noise(ms),
					]),
				);
				const head = [
					'Recordings',
					'Way',
					'Time',
					"To n8n's download",
					'Slowest answer',
					'Growth',
					'',
				];
				return { head, rows };
			} finally {
				await at.stop();
			}
		} finally {
			await server.stop();
		}
	},
};

function growthCell(warm: number, set: number, fresh: number | undefined): string {
	return set === LARGE && fresh !== undefined
		? `${megabytes(warm)}, fresh ${megabytes(fresh)}`
		: megabytes(warm);
}

/** How far the memory of an n8n that has just started grows with the large recording. */
async function freshGrowth(server: FileServer, node: WorkflowNode): Promise<number> {
	const at = await startN8nAt(server);
	try {
		const run = await at.importFlow(server.guids(LARGE, 1), [node]);
		return await growthDuring(at, run);
	} finally {
		await at.stop();
	}
}

async function growthDuring({ n8n }: N8nAtServer, work: () => Promise<unknown>): Promise<number> {
	const before = n8n.memory().rssBytes;
	n8n.resetPeakMemory();
	await work();
	const { peakRssBytes } = n8n.memory();
	if (peakRssBytes === undefined)
		throw new Error('Only Linux reports the peak memory of a process.');
	return peakRssBytes - before;
}

async function compare(
	server: FileServer,
	at: N8nAtServer,
	index: number,
	{ name, count, bytes, rounds, byHand }: (typeof SETS)[number],
) {
	console.log(`  ${name}`);
	const guids = server.guids(index, count);
	const flows = {
		ours: await at.importFlow(guids, [downloadNode]),
		plain: await at.importFlow(guids, [httpRequest(server.url)]),
		...(count > 1 && { besideKeys: await at.importFlow(guids, [httpRequest(server.url)]) }),
		...(byHand && { byHand: await at.importFlow(guids, [httpRequest(server.url), codeNode]) }),
	};
	/** A file that is only stored is longer by its header and tag. */
	const expected = (way: string) =>
		count * (way === 'plain' || way === 'besideKeys' ? bytes + 44 : bytes);
	const ways = Object.fromEntries(
		Object.entries(flows).map(([way, runFlow]) => [
			way,
			async () => {
				const once = async () => {
					const keys = way === 'besideKeys' ? await keyProcess(count) : undefined;
					const [run, keysMs = 0] = await Promise.all([runFlow(), keys?.()]);
					if (run.outputBytes !== expected(way)) {
						throw new Error(`${way}: ${run.outputBytes} of ${expected(way)} bytes`);
					}
					return Math.max(run.ms, keysMs);
				};
				let ms = NaN;
				const growth = await growthDuring(at, async () => {
					ms = await once();
				});
				at.removeFiles();
				// Questions take processor time, so they are not asked while the time is taken.
				const slowest = await slowestAnswer(`${at.n8n.url}/healthz`, once);
				at.removeFiles();
				return { ms, slowest, growth };
			},
		]),
	) as Record<keyof typeof flows, () => Promise<{ ms: number; slowest: number; growth: number }>>;
	const figures = await inTurns(rounds, {
		...ways,
		script: async () => ({ ms: await scriptMs(server, guids), slowest: 0, growth: 0 }),
		...(count > 1 && {
			keys: async () => ({ ms: await (await keyProcess(count))(), slowest: 0, growth: 0 }),
		}),
	});
	return { name, figures };
}

/** A process that derives keys when it is told to, and says how long that took, in milliseconds. */
async function keyProcess(count: number): Promise<() => Promise<number>> {
	const { child, nextLine } = startProgram('keyProcess.mts', String(count));
	await nextLine();
	return async () => {
		child.stdin?.end('go');
		return Number(await nextLine());
	};
}

/**
 * How long the work itself takes, without n8n and without the guarantees: the time from the first
 * request of a script to its end.
 */
async function scriptMs({ url }: FileServer, guids: readonly string[]): Promise<number> {
	const folder = mkdtempSync(join(tmpdir(), 'voiceagent-bench-'));
	try {
		const { nextLine } = startProgram('bareDownload.mts', folder, PASSWORD, url, guids.join());
		return Number(await nextLine());
	} finally {
		rmSync(folder, { recursive: true });
	}
}
