/**
 * n8n's assistant and its MCP server build workflows. These tests show what both of them read about
 * the packed nodes.
 */
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import type { INodeTypeDescription } from 'n8n-workflow';

import { fromN8n } from '../../harness/n8n/installation.mts';
import { root } from '../../scripts/paths.mjs';

const load = createRequire(join(root, 'package.json'));
const { n8n } = load('./package.json') as { n8n: { nodes: string[] } };
const nodes = n8n.nodes.map((path) => {
	const [Class = Object] = Object.values(load(`./${path}`) as Record<string, new () => object>);
	const { description } = new Class() as { description: INodeTypeDescription };
	const codex = load(`./${path.replace(/\.js$/, '.json')}`) as object;
	return { ...description, name: `n8n-nodes-voiceagent.${description.name}`, codex };
});

/** n8n's own search, with the nodes as n8n loads them. */
const { NodeTypeParser, searchCodeBuilderNodes } = fromN8n('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (nodes: object[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
};

for (const [query, node, hint] of [
	['archive', 'voiceAgent', /Delete is permanent, so leave 'Require Proof of Archiving' on/],
	['make call', 'voiceAgent', /Make dials at each execution: never turn on Retry On Fail/],
	['archive', 'voiceAgentTrigger', /To archive calls, choose the event Call End/],
	['sweep', 'voiceAgentRecordingTrigger', /Do not build it from a Schedule Trigger and Get Many/],
] as const) {
	test(`an assistant that looks for "${query}" finds ${node}, and reads how to use it`, () => {
		const { results } = searchCodeBuilderNodes(new NodeTypeParser(nodes), [query]);
		const about = results.split('\n- n8n-nodes-voiceagent.');
		assert.match(String(about.find((one) => /^\w+/.exec(one)?.[0] === node)), hint);
		// Labels and related nodes are those that there are.
		for (const [, label, related] of results.matchAll(/'([A-Z][^']+)'|- (n8n-\S+): "/g)) {
			assert.ok(JSON.stringify(nodes).includes(`"${label ?? related}"`), label ?? related);
		}
	});
}
