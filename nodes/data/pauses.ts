import { sleep } from 'n8n-workflow';

/** So many items are processed before n8n gets on with its other work. */
const ITEMS_AT_ONCE = 1_000;

/** The same items, with a pause now and then, for a loop that does real work with each of them. */
export async function* withPauses<T>(
	items: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<T, void, undefined> {
	let count = 0;
	for await (const item of items) {
		yield item;
		count += 1;
		if (count % ITEMS_AT_ONCE === 0) await sleep(0);
	}
}
