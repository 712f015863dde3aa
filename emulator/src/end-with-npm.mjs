/**
 * Ends a program together with the npm that runs it. npm passes SIGTERM and SIGINT only to the
 * shell of its script, and that leaves the program behind. Nothing passes SIGHUP and SIGKILL on.
 *
 * This file is plain JavaScript and imports no package: the set-up uses it before anything is
 * installed.
 */
import { readFileSync } from 'node:fs';

const INTERVAL_MS = 250;

/**
 * Calls `end` once npm is gone. A program that no npm runs may outlive its parent, so this does
 * nothing then.
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
 * Finds out who started the shell of a script, since some shells stay between npm and the program.
 * Only Linux shows it.
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
