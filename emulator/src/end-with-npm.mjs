/**
 * Ends a program together with the npm that runs it. npm passes SIGTERM and SIGINT on to the shell of its script, which
 * leaves the program behind, and nothing passes SIGHUP and SIGKILL on. Plain JavaScript without imports of packages,
 * because the set-up uses it before anything is installed.
 */
import { readFileSync } from 'node:fs';

const INTERVAL_MS = 250;

/**
 * Calls `end` once npm is gone. Does nothing if no npm runs this program, which may then outlive its parent.
 *
 * @param {() => void} end
 */
export function endWithNpm(end) {
	if (process.env['npm_lifecycle_event'] === undefined) return;
	const { ppid } = process;
	const npm = shellParent(ppid);
	const timer = setInterval(() => {
		if (process.ppid === ppid && (npm === undefined || shellParent(ppid) === npm)) return;
		clearInterval(timer);
		end();
	}, INTERVAL_MS);
	timer.unref();
}

/**
 * Who started the shell of a script: some shells stay between npm and the program. Only Linux shows it.
 *
 * @param {number} pid
 * @returns {number | undefined} undefined if the process is not such a shell
 */
function shellParent(pid) {
	try {
		if (readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] !== '-c') return undefined;
		const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
		return Number(parent);
	} catch {
		return undefined;
	}
}
