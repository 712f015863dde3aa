/**
 * How long code keeps the event loop. It is measured in CPU time, because other processes of this
 * machine must not count. Pauses of the garbage collector do not count either: they depend on all
 * that the process holds, most of which is the test's.
 */
import { performance, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

interface Turn {
	startMs: number;
	endMs: number;
	cpuMs: number;
}

/** The collector's pauses are known only some time later. */
const OBSERVED_MS = 20;

function cpuMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

/** @returns the CPU time that parsing the bytes as JSON takes on this machine, in milliseconds */
export function parsingMs(bytes: Buffer): number {
	const times = Array.from({ length: 3 }, () => {
		const startMs = cpuMs();
		JSON.parse(bytes.toString());
		return cpuMs() - startMs;
	});
	// Not the shortest: the turn that it is compared with is as long as it happens to be.
	return times.sort((one, other) => one - other)[1] ?? NaN;
}

/** @returns the longest turn of the event loop while `run` runs, in milliseconds of CPU time */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
	const turns: Turn[] = [];
	const pauses: Array<{ startTime: number; duration: number }> = [];
	const observer = new PerformanceObserver((list) => pauses.push(...list.getEntries()));
	observer.observe({ entryTypes: ['gc'] });
	let isOver = false;
	let startMs = performance.now();
	let startCpuMs = cpuMs();
	const turn = () => {
		const endMs = performance.now();
		turns.push({ startMs, endMs, cpuMs: cpuMs() - startCpuMs });
		startMs = performance.now();
		startCpuMs = cpuMs();
		if (!isOver) setImmediate(turn);
	};
	setImmediate(turn);
	try {
		await run();
		// The turn in which it ended counts too.
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
		isOver = true;
		await sleep(OBSERVED_MS);
		pauses.push(...observer.takeRecords());
	} finally {
		isOver = true;
		observer.disconnect();
	}
	const lengths = turns.map((one) => {
		const within = pauses.filter(
			({ startTime }) => startTime >= one.startMs && startTime < one.endMs,
		);
		return one.cpuMs - within.reduce((sum, { duration }) => sum + duration, 0);
	});
	return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}
