/** Collects jobs and runs them one after the other, the last one first. */
export function createReversingQueue(signal: AbortSignal) {
	let held: (() => Promise<unknown>)[] = [];
	let timer: NodeJS.Timeout | undefined;

	async function release(): Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		const jobs = held.reverse();
		held = [];
		for (const job of jobs) await job();
	}
	signal.addEventListener('abort', () => void release());

	return {
		/** Holds the job back until `size` are held or `waitMs` have passed since the first. */
		run<T>(size: number, waitMs: number, job: () => Promise<T>): Promise<T> {
			const { promise, resolve } = Promise.withResolvers<T>();
			held.push(async () => {
				const outcome = job();
				resolve(outcome);
				await outcome;
			});
			if (held.length >= size || signal.aborted) void release();
			else timer ??= setTimeout(() => void release(), waitMs);
			return promise;
		},
	};
}
