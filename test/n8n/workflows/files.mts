/** The workflow files: complete, free of their author's data, and known to n8n in every node. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { readWorkflow, workflowNames } from '../../../harness/workflows.mts';

const NOTE = 'n8n-nodes-base.stickyNote';
const SIZE = 100;

/** Colors of a note in n8n's editor. */
const YELLOW = 1;
const WHITE = 7;

interface Property {
	name: string;
	type: string;
	displayOptions?: { show?: Record<string, unknown[]> };
	/** Of a collection, its members; of a fixed collection, its groups. */
	options?: Property[];
	/** Members of a group. */
	values?: Property[];
}

/**
 * Names of parameters that the resource and operation of a node do not have, also within
 * collections.
 */
function unknownParameters(
	parameters: Record<string, unknown>,
	properties: Property[],
	selected = parameters,
): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const property = properties.find(
			({ displayOptions: { show = {} } = {}, ...one }) =>
				one.name === name &&
				['resource', 'operation'].every((by) => show[by]?.includes(selected[by]) ?? true),
		);
		if (property === undefined) return [name];
		const { options = [] } = property;
		const groups = value as Record<string, Record<string, unknown>[]>;
		switch (property.type) {
			case 'collection':
				return unknownParameters(value as Record<string, unknown>, options, selected);
			case 'fixedCollection':
				return options.flatMap((group) =>
					(groups[group.name] ?? []).flatMap((entry) =>
						unknownParameters(entry, group.values ?? [], selected),
					),
				);
			default:
				return [];
		}
	});
}

/** @param getN8n the n8n that imports them */
export function fileSuites(getN8n: () => N8n): void {
	for (const name of workflowNames) {
		suite(name, () => {
			const workflow = readWorkflow(name);
			const notes = workflow.nodes.filter(({ type }) => type === NOTE);

			test('n8n lists it under the name that pages and notes use', () => {
				assert.equal(workflow.name, name);
			});
			const nodes = workflow.nodes.filter(({ type }) => type !== NOTE);

			test('can be imported: n8n knows every node in its version', async () => {
				const id = await getN8n().importWorkflow(readWorkflow(name));
				const { nodes } = await getN8n().rest<Workflow>('GET', `/rest/workflows/${id}`);
				assert.equal(nodes.length, workflow.nodes.length);
			});

			test('our nodes have every parameter that it sets', async () => {
				const ours = nodes.filter(({ type }) => type.startsWith('n8n-nodes-voiceagent.'));
				// n8n adds these to the tool that it derives from a node, and does not describe that tool.
				const ofTools = ['descriptionType', 'toolDescription'];
				const nodeInfos = ours.map(({ type, typeVersion: version }) => {
					return { name: type.replace(/Tool$/, ''), version };
				});
				type Types = Array<{ properties: Property[] }>;
				const types = await getN8n().rest<Types>('POST', '/rest/node-types', { nodeInfos });
				for (const [index, { name, type, parameters }] of ours.entries()) {
					const unknown = unknownParameters(parameters, types[index]?.properties ?? []);
					const added = type.endsWith('Tool') ? ofTools : [];
					const others = unknown.filter((one) => !added.includes(one));
					assert.deepEqual(others, [], name);
				}
			});

			test('brings no credential, result or id of its author along', () => {
				assert.ok(nodes.every(({ credentials }) => credentials === undefined));
				assert.deepEqual(workflow.pinData, {});
				const parts = Object.keys(workflow).sort().join();
				assert.equal(parts, 'connections,name,nodes,pinData,settings');
			});

			test('every node is connected, and no two share a name or an id', () => {
				const connections = Object.entries(workflow.connections) as [string, object][];
				const connected = new Set([
					...connections.map(([from]) => from),
					...connections.flatMap(([, outputs]) =>
						[...JSON.stringify(outputs).matchAll(/"node":"([^"]+)"/g)].map(([, to]) => to),
					),
				]);
				const loose = nodes.map((node) => node.name).filter((one) => !connected.has(one));
				assert.deepEqual(loose, []);
				for (const field of ['name', 'id']) {
					const values = workflow.nodes.map((node) => node[field]);
					assert.equal(new Set(values).size, values.length, field);
				}
			});

			test('nothing lies upon anything else', () => {
				const place = (node: WorkflowNode) => {
					const [x = 0, y = 0] = node.position as number[];
					const { width = SIZE, height = SIZE } = node.parameters as Record<string, number>;
					return { name: node.name, x, y, right: x + width, bottom: y + height };
				};
				const overlaps = (one: WorkflowNode, other: WorkflowNode) => {
					const here = place(one);
					const there = place(other);
					const isBeside = here.right <= there.x || there.right <= here.x;
					const isAbove = here.bottom <= there.y || there.bottom <= here.y;
					return !isBeside && !isAbove;
				};
				for (const group of [nodes, notes]) {
					for (const [index, one] of group.entries()) {
						for (const other of group.slice(index + 1)) {
							assert.ok(!overlaps(one, other), `${one.name} and ${other.name}`);
						}
					}
				}
			});

			test('its notes follow the rules of n8n for templates', () => {
				const words = (note?: WorkflowNode) =>
					String(note?.parameters.content).split(/\s+/).filter(Boolean).length;
				const color = ({ parameters }: WorkflowNode) => parameters.color ?? YELLOW;
				const [overview, ...more] = notes.filter((note) => color(note) === YELLOW);
				assert.deepEqual(more, [], 'one yellow note');
				assert.match(
					String(overview?.parameters.content),
					/### How it works\n[^]*n8n-nodes-voiceagent[^]*### Setup\n1\. /,
				);
				assert.ok(words(overview) >= 100 && words(overview) <= 300, `${words(overview)} words`);
				for (const note of notes.filter((one) => one !== overview)) {
					assert.equal(color(note), WHITE, note.name);
					assert.ok(words(note) < 50, `${note.name}: ${words(note)} words`);
				}
			});

			test('its notes name nodes that there are', () => {
				const named = notes.flatMap(({ parameters }) =>
					[...String(parameters.content).matchAll(/(?<!\*)\*([^*\n]+)\*(?!\*)/g)].map(
						([, one]) => one,
					),
				);
				const known = [...nodes.map((node) => node.name), 'Try Again After'];
				const unknown = named.filter((one) => !known.includes(String(one)));
				assert.deepEqual(unknown, []);
			});
		});
	}
}
