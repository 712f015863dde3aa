import { sleep } from 'n8n-workflow';

/** How long a computation may keep n8n from everything else, in milliseconds. */
const SLICE_MS = 15;

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
