import { sleep } from 'n8n-workflow';

/** How long a computation may keep n8n from everything else, in milliseconds. */
const SLICE_MS = 15;
/** So many items are sorted at a time. */
const PIECE = 1_000;

/**
 * Breaks in a long computation, in which n8n goes on with its other work:
 * `if (breaks.isDue()) await breaks.take();` in each turn of its loop.
 */
export class Breaks {
	private sliceEndsMs = Date.now() + SLICE_MS;

	isDue(): boolean {
		return Date.now() >= this.sliceEndsMs;
	}

	async take(): Promise<void> {
		await sleep(0);
		this.sliceEndsMs = Date.now() + SLICE_MS;
	}
}

/** `items.map(change)` with breaks. */
export async function mapWithBreaks<T, U>(
	items: readonly T[],
	change: (item: T) => U,
): Promise<U[]> {
	const breaks = new Breaks();
	const changed: U[] = [];
	for (const item of items) {
		if (breaks.isDue()) await breaks.take();
		changed.push(change(item));
	}
	return changed;
}

/** `items.sort(compare)` with breaks, as a new list: short pieces are sorted, and then merged. */
export async function sortWithBreaks<T>(
	items: readonly T[],
	compare: (a: T, b: T) => number,
): Promise<T[]> {
	const breaks = new Breaks();
	let pieces: T[][] = [];
	for (let from = 0; from < items.length; from += PIECE) {
		if (breaks.isDue()) await breaks.take();
		pieces.push(items.slice(from, from + PIECE).sort(compare));
	}
	while (pieces.length > 1) {
		const merged: T[][] = [];
		for (let index = 0; index < pieces.length; index += 2) {
			const [first = [], second = []] = pieces.slice(index, index + 2);
			const both: T[] = [];
			for (let a = 0, b = 0; both.length < first.length + second.length; ) {
				if (breaks.isDue()) await breaks.take();
				const isFirst =
					b === second.length || (a < first.length && compare(first[a]!, second[b]!) <= 0);
				both.push(isFirst ? first[a++]! : second[b++]!);
			}
			merged.push(both);
		}
		pieces = merged;
	}
	return pieces[0] ?? [];
}

/** The same chunks with breaks, because a file that is in memory never waits. */
export async function* withBreaks<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
	const breaks = new Breaks();
	for await (const chunk of chunks) {
		if (breaks.isDue()) await breaks.take();
		yield chunk;
	}
}
