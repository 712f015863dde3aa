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
const FEWER_WORDS = new Map([['CONTRIBUTING.md', 900]]);

suite('the length of the pages', () => {
	for (const page of readPages(repositoryFiles())) {
		if (page.path === LIST) continue;
		const most = FEWER_WORDS.get(page.path) ?? MOST_WORDS;
		test(`${page.path} has at most ${most} words`, () => {
			const count = wordsOf(page);
			assert.ok(count <= most, `${count} words besides its examples`);
		});
	}

	test('README.md has at most 100 lines, none of 200 characters, and 7 kB', () => {
		const [{ text } = { text: '' }] = readPages(['README.md']);
		const lines = text.trimEnd().split('\n');
		assert.ok(lines.length <= 100 && text.length <= 7_000);
		assert.deepEqual(
			lines.filter((line) => line.length >= 200),
			[],
		);
	});

	test(`docs/ has at most ${MOST_PAGES} pages and ${MOST_WORDS_IN_ALL} words`, () => {
		const pages = readPages(repositoryFiles()).filter(({ path }) => path.startsWith('docs/'));
		const words = pages.map(wordsOf).reduce((sum, count) => sum + count, 0);
		assert.ok(pages.length <= MOST_PAGES, pages.map(({ path }) => path).join('\n'));
		assert.ok(words <= MOST_WORDS_IN_ALL, `${words} words`);
	});
});
