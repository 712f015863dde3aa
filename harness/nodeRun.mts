/** The workflow that runs the VoiceAgent node once, by hand. */
import { inARow, manualTrigger, voiceAgent } from './flow.mts';
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
	/** What some of these nodes put out, in place of running. */
	pinned?: Record<string, PinnedItem[]>;
	timeoutMs?: number;
}

export interface PinnedItem {
	json: Record<string, Json>;
	binary?: Record<string, { data: string; mimeType: string; fileName?: string }>;
	pairedItem?: { item: number };
}

export function workflowAround(run: NodeRun): Workflow {
	const { parameters, items = [{}], settings, workflowSettings, before = [], pinned } = run;
	return inARow(
		`${String(parameters.resource)}: ${String(parameters.operation)}`,
		[manualTrigger(START), ...before, voiceAgent(parameters, { name: NODE, ...settings })],
		{
			settings: workflowSettings,
			pinData: { [START]: items.map((json) => ({ json })), ...pinned },
		},
	);
}
