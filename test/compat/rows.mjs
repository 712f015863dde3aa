import { FAILS } from '../../scripts/compatTable.mjs';

/** @typedef {{ name: string, nesting: number, skip?: string | boolean }} Data */

/**
 * Reports the rows of the table of compatibility: whether they hold, or why they were skipped. They
 * are the tests and suites that stand directly in the suite of a file.
 *
 * @param {AsyncIterable<{ type: string, data: Data }>} source events of the test runner
 */
export default async function* rows(source) {
	for await (const { type, data } of source) {
		if (data.nesting !== 1 || !/^test:(?:pass|fail)$/.test(type)) continue;
		const outcome = type === 'test:fail' ? FAILS : (data.skip ?? '✓');
		yield `${data.name.replace('workflow: ', '')}\t${outcome}\n`;
	}
}
