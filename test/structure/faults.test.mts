/** Each row of docs/faults.md has a test with its number, and each number that a test names is a row. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { markedFiles, readTable, rowsIn } from '../../scripts/faults/table.mjs';
import { stages } from '../../scripts/test/stages.mjs';

const rows = readTable().map(({ number }) => number);
const marked = stages.flatMap(({ folder }) => (folder === undefined ? [] : markedFiles(folder)));

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
