import type {
	IBinaryData,
	IExecuteFunctions,
	INodeParameters,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';

/**
 * What the nodes before this one have output: in this execution, and in earlier ones that it goes
 * on with.
 */

/** n8n's Loop Over Items: its branches are called done and loop. */
const LOOP = 'n8n-nodes-base.splitInBatches';
const LOOP_BRANCH = 1;

/** A node before this one. */
export interface NodeBefore {
	name: string;
	type: string;
	parameters: INodeParameters;
	isDisabled: boolean;
	/** Whether its output is data that a person has pinned. */
	isPinned: boolean;
	/** The nodes that are connected to its input. */
	feeders: readonly Feeder[];
	/** The names of all nodes before it. In a loop, a node is before itself. */
	before: ReadonlySet<string>;
}

export interface Feeder {
	name: string;
	/** The branch that leads to the node, if that is known. */
	branch?: number;
}

/** An item that a node has output, and in which of its runs and branches. */
export interface Output {
	run: number;
	branch: number;
	item: unknown;
}

/**
 * A node on the way of an item to this one, and what it has made of the item: `undefined` if that
 * is not known.
 */
export interface Step {
	node: NodeBefore;
	item: unknown;
}

/** Makes something once for all input items of a run of this node. */
export function oncePerInput<T>(make: (context: IExecuteFunctions) => T) {
	const byInput = new WeakMap<object, T>();
	return (context: IExecuteFunctions): T => {
		const input = context.getInputData();
		const known = byInput.get(input);
		if (known !== undefined) return known;
		const made = make(context);
		byInput.set(input, made);
		return made;
	};
}

/**
 * All nodes before this one, those far away first. In loops and parallel branches, the order says
 * nothing.
 */
export const nodesBefore = oncePerInput((context): NodeBefore[] => {
	const proxy = context.getWorkflowDataProxy(0);
	const nodes = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	const namesBefore = (name: string) =>
		new Set(context.getParentNodes(name).map((node) => node.name));
	return nodes.map(({ name, type, disabled, parameters = {} }) => ({
		name,
		type,
		parameters,
		isDisabled: disabled,
		isPinned: isPinned(proxy, name),
		feeders: context.getParentNodes(name, { depth: 1 }).map((feeder) => ({
			name: feeder.name,
			// The branch that comes back to it begins there. Its other one has what has come back.
			...(feeder.type === LOOP && {
				branch: namesBefore(feeder.name).has(name) ? LOOP_BRANCH : 0,
			}),
		})),
		before: namesBefore(name),
	}));
});

/** For a run that does not exist, n8n has pinned data if there is any, and nothing else. */
function isPinned(proxy: IWorkflowDataProxyData, name: string): boolean {
	const noRun = Number.MAX_SAFE_INTEGER;
	return read(proxy, name, ({ all }) => all(0, noRun)) !== undefined;
}

/**
 * What each node before this one has output in all branches of all its runs, by name; and this node
 * itself, which comes before the others in a loop.
 */
export const outputs = oncePerInput((context): Map<string, Output[]> => {
	const proxy = context.getWorkflowDataProxy(0);
	const nodes = [...nodesBefore(context), { name: context.getNode().name, isPinned: false }];
	return new Map(nodes.map((node) => [node.name, outputsOf(proxy, node)]));
});

function outputsOf(
	proxy: IWorkflowDataProxyData,
	{ name, isPinned }: Pick<NodeBefore, 'name' | 'isPinned'>,
): Output[] {
	const inBranch = (branch: number, run: number) => {
		const items = read(proxy, name, ({ all }) => all(branch, run) ?? []);
		return items?.map((item) => ({ run, branch, item }));
	};
	// n8n has the same pinned data for each branch and run, whether there is one or not.
	if (isPinned) return inBranch(0, 0) ?? [];

	const found: Output[] = [];
	for (let run = 0; run <= lastRunOf(proxy, name); run++) {
		let branch = 0;
		let items = inBranch(branch, run);
		while (items !== undefined) {
			found.push(...items);
			branch += 1;
			items = inBranch(branch, run);
		}
	}
	return found;
}

/** The index of the last run of a node; -1 if it has not run. */
function lastRunOf(proxy: IWorkflowDataProxyData, name: string): number {
	const nodes = proxy.$node as Record<string, { runIndex: number } | undefined>;
	return nodes[name]?.runIndex ?? -1;
}

/** How an item has come to this node: what each of the nodes before it has made of it. */
export function stepsTo(context: IExecuteFunctions, itemIndex: number): Step[] {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	return nodesBefore(context).map((node) => ({
		node,
		item: read(proxy, node.name, ({ item }) => item),
	}));
}

/** The files of an item. In n8n's combined binary mode, its JSON holds them. */
export function filesOf(item: unknown): IBinaryData[] {
	const { _files } = jsonOfItem(item);
	const { binary } = (item ?? {}) as { binary?: object };
	return Object.values({ ...(isJsonObject(_files) && _files), ...binary }) as IBinaryData[];
}

interface NodeData {
	all(branch: number, run: number): unknown[] | null;
	item: unknown;
}

/** What the node of this name has output. */
function read<T>(
	proxy: IWorkflowDataProxyData,
	node: string,
	from: (data: NodeData) => T,
): T | undefined {
	try {
		return from(proxy.$(node) as NodeData);
	} catch {
		// n8n throws for a node that has not run, for one without items, and for an item whose
		// origin is not known.
		return undefined;
	}
}
