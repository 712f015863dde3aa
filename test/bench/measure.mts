import type { Stack } from '../../harness/stack.mts';

/** See bench.mts. */
export const isQuick = process.env.VOICEAGENT_BENCH === 'quick';

/** The middle one of an odd number of values. */
export function median(values: readonly number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

export async function timeMs(work: () => Promise<unknown>): Promise<number> {
	const start = performance.now();
	await work();
	return performance.now() - start;
}

/** The most memory that n8n has used since its peak was reset. */
export function peakBytes({ n8n }: Stack): number {
	const { peakRssBytes } = n8n.memory();
	if (peakRssBytes === undefined)
		throw new Error('Only Linux reports the peak memory of a process.');
	return peakRssBytes;
}
