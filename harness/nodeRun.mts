/** The workflow that runs the VoiceAgent node once, by hand. */
import type { Json } from './n8n/execution.mts';
import type { Credential, Workflow, WorkflowNode } from './n8n/n8n.mts';

/** Name of the node under test. */
export const NODE = 'VoiceAgent';

/** Name of the node that hands out the input items. */
export const START = 'Start';

export interface NodeRun {
	parameters: Record<string, unknown>;
	/** JSON of the input items; one empty item by default. */
	items?: Array<Record<string, Json>>;
	/** Credentials by type; those of the stack by default. */
	credentials?: Record<string, Credential>;
	/** Other settings of the node, such as `onError`. */
	settings?: Record<string, unknown>;
	/** Settings of the workflow, such as `binaryMode`. */
	workflowSettings?: Record<string, unknown>;
	/** Nodes between the items and the VoiceAgent node. */
	before?: WorkflowNode[];
}

export function workflowAround(run: NodeRun): Workflow {
	const { parameters, items = [{}], settings, workflowSettings, before = [] } = run;
	const nodes: WorkflowNode[] = [
		{ name: START, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		...before,
		{
			name: NODE,
			type: 'n8n-nodes-voiceagent.voiceAgent',
			typeVersion: 1,
			parameters,
			...settings,
		},
	].map((node, index) => ({ ...node, id: `node-${index}`, position: [index * 220, 0] }));
	return {
		name: `${String(parameters.resource)}: ${String(parameters.operation)}`,
		nodes,
		connections: chain(nodes.map(({ name }) => name)),
		settings: workflowSettings,
		pinData: { [START]: items.map((json) => ({ json })) },
	};
}

/** Connects nodes one after the other. */
export function chain(names: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(
		names
			.slice(0, -1)
			.map((name, index) => [
				name,
				{ main: [[{ node: names[index + 1], type: 'main', index: 0 }]] },
			]),
	);
}

/** The parameter Recording, chosen by session GUID. */
export function byGuid(value = '={{ $json.sessionGuid }}') {
	return { __rl: true, mode: 'id', value };
}
