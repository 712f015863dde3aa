/** What a user of the workflow files meets: few expressions, short ones, and no Code twice. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { suite, test } from 'node:test';

import type { Workflow } from '../../harness/n8n/n8n.mts';
import { readWorkflow, workflowFile, workflowNames } from '../../harness/workflows.mts';
import { archiveNames, startArchive } from '../../harness/standIns/archives.mts';
import { root } from '../../scripts/paths.mjs';
import { repositoryFiles } from '../docs/pages.mts';

const MOST_EXPRESSIONS = 8;
const MOST_CHARACTERS = 60;
/** So many equal lines in a row are a passage that should stand once. */
const LINES_OF_PASSAGE = 6;

/** The code in all expressions of a value. */
function expressionsIn(value: unknown): string[] {
	if (typeof value === 'object' && value !== null)
		return Object.values(value).flatMap(expressionsIn);
	if (typeof value !== 'string' || !value.startsWith('=')) return [];
	return [...value.matchAll(/\{\{(.*?)\}\}/gs)].map(([, code = '']) => code.trim());
}

/** Those of all nodes, without the notes. */
const expressionsOf = ({ nodes }: Workflow) =>
	nodes
		.filter(({ type }) => !type.endsWith('.stickyNote'))
		.flatMap(({ parameters }) => expressionsIn(parameters));

suite('an archive workflow, as its user has set it up, has few and short expressions', () => {
	for (const name of archiveNames) {
		test(name, async (t) => {
			const archive = await startArchive[name]();
			t.after(async () => await archive.close());
			const expressions = expressionsOf(archive.configured());
			assert.ok(expressions.length <= MOST_EXPRESSIONS, expressions.join('\n'));
			assert.deepEqual(
				expressions.filter((code) => code.length > MOST_CHARACTERS),
				[],
			);
		});
	}
});

const MOST_NODES_OF_EXAMPLE = 13;
const MOST_LINES_OF_CODE = 15;
const MOST_CHARACTERS_OF_EXAMPLE = 120;

const isExample = (name: string) => basename(dirname(workflowFile(name))) === 'examples';

suite('an example is small enough for its user to change', () => {
	const examples = workflowNames.filter(isExample);
	test('there are eight', () => assert.equal(examples.length, 8));

	for (const name of examples) {
		test(name, () => {
			const nodes = readWorkflow(name).nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
			assert.ok(nodes.length <= MOST_NODES_OF_EXAMPLE, `${nodes.length} nodes`);
			for (const { name: node, parameters } of nodes) {
				const { jsCode = '', ...others } = parameters;
				const lines = String(jsCode).trim().split('\n').length;
				assert.ok(lines <= MOST_LINES_OF_CODE, `${node}: ${lines} lines`);
				const long = expressionsIn(others).filter(
					(code) => code.length > MOST_CHARACTERS_OF_EXAMPLE,
				);
				assert.deepEqual(long, [], node);
			}
		});
	}
});

/** Lines of Code that say something, and not only where a block ends. */
function tellingLines(code: string): string[] {
	const lines = code.split('\n').map((line) => line.trim());
	return lines.filter((line) => /\w{3}/.test(line) && !line.startsWith('//'));
}

/** All runs of so many lines in the Code nodes of a workflow. */
function passagesOf({ nodes }: Workflow): Set<string> {
	const passages = new Set<string>();
	for (const { parameters } of nodes) {
		if (typeof parameters.jsCode !== 'string') continue;
		const lines = tellingLines(parameters.jsCode);
		for (let start = 0; start + LINES_OF_PASSAGE <= lines.length; start++) {
			passages.add(lines.slice(start, start + LINES_OF_PASSAGE).join('\n'));
		}
	}
	return passages;
}

test('no two workflows share a passage of Code', () => {
	const workflows = repositoryFiles()
		.filter((path) => /^(?:workflows|examples)\/.*\.json$/.test(path))
		.map((path) => ({
			name: basename(path, '.json'),
			passages: passagesOf(JSON.parse(readFileSync(join(root, path), 'utf8')) as Workflow),
		}));
	const shared = workflows.flatMap(({ name, passages }, index) =>
		workflows.slice(index + 1).flatMap((other) => {
			const both = [...passages].filter((passage) => other.passages.has(passage));
			return both.length === 0 ? [] : [`${name} and ${other.name}: ${both[0]}`];
		}),
	);
	assert.deepEqual(shared, []);
});
