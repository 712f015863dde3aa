/** What n8n's assistant and its MCP server, which build workflows, get to read about the packed nodes. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import type { INodeTypeDescription } from 'n8n-workflow';

import { fromN8n } from '../../harness/n8n/installation.mts';
import { root } from '../../scripts/paths.mjs';

const { n8n } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
	n8n: { nodes: string[] };
};

/** n8n's own search, with the nodes as n8n loads them. */
const { NodeTypeParser, searchCodeBuilderNodes } = fromN8n('@n8n/ai-utilities/node-catalog') as {
	NodeTypeParser: new (nodes: object[]) => object;
	searchCodeBuilderNodes(parser: object, queries: string[]): { results: string };
};
const load = createRequire(join(root, 'package.json'));
const nodes = n8n.nodes.map((path) => {
	const [Class] = Object.values(load(join(root, path)) as Record<string, new () => object>);
	if (Class === undefined) throw new Error(`${path} exports no class`);
	const { description } = new Class() as { description: INodeTypeDescription };
	const codex = load(join(root, path.replace(/\.js$/, '.json'))) as object;
	return { ...description, name: `n8n-nodes-voiceagent.${description.name}`, codex };
});
const found = (query: string) => searchCodeBuilderNodes(new NodeTypeParser(nodes), [query]).results;

suite('an assistant that builds workflows', () => {
	for (const [query, node, hint] of [
		['archive', 'voiceAgent', /Delete is permanent, so leave 'Require Proof of Archiving' on/],
		['make call', 'voiceAgent', /Make dials at each execution: never turn on Retry On Fail/],
		['archive', 'voiceAgentTrigger', /To archive calls, choose the event Call End/],
		['sweep', 'voiceAgentRecordingTrigger', /Do not build it from a Schedule Trigger and Get Many/],
	] as const) {
		test(`that looks for "${query}" finds ${node}, and reads how to use it`, () => {
			const about = found(query).split('\n- n8n-nodes-voiceagent.');
			assert.match(String(about.find((one) => /^\w+/.exec(one)?.[0] === node)), hint);
		});
	}

	test('is referred to nodes and labels that there are', () => {
		const names = nodes.map(({ name }) => name);
		const labels = JSON.stringify(nodes.map(({ properties }) => properties));
		for (const { name, builderHint } of nodes) {
			const { searchHint = '', relatedNodes = [] } = builderHint ?? {};
			assert.ok(relatedNodes.length > 0, name);
			for (const { nodeType } of relatedNodes) assert.ok(names.includes(nodeType), nodeType);
			for (const [, label] of searchHint.matchAll(/'([^']+)'/g)) {
				assert.ok(labels.includes(`"displayName":"${label}"`), label);
			}
		}
	});
});
