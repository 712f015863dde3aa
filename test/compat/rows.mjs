/**
 * Reports the rows of the table of compatibility that hold, or why they were skipped: what stands directly in the suite of
 * a file.
 *
 * @param {AsyncIterable<{ type: string, data: { name: string, nesting: number, skip?: string | boolean } }>} source
 */
export default async function* rows(source) {
	for await (const { type, data } of source) {
		if (type === 'test:pass' && data.nesting === 1)
			yield `${data.name.replace('workflow: ', '')}\t${data.skip ?? '✓'}\n`;
	}
}
