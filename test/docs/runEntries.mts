import { before, suite, test } from 'node:test';

import { makeCopy } from './copy.mts';
import { title, type Entry } from './entry.mts';

export const skip = process.platform === 'win32' && 'the commands are written for a POSIX shell';

/**
 * A test for each command, in a copy of the repository.
 *
 * @param installing folders in which the commands install packages
 */
export function runEntries(entries: Entry[], installing: string[] = []): void {
	suite('the commands of the documentation', { skip, timeout: 1_200_000 }, () => {
		before(() => makeCopy(installing));
		for (const entry of entries) {
			test(title(entry), async (context) => await entry.run(context, entry));
		}
	});
}
