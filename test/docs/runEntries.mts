import { after, before, suite, test } from 'node:test';

import { makeCopy } from './copy.mts';
import { title, type Entry } from './entry.mts';

export const skip = process.platform === 'win32' && 'the commands are written for a POSIX shell';

/**
 * A test for each command, in a copy of the repository.
 *
 * @param installing folders in which the commands install packages
 * @param prepare what the commands need besides; returns what ends it
 */
export function runEntries(
	entries: Entry[],
	installing: string[] = [],
	prepare?: () => Promise<(() => Promise<void>) | undefined>,
): void {
	suite('the commands of the documentation', { skip, timeout: 1_200_000 }, () => {
		let end: (() => Promise<void>) | undefined;
		before(async () => {
			makeCopy(installing);
			end = await prepare?.();
		});
		after(async () => await end?.());
		for (const entry of entries) {
			test(title(entry), async (context) => await entry.run(context, entry));
		}
	});
}
