/** The table of Code nodes in "Host n8n": who has to run a task runner, and for what. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';

import { readWorkflow, workflowNames } from '../../harness/workflows.mts';
import { ROOT } from './pages.mts';

test('docs/hosting.md counts the Code nodes of each workflow, and says why it has them', async () => {
	const counted = Object.fromEntries(
		workflowNames
			.map((name) => {
				const { nodes } = readWorkflow(name);
				return [name, nodes.filter(({ type }) => type === 'n8n-nodes-base.code').length] as const;
			})
			.filter(([, count]) => count > 0),
	);
	const page = await readFile(join(ROOT, 'docs/hosting.md'), 'utf8');
	const [, table = ''] = /^### Code nodes in the workflows$([^]*?)^## /m.exec(page) ?? [];
	const rows = table.matchAll(/^\| ([\w-]+) +\| (\d+) +\| \w.*\|$/gm);
	const shown = Object.fromEntries([...rows].map(([, name, count]) => [name, Number(count)]));
	assert.deepEqual(shown, counted);
	const counts = Object.values(counted);
	const sum = counts.reduce((all, count) => all + count, 0);
	const sentence = `Of the ${workflowNames.length} workflows, these ${counts.length} have ${sum} Code nodes together.`;
	assert.ok(table.includes(sentence), sentence);
});
