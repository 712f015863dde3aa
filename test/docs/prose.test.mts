/**
 * `words.yml` lists words that users do not read: neither in pages, nor in the names and notes of
 * workflows, nor in anything that the nodes and credentials show.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import {
	TextlintKernel,
	type TextlintPluginCreator,
	type TextlintRuleModule,
} from '@textlint/kernel';

import { readWorkflow, workflowNames } from '../../harness/workflows.mts';
import { prose, readPages, repositoryFiles, ROOT, type Page } from './pages.mts';

const require = createRequire(import.meta.url);
const { default: markdown } = require('@textlint/textlint-plugin-markdown') as {
	default: TextlintPluginCreator;
};
const { default: prh } = require('textlint-rule-prh') as { default: TextlintRuleModule };
const kernel = new TextlintKernel();

/** What stands there and what to write in its place. */
async function findings(text: string): Promise<string[]> {
	const { messages } = await kernel.lintText(text, {
		ext: '.md',
		plugins: [{ pluginId: 'markdown', plugin: markdown }],
		rules: [
			{
				ruleId: 'prh',
				rule: prh,
				options: { rulePaths: [join(import.meta.dirname, 'words.yml')], checkLink: true },
			},
		],
	});
	return messages.map(({ loc, message }) => `${loc.start.line}: ${message}`);
}

/**
 * A clause with What as the subject of a sentence, also in the text of a picture: "What is missing
 * is null." A question, a heading and a label in a table are not.
 */
const WHAT_CLAUSE = new RegExp(
	[
		/(?:^|[.:] |\| |^\s*(?:-|\d+\.) |\balt=")/,
		/What (?!else\b)[^.?:|"\n]{2,60}? /,
		/(?:is|are|was|were|remains|stays|gets|becomes|comes|counts|goes|wins)\b/,
		/[^?|"\n]*?[."]/,
	]
		.map(({ source }) => source)
		.join(''),
	'gm',
);

function whatClauses(page: Page): string[] {
	return [...prose(page).matchAll(WHAT_CLAUSE)].map(([found]) => found);
}

/** All texts in a value, also names that only n8n sees. */
function textsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(textsIn);
}

/** The built nodes, credentials and errors: the file and its texts. */
function built(): [string, string[]][] {
	const files = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' });
	return files
		.filter((file) => /\.(?:node|credentials)\.js$|^nodes.errorTexts\.js$/.test(file))
		.map((file) => {
			const exported = require(join(ROOT, 'dist', file)) as Record<string, new () => object>;
			const shown = file.endsWith('errorTexts.js')
				? exported.errorTexts
				: Object.values(exported).map((Type) => new Type());
			return [file, [...new Set(textsIn(shown))]];
		});
}

suite('the words that a user reads', () => {
	for (const { path, text } of readPages(repositoryFiles())) {
		test(path, async () => assert.deepEqual(await findings(text), []));
		test(`${path} has a noun as the subject, not a clause with What`, () => {
			assert.deepEqual(whatClauses({ path, text }), []);
		});
	}

	test('a clause with What is found in a sentence, and not in a question or a label', () => {
		const found = (text: string) => whatClauses({ path: '', text }).length;
		assert.equal(found('It is read. What is missing is `null`.'), 1);
		assert.equal(found('| `id` | Unique. What comes before it is its group. |'), 1);
		assert.equal(found('<img alt="What is at risk becomes a report">'), 1);
		assert.equal(found('What is there? It is here.'), 0);
		assert.equal(found('| What the sweep is | What it means |\n\n## What a sweep is'), 0);
	});

	for (const name of workflowNames) {
		test(`the names and notes of ${name}`, async () => {
			const texts = readWorkflow(name).nodes.flatMap((node) =>
				[node.name, node.notes, node.parameters.content].filter((text) => typeof text === 'string'),
			);
			assert.deepEqual(await findings(texts.join('\n\n')), []);
		});
	}

	const files = built();
	test('three nodes, the credential and the errors are read', () => {
		assert.equal(files.filter(([, texts]) => texts.length > 5).length, 5);
	});
	for (const [file, texts] of files) {
		test(file, async () => assert.deepEqual(await findings(texts.join('\n\n')), []));
	}
});
