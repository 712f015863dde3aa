/** How long code keeps the event loop, in CPU time: what other processes take of this machine does not count. */

function cpuMs(): number {
	const { user, system } = process.threadCpuUsage();
	return (user + system) / 1000;
}

/** @returns the longest turn of the event loop while `run` runs, in milliseconds of CPU time */
export async function longestTurn(run: () => Promise<unknown>): Promise<number> {
	let longest = 0;
	let isOver = false;
	let last = cpuMs();
	const turn = () => {
		longest = Math.max(longest, cpuMs() - last);
		last = cpuMs();
		if (!isOver) setImmediate(turn);
	};
	setImmediate(turn);
	try {
		await run();
		// The turn in which it ended counts too.
		await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
	} finally {
		isOver = true;
	}
	return longest;
}
