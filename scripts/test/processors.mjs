/** How busy the processors of this machine are, with everything that runs on it. */
import { cpus } from 'node:os';

/** @typedef {{ busyMs: number, allMs: number }} ProcessorTimes since the machine started */

/** @returns {ProcessorTimes} of all processors together */
export function processorTimes() {
	let idleMs = 0;
	let allMs = 0;
	for (const { times } of cpus()) {
		idleMs += times.idle;
		allMs += times.user + times.nice + times.sys + times.idle + times.irq;
	}
	return { busyMs: allMs - idleMs, allMs };
}

/**
 * @param {ProcessorTimes} before
 * @returns {number} from 0 to 1
 */
export function busyShareSince(before) {
	const now = processorTimes();
	return (now.busyMs - before.busyMs) / Math.max(1, now.allMs - before.allMs);
}
