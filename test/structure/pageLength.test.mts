/** A page that a reader can take in at once: longer ones are two pages. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { readPages, repositoryFiles, wordsOf } from '../docs/pages.mts';

const MOST_WORDS = 1_500;
/** In docs/. */
const MOST_PAGES = 13;
const MOST_WORDS_IN_ALL = 14_000;

/** Read entry by entry, and grows with each version. */
const LIST = 'CHANGELOG.md';

suite('the length of the pages', () => {
	for (const page of readPages(repositoryFiles())) {
		if (page.path === LIST) continue;
		test(`${page.path} has at most ${MOST_WORDS} words`, () => {
			const count = wordsOf(page);
			assert.ok(count <= MOST_WORDS, `${count} words besides its examples`);
		});
	}

	test(`docs/ has at most ${MOST_PAGES} pages and ${MOST_WORDS_IN_ALL} words`, () => {
		const pages = readPages(repositoryFiles()).filter(({ path }) => path.startsWith('docs/'));
		const words = pages.map(wordsOf).reduce((sum, count) => sum + count, 0);
		assert.ok(pages.length <= MOST_PAGES, pages.map(({ path }) => path).join('\n'));
		assert.ok(words <= MOST_WORDS_IN_ALL, `${words} words`);
	});
});
