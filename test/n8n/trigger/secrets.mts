/** What n8n has stored and printed after all other tests of the trigger. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';

import { filesBelow, findSecrets, linesOf, valuesIn } from '../../../harness/secrets.mts';
import { PASSWORD, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { GUID, OWN_PASSWORD } from './published.mts';

/** @param log what n8n has printed so far */
export function secretsTest(getStack: () => Stack, log: () => string): void {
	test('no password and no webhook secret in the log or in what n8n stores', async () => {
		const folder = join(getStack().n8n.userFolder, '.n8n');
		const wanted = { OWN_PASSWORD, PASSWORD, WEBHOOK_SECRET, GUID };
		const found = new Set<string>();
		for (const sources of [
			valuesIn(join(folder, 'database.sqlite')),
			filesBelow(folder),
			[linesOf('log', [log()])],
		]) {
			for (const { secret } of await findSecrets(wanted, sources)) found.add(secret);
		}
		// The same search finds what does lie there.
		assert.deepEqual([...found], ['GUID']);
	});
}
