/** What a failed step of the setup prints: the end of its log, and what the user can do. */
import { existsSync, readFileSync } from 'node:fs';
import { lastLines } from '../command.mjs';
import { fromRoot } from '../paths.mjs';

/**
 * @param {import('./steps.mjs').Step} step
 * @param {string} log
 * @param {unknown} error
 */
export function explainFailure(step, log, error) {
	const hasLog = existsSync(log);
	const tail = hasLog ? lastLines(log, 20) : [];
	const message = error instanceof Error ? error.message : String(error);
	console.error(['', ...tail.map((line) => `      | ${line}`), ''].join('\n'));
	console.error(`      FAILED: ${step.title}: ${message}`);
	if (hasLog) console.error(`      Full log: ${fromRoot(log)}`);
	console.error(`      ${advice(step.name, hasLog ? readFileSync(log, 'utf8') : message)}`);
}

/**
 * @param {string} stepName
 * @param {string} output
 */
function advice(stepName, output) {
	if (/ENOSPC|no space left/i.test(output)) {
		return 'The disk is full. Free about 5 GB and run the command again.';
	}
	if (/EACCES|EPERM|permission denied/i.test(output)) {
		return (
			'A file or folder may not be written. Check that the repository and the npm cache ' +
			'(`npm config get cache`) belong to you, and run the command again without sudo.'
		);
	}
	if (stepName === 'sqlite3') {
		return (
			'No ready-made SQLite binary could be downloaded (they come from GitHub), and building one failed. ' +
			'Either allow the download, or install python3, make and a C++ compiler (Debian, Ubuntu: ' +
			'`sudo apt-get install python3 make g++`; macOS: `xcode-select --install`) and run the command again.'
		);
	}
	if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)) {
		return (
			'The npm registry cannot be reached. Check the internet connection (behind a proxy: ' +
			'`npm config set https-proxy …`) and run the command again.'
		);
	}
	if (/EINTEGRITY/.test(output)) {
		return 'A download was damaged. Run `npm cache verify`, then the command again.';
	}
	if (/\bE404\b|ETARGET|notarget/.test(output)) {
		return 'Your npm registry does not have a version that is needed here. Does `npm config get registry` name a complete one?';
	}
	if (stepName === 'tools') return 'Correct what is named above, and run the command again.';
	if (stepName === 'build')
		return 'The sources do not compile: the messages above name file and line.';
	return 'Run the command again; if it fails at the same place, please report it with the log.';
}
