/**
 * Ends a test file that hangs. node:test limits how long a test takes, but it waits forever for
 * what is still open after the last test. Loaded into each process of `node --test`.
 */
import { env, exit, getActiveResourcesInfo } from 'node:process';

// What takes long is left to `npm run test:faults`.
const LIMIT_MS = env.VOICEAGENT_FAULTS === 'all' ? 3_600_000 : 1_200_000;

// The process that starts the others lasts as long as all of them.
if (env.NODE_TEST_CONTEXT !== undefined) {
	setTimeout(() => {
		const open = [...new Set(getActiveResourcesInfo())].join(', ');
		console.error(`This file did not end within ${LIMIT_MS / 60_000} minutes. Still open: ${open}`);
		exit(1);
	}, LIMIT_MS).unref();
}
