/** Each example is small enough for its user to change. */
import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { suite, test } from 'node:test';

import { readWorkflow, workflowFile, workflowNames } from '../../harness/workflows.mts';

const MAX_NODES = 12;
/** Of a Code node. */
const MAX_LINES = 15;
/** Of one expression. */
const MAX_CHARACTERS = 125;

const examples = workflowNames.filter(
	(name) => basename(dirname(workflowFile(name))) === 'examples',
);

/** All expressions in the parameters of a node. */
function expressionsIn(value: unknown): string[] {
	if (typeof value === 'string' && value.startsWith('=')) {
		return [...value.matchAll(/\{\{.*?\}\}(?!\})/gs)].map(([expression]) => expression);
	}
	if (typeof value !== 'object' || value === null) return [];
	return Object.values(value).flatMap(expressionsIn);
}

suite('examples', () => {
	test('there are seven', () => assert.equal(examples.length, 7));

	for (const name of examples) {
		test(name, () => {
			const nodes = readWorkflow(name).nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
			assert.ok(nodes.length <= MAX_NODES, `${nodes.length} nodes`);
			for (const { name: node, parameters } of nodes) {
				const { jsCode = '', ...others } = parameters;
				const lines = String(jsCode).trim().split('\n').length;
				assert.ok(lines <= MAX_LINES, `${node}: ${lines} lines`);
				const long = expressionsIn(others).filter(({ length }) => length > MAX_CHARACTERS);
				assert.deepEqual(long, [], node);
			}
		});
	}
});
