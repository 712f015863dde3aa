/** npm, with a log and a heartbeat that shows how far it is. */
import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { run, withHeartbeat } from '../command.mjs';
import { root } from '../paths.mjs';

/**
 * @param {string[]} args
 * @param {{ log: string, name: string, cwd?: string, env?: NodeJS.ProcessEnv }} options `name` says
 *   what npm is run for
 */
export async function npm(args, { log, name, cwd = root, env }) {
	let requests = 0;
	let packages = 0;
	let lastLine = '';
	const all = packagesIn(join(cwd, 'package-lock.json'));
	const progress = () =>
		args[0] === 'install'
			? `${name}: ${packages} of at most ${all} packages, ${requests} downloads`
			: `${name}: ${lastLine.slice(0, 70)}`;
	const onLine = (/** @type {string} */ line) => {
		// A compiler also prints the code that it means, and marks below it.
		if (/^\s*[a-z]/i.test(line)) lastLine = line.trim();
		if (!line.startsWith('npm http')) return;
		requests += 1;
		if (line.includes('.tgz')) packages += 1;
	};
	const code = await withHeartbeat(progress, () =>
		// At this level npm reports each download: that is the progress shown.
		run('npm', [...args, '--loglevel=http'], { cwd, env, logFile: log, onLine }),
	);
	if (code !== 0) throw new Error(`\`npm ${args.join(' ')}\` ended with exit code ${code}.`);
}

/** @param {string} lock */
const packagesIn = (lock) =>
	existsSync(lock) ? Object.keys(JSON.parse(readFileSync(lock, 'utf8')).packages).length : 0;

/** Free space on the disk that holds the repository. */
export function freeGigabytes() {
	const { bavail, bsize } = statfsSync(root);
	return (bavail * bsize) / 1024 ** 3;
}
