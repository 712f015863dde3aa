import { sleep } from 'n8n-workflow';

/** How long a computation may keep n8n from everything else, in milliseconds. */
const SLICE_MS = 15;
/** How many items are sorted at a time. */
const PIECE = 1_000;

/** When the slice of this turn of the event loop ends; `undefined` if no computation has begun in it. */
let sliceEndsMs: number | undefined;
let nextTurn: Promise<void> | undefined;

/**
 * Whether a long computation must take a break, in which n8n goes on with its other work:
 * `if (isBreakDue()) await takeBreak();` in each turn of its loop. All computations of one turn of the event loop share a
 * slice, those that follow one another too.
 */
export function isBreakDue(): boolean {
	const nowMs = Date.now();
	if (sliceEndsMs === undefined) {
		sliceEndsMs = nowMs + SLICE_MS;
		nextTurn = sleep(0).then(() => (sliceEndsMs = undefined));
	}
	return nowMs >= sliceEndsMs;
}

export async function takeBreak(): Promise<void> {
	await nextTurn;
}

/** `items.map(change)` with breaks. */
export async function mapWithBreaks<T, U>(
	items: readonly T[],
	change: (item: T) => U,
): Promise<U[]> {
	const changed: U[] = [];
	for (const item of items) {
		if (isBreakDue()) await takeBreak();
		changed.push(change(item));
	}
	return changed;
}

/** `items.sort(compare)` with breaks, as a new list: short pieces are sorted, and then merged. */
export async function sortWithBreaks<T>(
	items: readonly T[],
	compare: (a: T, b: T) => number,
): Promise<T[]> {
	let pieces: T[][] = [];
	for (let from = 0; from < items.length; from += PIECE) {
		if (isBreakDue()) await takeBreak();
		pieces.push(items.slice(from, from + PIECE).sort(compare));
	}
	while (pieces.length > 1) {
		const merged: T[][] = [];
		for (let index = 0; index < pieces.length; index += 2) {
			const [first = [], second = []] = pieces.slice(index, index + 2);
			const both: T[] = [];
			for (let a = 0, b = 0; both.length < first.length + second.length; ) {
				if (isBreakDue()) await takeBreak();
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

/** Keeps only the first few of many items in an order. */
export class First<T> {
	private items: T[] = [];

	constructor(
		private readonly count: number,
		private readonly compare: (a: T, b: T) => number,
	) {}

	async add(more: readonly T[]): Promise<void> {
		for (const item of more) this.items.push(item);
		// Not for each page: to sort takes longer than to keep twice as many.
		if (this.items.length > 2 * this.count + PIECE) await this.sorted();
	}

	async sorted(): Promise<T[]> {
		this.items = (await sortWithBreaks(this.items, this.compare)).slice(0, this.count);
		return this.items;
	}
}

/** The same chunks with breaks, because a file that is in memory never waits. */
export async function* withBreaks<T>(chunks: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
	for await (const chunk of chunks) {
		if (isBreakDue()) await takeBreak();
		yield chunk;
	}
}
