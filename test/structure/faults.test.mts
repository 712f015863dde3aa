/**
 * Each fault and each promise of README and SECURITY has tests with its number, and the page says
 * where they are. A test names only numbers that exist.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { suite, test } from 'node:test';

import { readPromises, readTable, rowsIn } from '../../scripts/faults/table.mjs';
import { marked, renderTestsPages } from '../whereTested.mts';

const rows = readTable().map(({ number }) => number);

test('the pages say where each fault and each promise is tested', async () => {
	const again = 'Write the tables again: node scripts/run.mjs test/whereTested.mts';
	for (const [path, text] of await renderTestsPages()) {
		assert.ok(readFileSync(path, 'utf8') === text, again);
	}
});

test('each promise of the README is tested, and once more in the whole n8n', () => {
	const promises = readPromises('README.md').map((_promise, index) => index + 1);
	assert.deepEqual([...new Set(marked.flatMap((file) => file.promises))].sort(), promises);
	const inN8n = marked.filter(({ file }) => file.startsWith('test/n8n/'));
	assert.deepEqual([...new Set(inN8n.flatMap((file) => file.promises))].sort(), promises);
});

test('each promise of SECURITY is tested', () => {
	const promises = readPromises('SECURITY.md').map((_promise, index) => index + 1);
	assert.ok(promises.length > 5);
	assert.deepEqual([...new Set(marked.flatMap((file) => file.security))].sort(), promises);
});

suite('the table of faults', () => {
	test('has the rows 1 to 53', () => {
		const wanted = Array.from({ length: 53 }, (_, index) => index + 1);
		assert.deepEqual(rows, wanted);
	});

	test('each row is tested', () => {
		const tested = new Set(marked.flatMap((file) => file.rows));
		assert.deepEqual(
			rows.filter((row) => !tested.has(row)),
			[],
		);
	});

	test('each number in the name of a test is a row', () => {
		const wrong = marked.filter((file) => file.rows.some((row) => !rows.includes(row)));
		assert.deepEqual(wrong, []);
	});

	test('a name may have one number or several', () => {
		// Put together, or this test would prove these rows.
		const names = [`a [fault ${7}]`, `b [faults ${8}, ${10}]`, 'c', `d [${1}]`];
		assert.deepEqual(names.map(rowsIn), [[7], [8, 10], [], []]);
	});
});
