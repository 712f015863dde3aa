import { isBreakDue, takeBreak } from '../data/breaks';

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
	const failures: Array<{ index: number; error: unknown }> = [];
	const pending = items.entries();

	async function work(): Promise<void> {
		for (const [index, item] of pending) {
			if (isBreakDue()) await takeBreak();
			try {
				results[index] = await task(item, index);
			} catch (error) {
				failures.push({ index, error });
			}
			if (failures.length > 0) return;
		}
	}

	await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
	const [first] = failures.sort((a, b) => a.index - b.index);
	if (first) throw first.error;
	return results;
}
