import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import { copy } from './copy.mts';
import { title, type Entry } from './entry.mts';
import { ROOT } from './pages.mts';

export const skip = process.platform === 'win32' && 'the commands are written for a POSIX shell';

/**
 * A test for each command, in a copy of the repository.
 *
 * @param installing folders in which the commands install packages
 */
export function runEntries(entries: Entry[], installing: string[] = []): void {
	const statusBefore = gitStatus();
	suite('the commands of the documentation', { skip, timeout: 1_200_000 }, () => {
		before(() => copy.make(installing));
		for (const entry of entries) {
			test(title(entry), async (context) => await entry.run(context, entry));
		}

		test('no command has changed the checkout', (context) => {
			assert.deepEqual(
				copy.written().filter((file) => copy.hasReachedCheckout(file)),
				[],
			);
			// Other changes may come from somebody who works in the checkout: they are only reported.
			const after = gitStatus();
			const changed = [...after, ...statusBefore].filter(
				(line) => !after.has(line) || !statusBefore.has(line),
			);
			const paths = [...new Set(changed.map((line) => line.slice(3)))];
			if (paths.length > 0) context.diagnostic(`changed meanwhile: ${paths.join(', ')}`);
		});
	});
}

/** The lines of `git status`; none without Git. */
function gitStatus(): Set<string> {
	if (!existsSync(join(ROOT, '.git'))) return new Set();
	const lines = execFileSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' });
	return new Set(lines.split('\n').filter(Boolean));
}
