/** A Delete node behind other nodes, with n8n's own way to look at what they have output. */
import type {
	IConnections,
	IExecuteFunctions,
	INode,
	INodeExecutionData,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import { Workflow, WorkflowDataProxy } from 'n8n-workflow';

/** The recording that is to be deleted. */
export const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

const DELETE = 'Delete';
const VOICE_AGENT = 'n8n-nodes-voiceagent.voiceAgent';
const THIS_EXECUTION = '2';

/** A node before Delete, and the items of each of its runs. */
export interface Before extends Partial<INode> {
	name: string;
	runs?: object[][];
	pinned?: object[];
	/** The nodes that feed it; by default, the one before it. */
	from?: string[];
}

export interface Flow {
	/** How the execution was started. By default, it inherits nothing. */
	mode?: WorkflowExecuteMode;
	/** In which execution each Download node has output the recording: this one is number 2. */
	notes?: Record<string, string>;
	/** How many runs each node had when n8n stored this execution; nothing if it has not. */
	stored?: Record<string, number>;
	/** The input of Delete; by default, what the last node has output last. */
	input?: object[];
	/** What Delete itself has output before, in a loop. */
	own?: object[][];
}

/** What n8n gives to a Delete node behind these ones. */
export function deleteAfter(nodes: Before[], flow: Flow): IExecuteFunctions {
	const { mode = 'webhook', notes = {}, stored, input, own } = flow;
	const all = [...nodes, { name: DELETE, runs: own }];
	const workflow = workflowOf(all);
	const last = nodes.at(-1);
	const items = linked(input ?? last?.runs?.at(-1) ?? []);
	const executionData = { resultData: { runData: runDataOf(all) } } as never;
	const executeData = {
		data: { main: [items] },
		source: { main: [{ previousNode: last?.name ?? '' }] },
	} as never;
	const runIndex = 0;
	const siblingParameters = {};
	const additionalKeys = {};
	// n8n takes pinned data for the output of a node only in executions by hand.
	const proxyMode = nodes.some(({ pinned }) => pinned) ? 'manual' : mode;
	const downloads = Object.entries(notes).map(([node, execution]) => [node, { [GUID]: execution }]);
	const flowContext = { voiceAgentDownloads: Object.fromEntries(downloads) as object };
	return {
		getInputData: () => items,
		getNode: () => ({ name: DELETE, type: VOICE_AGENT }),
		getMode: () => mode,
		getParentNodes: (node: string, { depth }: { depth?: number } = {}) =>
			workflow.getParentNodes(node, 'main', depth).map((parent) => ({
				...workflow.nodes[parent],
				disabled: workflow.nodes[parent]?.disabled ?? false,
			})),
		getWorkflowDataProxy: (itemIndex: number) =>
			new WorkflowDataProxy(
				workflow,
				executionData,
				runIndex,
				itemIndex,
				DELETE,
				items,
				siblingParameters,
				proxyMode,
				additionalKeys,
				executeData,
			).getDataProxy(),
		evaluateExpression: (expression: string, itemIndex: number) =>
			workflow.expression.resolveSimpleParameterValue(
				`=${expression}`,
				siblingParameters,
				executionData,
				runIndex,
				itemIndex,
				DELETE,
				items,
				mode,
				additionalKeys,
				executeData,
			),
		getContext: () => flowContext,
		getExecutionId: () => THIS_EXECUTION,
		getExecutionDataById: async (id: string) => {
			if (id !== THIS_EXECUTION || stored === undefined) return undefined;
			return { resultData: { runData: storedRunData(stored) } };
		},
	} as unknown as IExecuteFunctions;
}

function workflowOf(nodes: Before[]): Workflow {
	const connections: IConnections = {};
	for (const [index, { name }] of nodes.entries()) {
		for (const feeder of feedersOf(nodes, index)) {
			const { main } = (connections[feeder] ??= { main: [[]] });
			main?.[0]?.push({ node: name, type: 'main', index: 0 });
		}
	}
	return new Workflow({
		nodes: nodes.map((node) => ({ type: VOICE_AGENT, parameters: {}, ...node }) as INode),
		connections,
		active: false,
		nodeTypes: { getByNameAndVersion: () => undefined } as never,
		pinData: Object.fromEntries(nodes.map(({ name, pinned }) => [name, pinned])) as never,
	});
}

/** The runs of this execution, without nodes that have not run. */
function runDataOf(nodes: Before[]): Record<string, unknown[]> {
	const runData: Record<string, unknown[]> = {};
	for (const [index, { name, runs = [] }] of nodes.entries()) {
		if (runs.length === 0) continue;
		const [previousNode = ''] = feedersOf(nodes, index);
		const source = [{ previousNode }];
		runData[name] = runs.map((items) => ({ data: { main: [linked(items)] }, source }));
	}
	return runData;
}

/** As many runs of each node as these, without what they were. */
function storedRunData(counts: Record<string, number>): Record<string, object[]> {
	const runData: Record<string, object[]> = {};
	for (const [name, count] of Object.entries(counts)) {
		runData[name] = Array.from({ length: count }, () => ({}));
	}
	return runData;
}

function feedersOf(nodes: Before[], index: number): string[] {
	const before = nodes[index - 1];
	return nodes[index]?.from ?? (before ? [before.name] : []);
}

/** Items that n8n traces to the input items in the same place. */
function linked(items: object[]): INodeExecutionData[] {
	return items.map((one, item) => ({ pairedItem: { item }, ...one })) as INodeExecutionData[];
}
