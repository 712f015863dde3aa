/** What n8n has stored and printed after all other tests of the trigger. */
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { PASSWORD, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { OWN_PASSWORD } from './callStarts.mts';

/** @param log what n8n has printed so far */
export function secretsTest(getStack: () => Stack, log: () => string): void {
	test('no password and no webhook secret in the log or in what n8n stores', async () => {
		const folder = join(getStack().n8n.userFolder, '.n8n');
		const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
			(entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
		);
		assert.ok(files.some(({ name }) => name === 'database.sqlite'));
		const contents = await Promise.all(
			files.map(async (file) => await readFile(join(file.parentPath, file.name))),
		);
		for (const secret of [OWN_PASSWORD, PASSWORD, WEBHOOK_SECRET]) {
			for (const spelling of spellings(secret)) {
				assert.ok(!log().includes(spelling), `${spelling} is in the log`);
				for (const [index, content] of contents.entries()) {
					assert.ok(!content.includes(spelling), `${spelling} is in ${files[index]?.name}`);
				}
			}
		}
	});
}

/** A secret as it may occur in a file. */
function spellings(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		bytes.toString('base64'),
		bytes.toString('base64url'),
		bytes.toString('hex'),
	];
}
