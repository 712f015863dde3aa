/** A page that a reader can take in at once: longer ones are two pages. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { prose, readPages, repositoryFiles, type Page } from '../docs/pages.mts';

const MOST_WORDS = 1_500;

/** Both are read entry by entry and grow with the product. */
const LISTS = ['CHANGELOG.md', 'docs/errors.md'];

suite('the length of the pages', () => {
	for (const page of readPages(repositoryFiles())) {
		if (LISTS.includes(page.path)) continue;
		test(`${page.path} has at most ${MOST_WORDS} words`, () => {
			const count = wordsOf(page);
			assert.ok(count <= MOST_WORDS, `${count} words besides its tables and examples`);
		});
	}

	test('words are counted, but not tables, examples and addresses', () => {
		const text = [
			'# One two',
			'[three](address/of-nothing.md) - **four**.',
			'| not | this |',
			'```text',
			'nor this',
			'```',
			'<img src="picture.png" alt="nor this">',
		].join('\n');
		assert.equal(wordsOf({ path: '', text }), 4);
	});
});

function wordsOf(page: Page): number {
	const text = prose(page)
		.replaceAll(/^[ \t]*\|.*$/gm, '')
		.replaceAll(/<[^>]+>/g, '')
		.replaceAll(/\]\([^)]*\)/g, ']');
	return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}
