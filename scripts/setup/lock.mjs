/** Lets one setup at a time work in a checkout. */
import {
	existsSync,
	mkdirSync,
	readFileSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { cache, fromRoot } from '../paths.mjs';

const lockFile = join(cache, 'setup.lock');
let ownsLock = false;

/** Waits until no other setup works in this checkout, then claims it. */
export async function takeTurn() {
	mkdirSync(cache, { recursive: true });
	let announced = 0;
	for (;;) {
		try {
			writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
			ownsLock = true;
			break;
		} catch (error) {
			if (!isCode(error, 'EEXIST')) throw error;
		}
		if (isAbandoned()) {
			rmSync(lockFile, { force: true });
			continue;
		}
		if (Date.now() - announced > 10_000) {
			console.log(`Another setup is at work (${fromRoot(lockFile)}): waiting for it …`);
			announced = Date.now();
		}
		await new Promise((resolve) => setTimeout(resolve, 500));
	}
	setInterval(() => {
		const now = new Date();
		if (ownsLock && existsSync(lockFile)) utimesSync(lockFile, now, now);
	}, 5_000).unref();
}

export function releaseLock() {
	if (ownsLock) rmSync(lockFile, { force: true });
	ownsLock = false;
}

/**
 * Whether the owner has ended. The number of its process means nothing if it runs in another
 * container, so one that has been silent for a minute counts as ended, too.
 */
function isAbandoned() {
	try {
		if (Date.now() - statSync(lockFile).mtimeMs > 60_000) return true;
		const owner = Number(readFileSync(lockFile, 'utf8'));
		// Empty for the moment between creation and writing.
		if (owner === 0) return false;
		process.kill(owner, 0);
		return false;
	} catch (error) {
		return isCode(error, 'ESRCH');
	}
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isCode(error, code) {
	return error instanceof Error && 'code' in error && error.code === code;
}
