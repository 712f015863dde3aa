import { withPauses } from '../data/pauses';

/**
 * Like `Promise.all(items.map(task))` with at most `limit` tasks at once. Results are in the order of the items.
 *
 * After a task has failed, no other one begins and those that are running finish. Then it throws the error of the first
 * item that failed.
 */
export async function mapConcurrently<Item, Result>(
	items: readonly Item[],
	limit: number,
	task: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const errors: unknown[] = [];
	const pending = withPauses(items.entries());

	async function work(): Promise<void> {
		for await (const [index, item] of pending) {
			try {
				results[index] = await task(item, index);
			} catch (error) {
				errors[index] = error;
				// This also ends the loops of the others.
				return;
			}
		}
	}

	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
	for (const index of errors.keys()) if (index in errors) throw errors[index];
	return results;
}
