/** npm, with a log and a heartbeat that shows how far it is. */
import { statfsSync } from 'node:fs';
import { run, withHeartbeat } from '../command.mjs';
import { root } from '../paths.mjs';

/**
 * @param {string[]} args
 * @param {{ log: string, cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
export async function npm(args, { log, cwd = root, env }) {
	let requests = 0;
	let packages = 0;
	let lastLine = '';
	const freeBefore = freeGigabytes();
	const progress = () => {
		if (args[0] !== 'install') return lastLine.slice(0, 70);
		const written = Math.max(0, freeBefore - freeGigabytes());
		return `${requests} downloads, ${packages} of them packages, ${written.toFixed(2)} GB written`;
	};
	const onLine = (/** @type {string} */ line) => {
		if (line.trim() !== '') lastLine = line.trim();
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

/** Free space on the disk that holds the repository. */
export function freeGigabytes() {
	const { bavail, bsize } = statfsSync(root);
	return (bavail * bsize) / 1024 ** 3;
}
