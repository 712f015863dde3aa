import { withPauses } from '../data/pauses';

/**
 * Like `Promise.all(items.map(task))` with at most `limit` tasks at once. Results are in the order
 * of the items.
 *
 * After a task has failed, no other one begins, and those that are running finish.
 *
 * @throws the error of the first item that failed
 */
export async function mapConcurrently<Item, Result>(
	items: readonly Item[],
	limit: number,
	task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Array<Promise<Result>> = [];
	const pending = withPauses(items.entries());

	async function work(): Promise<void> {
		for await (const [index, item] of pending) {
			const result = task(item, index);
			results[index] = result;
			// If this throws, the loop ends, and with it the iteration that all workers share: the others
			// get no further item.
			await result;
		}
	}

	await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, work));
	return await Promise.all(results);
}
