import { setTimeout as sleep } from 'node:timers/promises';

/** Between an answer and the next question, so that the questions cost little. */
const PAUSE_MS = 5;

/** The longest that an address takes to answer while something runs, in milliseconds. */
export async function slowestAnswer(url: string, run: () => Promise<unknown>): Promise<number> {
	let slowest = 0;
	let isOver = false;
	const ask = async () => {
		while (!isOver) {
			const start = performance.now();
			await (await fetch(url)).text();
			slowest = Math.max(slowest, performance.now() - start);
			await sleep(PAUSE_MS);
		}
	};
	const asked = ask();
	try {
		await run();
	} finally {
		isOver = true;
		await asked;
	}
	return slowest;
}
