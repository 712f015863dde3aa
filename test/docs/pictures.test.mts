/** The pictures of the documentation are current, and shown at the size of what they show. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { hasDark, pictures } from '../../harness/screenshots/pictures.mts';
import { digestOf, DIGESTS, IMAGES } from '../../harness/screenshots/shown.mts';
import { readPages, repositoryFiles } from './pages.mts';

const names = Object.keys(pictures);
const pngs = readdirSync(IMAGES).filter((name) => name.endsWith('.png'));

suite('the pictures', () => {
	test('there is one in light and one in dark of each, and no other', () => {
		const wanted = names.flatMap((name) => [
			`${name}.png`,
			...(hasDark(name) ? [`${name}-dark.png`] : []),
		]);
		assert.deepEqual(pngs.toSorted(), wanted.toSorted());
	});

	test('none is older than the workflow or the form that it shows', () => {
		const taken = JSON.parse(readFileSync(DIGESTS, 'utf8')) as Record<string, string>;
		const old = Object.entries(pictures).flatMap(([name, picture]) =>
			taken[name] === digestOf(picture) ? [] : [name],
		);
		assert.deepEqual(old, [], `npm run screenshots -- ${old.join(' ')}`);
	});

	test('all together have at most 8 MB', () => {
		const bytes = readdirSync(IMAGES).map((name) => statSync(join(IMAGES, name)).size);
		assert.ok(bytes.reduce((sum, size) => sum + size, 0) <= 8e6);
	});

	for (const { path, text } of readPages(repositoryFiles())) {
		const shown = [...text.matchAll(/<img src="[^"]*images\/([\w-]+\.png)"( width="(\d+)")?/g)];
		if (shown.length === 0) continue;
		test(`${path}: they have their own width, and fit in`, () => {
			for (const [, file = '', , width] of shown) {
				// Taken at 2x. The width is in the header of a PNG.
				const taken = readFileSync(join(IMAGES, file)).readUInt32BE(16);
				assert.equal(Number(width), Math.min(830, Math.round(taken / 2)), file);
			}
		});
	}
});
