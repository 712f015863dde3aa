/** Repository and author are changed in package.json alone: `npm run publisher` does the rest. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import { copy, makeCopy, succeeds } from './copy.mts';
import { repositoryFiles, ROOT } from './pages.mts';
import { skip } from './runEntries.mts';

interface Package {
	repository: { url: string };
	author: { name: string; email: string };
	homepage: string;
}

const parsed = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Package;
const { repository, author } = parsed(join(ROOT, 'package.json'));
const old = repository.url.replace(/^git\+|\.git$/g, '');
const OTHER = 'https://github.com/example-org/call-archive';

suite('another publisher', { skip, timeout: 600_000 }, () => {
	before(async () => {
		makeCopy();
		const file = join(copy.root, 'package.json');
		const changed: Package = {
			...parsed(file),
			repository: { ...repository, url: `git+${OTHER}.git` },
			author: { name: 'Jane Doe', email: 'jane@example.com' },
		};
		writeFileSync(file, `${JSON.stringify(changed, undefined, '\t')}\n`);
		await succeeds('npm run publisher');
	});

	test('is in every file, and the former one in none', () => {
		const texts = repositoryFiles()
			.filter((file) => /\.(?:md|json|ya?ml|ts)$/.test(file) && !/^test\/vectors\//.test(file))
			.map((file): [string, string] => [file, readFileSync(join(copy.root, file), 'utf8')]);
		const having = (words: string) =>
			texts.flatMap(([file, text]) => (text.includes(words) ? [file] : []));
		assert.deepEqual(having(old), []);
		assert.deepEqual(having(`"name": "${author.name}"`), []);
		assert.deepEqual(having(author.email), []);
		assert.ok(having(OTHER).length > 10);
		assert.deepEqual(having('Copyright (c) 2026 Jane Doe').toSorted(), [
			'LICENSE.md',
			'file-decryptor/LICENSE.md',
		]);
	});

	test('is in all three packages', () => {
		for (const folder of ['.', 'emulator', 'file-decryptor']) {
			const { homepage, ...found } = parsed(join(copy.root, folder, 'package.json'));
			assert.equal(found.repository.url, `git+${OTHER}.git`);
			assert.equal(found.author.name, 'Jane Doe');
			assert.ok(homepage.startsWith(OTHER));
		}
	});

	test('breaks no link, no picture and no other page', async () => {
		const files = ['links', 'claims', 'pictures'].map((name) => `test/docs/${name}.test.mts`);
		await succeeds(`'${process.execPath}' --test ${files.join(' ')}`);
	});

	test('is written only once', async () => {
		assert.match((await succeeds('npm run publisher')).stdout, /Nothing to change/);
	});
});
