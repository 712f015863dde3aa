/**
 * Works on several items at a time, and yields the results in the order of the items. No more than `limit` items are
 * begun and not yet yielded.
 *
 * @param work never rejects
 */
export async function* inOrder<Item, Result>(
	items: Iterable<Item>,
	limit: number,
	work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result, void, undefined> {
	const begun: Promise<Result>[] = [];
	for (const item of items) {
		begun.push(work(item));
		const [first] = begun;
		if (begun.length < limit || !first) continue;
		yield await first;
		begun.shift();
	}
	yield* begun;
}
