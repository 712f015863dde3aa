/** Nodes, and workflows of nodes that follow one another. */
import { randomUUID } from 'node:crypto';

import type { Workflow, WorkflowNode } from './n8n/n8n.mts';

/** How to make nodes of a package. */
const nodesOf =
	(packageName: string) =>
	(
		name: string,
		type: string,
		typeVersion: number,
		parameters: Record<string, unknown> = {},
	): WorkflowNode => ({ name, type: `${packageName}.${type}`, typeVersion, parameters });

const ours = nodesOf('n8n-nodes-voiceagent');
export const baseNode = nodesOf('n8n-nodes-base');

/** A workflow of nodes that are connected one after the other. */
export function inARow(
	name: string,
	nodes: readonly WorkflowNode[],
	more: Pick<Workflow, 'settings' | 'pinData'> = {},
): Workflow {
	const connections = nodes.slice(1).map(({ name: node }, index) => {
		const main = [[{ node, type: 'main', index: 0 }]];
		return [nodes[index]?.name, { main }] as const;
	});
	return {
		name: name.slice(0, 128),
		nodes: nodes.map((node, index) => ({ id: randomUUID(), position: [index * 220, 0], ...node })),
		connections: Object.fromEntries(connections),
		...more,
	};
}

export function voiceAgent(
	parameters: Record<string, unknown>,
	settings: Record<string, unknown> = {},
): WorkflowNode {
	return { ...ours('VoiceAgent', 'voiceAgent', 1, parameters), ...settings };
}

/** The VoiceAgent Trigger, with an address of its own. */
export function voiceAgentTrigger(
	parameters: Record<string, unknown>,
	name = 'VoiceAgent Trigger',
): WorkflowNode {
	return { ...ours(name, 'voiceAgentTrigger', 2, parameters), webhookId: randomUUID() };
}

/** The VoiceAgent Recording Trigger. */
export function recordingTrigger(
	parameters: Record<string, unknown>,
	name = 'Recordings waiting',
): WorkflowNode {
	return ours(name, 'voiceAgentRecordingTrigger', 1, parameters);
}

/**
 * A node that talks to an archive, for the engine.
 *
 * @param answers what the archive says of each item; by default, its files are read back
 */
export function archiveNode(
	answers: Array<{ json: object; file?: string }> = [],
	settings: Record<string, unknown> = {},
): WorkflowNode {
	const isReport = answers.length > 0 && answers.every(({ file }) => file === undefined);
	const operation = isReport ? 'upload' : 'download';
	const parameters = { resource: 'file', operation, answers };
	return { ...baseNode('Archive', 'googleDrive', 1, parameters), ...settings };
}

/** A trigger that starts a workflow by hand. */
export const manualTrigger = (name = 'Start') => baseNode(name, 'manualTrigger', 1);

/** A node that fails with this message. */
export const failing = (errorMessage: string) =>
	baseNode('Fail', 'stopAndError', 1, { errorMessage });

/** A node that waits. */
export const wait = (amount: number) =>
	baseNode('Wait', 'wait', 1.1, { resume: 'timeInterval', amount, unit: 'seconds' });

/** The parameter Recording, chosen by session GUID. */
export function byGuid(value = '={{ $json.sessionGuid }}') {
	return { __rl: true, mode: 'id', value };
}
