/** n8n's own rules for its next versions, which it shows in **Settings > Migration Report**. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { fromN8n } from '../../../harness/n8n/installation.mts';
import type { N8n } from '../../../harness/n8n/n8n.mts';
import { ARCHIVE_NODE, nodeOf, readWorkflow, workflowNames } from '../../../harness/workflows.mts';

type Report = { data: { report: { workflowResults: Array<{ ruleId: string }> } } };
type Rule = { affectedWorkflows: Array<{ id: string }> };

/**
 * The rules of n8n for its next versions, with what they find. n8n refuses to report on a version
 * without rules.
 *
 * @returns nothing if this n8n has no report
 */
async function findings(n8n: N8n): Promise<Array<[rule: string, ids: string[]]> | undefined> {
	const reports = '/rest/breaking-changes/report';
	const { version: current } = fromN8n('./package.json') as { version: string };
	const found: Array<[rule: string, ids: string[]]> = [];
	for (const more of [1, 2, 3]) {
		const version = `v${Number.parseInt(current) + more}`;
		const answer = await n8n.fetch('POST', `${reports}/refresh?version=${version}`, {});
		if (answer.status === 404) return undefined;
		if (!answer.ok) continue;
		const { data } = (await answer.json()) as Report;
		for (const { ruleId } of data.report.workflowResults) {
			const rule = await n8n.rest<Rule>('GET', `${reports}/${ruleId}`);
			found.push([ruleId, rule.affectedWorkflows.map(({ id }) => id)]);
		}
	}
	return found;
}

/** @param getN8n the n8n whose rules they are */
export function nextVersionsTest(getN8n: () => N8n): void {
	test('n8n’s rules for its next versions find nothing in the workflow files', async (t) => {
		const imported = new Map<string, string>();
		for (const name of workflowNames) {
			imported.set(await getN8n().importWorkflow(readWorkflow(name)), name);
		}
		const outdated = readWorkflow('sweep-before-purge');
		nodeOf(outdated, ARCHIVE_NODE).parameters.mode = 'each';
		imported.set(await getN8n().importWorkflow(outdated), 'outdated');
		const all = await findings(getN8n());
		if (all === undefined) {
			t.skip('not in this version');
			return;
		}
		const found = all.flatMap(([rule, ids]) =>
			ids.flatMap((id) => (imported.has(id) ? `${rule}: ${imported.get(id)}` : [])),
		);
		assert.deepEqual(found, ['execute-workflow-each-mode-v3: outdated']);
	});
}
