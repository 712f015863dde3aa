/** What all parts share: ways that take turns, medians, and how far the values lie apart. */
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { postWebhook } from '../../harness/webhook.mts';

/** See bench.mts. */
export const isQuick = process.env.VOICEAGENT_BENCH === 'quick';

/**
 * A row calls itself noisy if its lowest and its highest value are further apart than this, in
 * parts of the median.
 */
const NOISY = 0.2;

/** Several values of one quantity. */
export interface Figure {
	/** In the order of the rounds. */
	values: readonly number[];
	median: number;
	min: number;
	max: number;
}

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((one, other) => one - other);
	return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function figure(values: readonly number[]): Figure {
	return { values, median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

/** The last cell of a row: empty, or how far its values lie apart. */
export function noise(...figures: readonly Figure[]): string {
	const most = Math.max(...figures.map(({ min, max, median }) => (max - min) / median));
	return most > NOISY ? `noisy: ${Math.round(most * 100)} %` : '';
}

type Way = () => Promise<Record<string, number>>;

/** What a way has returned, as figures. */
type Figures<W> = W extends () => Promise<infer Values> ? Record<keyof Values, Figure> : undefined;

/**
 * Runs several ways of doing the same in turn, so that a change of the machine meets all of them.
 * The first round warms up, and is not counted. A quick benchmark has no such round.
 *
 * @returns the figures of each way by the names of its values
 */
export async function inTurns<Ways extends Partial<Record<string, Way>>>(
	rounds: number,
	ways: Ways,
): Promise<{ [Name in keyof Ways]: Figures<Ways[Name]> }> {
	const samples = new Map<string, Array<Record<string, number>>>();
	for (let round = isQuick ? 1 : 0; round <= rounds; round++) {
		for (const [name, way] of Object.entries(ways)) {
			if (!way) continue;
			const values = await way();
			const shown = Object.entries(values).map(([key, value]) => `${key} ${value.toFixed(1)}`);
			console.log(`  ${round === 0 ? 'warm-up' : `round ${round}`}, ${name}: ${shown.join(', ')}`);
			if (round > 0) samples.set(name, [...(samples.get(name) ?? []), values]);
		}
	}
	return Object.fromEntries(
		[...samples].map(([name, all]) => [
			name,
			Object.fromEntries(
				Object.keys(all[0] ?? {}).map((key) => [key, figure(all.map((one) => one[key] ?? NaN))]),
			),
		]),
	) as { [Name in keyof Ways]: Figures<Ways[Name]> };
}

/**
 * Sends webhooks with these bodies, several at once.
 * @returns how long that takes, in milliseconds
 */
export async function sendAll(
	url: string,
	bodies: readonly object[],
	atOnce: number,
): Promise<number> {
	const left = [...bodies];
	const startMs = performance.now();
	const sender = async () => {
		for (let body = left.pop(); body !== undefined; body = left.pop()) {
			const answer = await postWebhook(url, JSON.stringify(body));
			if (!answer.ok) throw new Error(`A webhook was answered with ${answer.status}`);
		}
	};
	await Promise.all(Array.from({ length: atOnce }, sender));
	return performance.now() - startMs;
}

/** Starts a program of this folder. `nextLine` is what it prints. */
export function startProgram(
	name: string,
	...args: string[]
): { child: ChildProcess; nextLine: () => Promise<string> } {
	const child = spawn(process.execPath, [join(import.meta.dirname, name), ...args], {
		stdio: ['pipe', 'pipe', 'inherit'],
	});
	const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
	const nextLine = async () => {
		const { done, value } = await lines.next();
		if (done) throw new Error(`${name} has ended.`);
		return value;
	};
	return { child, nextLine };
}

/** Linux counts the CPU time of a process in hundredths of a second: proc_pid_stat(5). */
const MS_PER_TICK = 10;

/** CPU time that a process has used, all its threads together, and its children. */
export function cpuMs(pid: number): number {
	const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
	const living = children === '' ? [] : children.split(' ').map((child) => ownMs(Number(child)));
	return living.reduce((sum, ms) => sum + ms, ownMs(pid));
}

/** Also that of children that have ended. */
function ownMs(pid: number): number {
	const [, fields = ''] = /\) (.*)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
	const ticks = fields.split(' ').slice(11, 15).map(Number);
	return ticks.reduce((sum, value) => sum + value) * MS_PER_TICK;
}

export const seconds = ({ median }: Figure): string => `${(median / 1000).toFixed(2)} s`;
/** So that figures have two digits or more. */
function decimalsFor(ms: number): number {
	if (ms < 1) return 2;
	return ms < 10 ? 1 : 0;
}
export const milliseconds = ({ median }: Figure): string =>
	`${median.toFixed(decimalsFor(median))} ms`;
/** The median of the ratios of the rounds: what slows the machine down for a while slows both. */
export const ratio = (one: Figure, other: Figure): string =>
	median(one.values.map((value, round) => value / (other.values[round] ?? NaN))).toFixed(2);
export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
