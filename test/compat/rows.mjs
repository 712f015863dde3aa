/** @typedef {{ name: string, nesting: number, skip?: string | boolean }} Data */

/**
 * Reports the rows of the table of compatibility that hold, or why they were skipped. They are the
 * tests and suites that stand directly in the suite of a file.
 *
 * @param {AsyncIterable<{ type: string, data: Data }>} source events of the test runner
 */
export default async function* rows(source) {
	for await (const { type, data } of source) {
		if (type === 'test:pass' && data.nesting === 1)
			yield `${data.name.replace('workflow: ', '')}\t${data.skip ?? '✓'}\n`;
	}
}
