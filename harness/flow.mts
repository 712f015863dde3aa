/** Nodes, and workflows of nodes that follow one another. */
import { randomUUID } from 'node:crypto';

import type { Workflow, WorkflowNode } from './n8n/n8n.mts';

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
	return {
		name: 'VoiceAgent',
		type: 'n8n-nodes-voiceagent.voiceAgent',
		typeVersion: 1,
		parameters,
		...settings,
	};
}

/** The VoiceAgent Trigger, with an address of its own. */
export function voiceAgentTrigger(
	parameters: Record<string, unknown>,
	name = 'VoiceAgent Trigger',
): WorkflowNode {
	return {
		name,
		type: 'n8n-nodes-voiceagent.voiceAgentTrigger',
		typeVersion: 2,
		webhookId: randomUUID(),
		parameters,
	};
}

/** The VoiceAgent Recording Trigger. */
export function recordingTrigger(
	parameters: Record<string, unknown>,
	name = 'Recordings waiting',
): WorkflowNode {
	return {
		name,
		type: 'n8n-nodes-voiceagent.voiceAgentRecordingTrigger',
		typeVersion: 1,
		parameters,
	};
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
	const type = 'n8n-nodes-base.googleDrive';
	return { name: 'Archive', type, typeVersion: 1, parameters: { answers }, ...settings };
}

/** A node that fails with this message. */
export function failing(errorMessage: string): WorkflowNode {
	return {
		name: 'Fail',
		type: 'n8n-nodes-base.stopAndError',
		typeVersion: 1,
		parameters: { errorMessage },
	};
}

/** A node that waits. */
export function wait(seconds: number): WorkflowNode {
	return {
		name: 'Wait',
		type: 'n8n-nodes-base.wait',
		typeVersion: 1.1,
		parameters: { resume: 'timeInterval', amount: seconds, unit: 'seconds' },
	};
}

/** The parameter Recording, chosen by session GUID. */
export function byGuid(value = '={{ $json.sessionGuid }}') {
	return { __rl: true, mode: 'id', value };
}
