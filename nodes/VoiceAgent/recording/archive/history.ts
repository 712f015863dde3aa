import type {
	IBinaryData,
	IExecuteFunctions,
	INodeParameters,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { oncePerInput } from './oncePerInput';

/**
 * What the nodes before this one have output: in this execution, and in earlier ones that it goes
 * on with. n8n shows that to expressions, so it is asked as an expression would ask it.
 */

/** n8n's Loop Over Items. Its branch `loop` leads to the nodes that come back to it. */
const LOOP_TYPE = 'n8n-nodes-base.splitInBatches';
const DONE_BRANCH = 0;
const LOOP_BRANCH = 1;

/** A run that no node ever has. */
const NO_RUN = Number.MAX_SAFE_INTEGER;

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
	/**
	 * The names of all nodes before it. n8n never counts a node as one before itself. But in a loop,
	 * of two nodes, each is before the other.
	 */
	before: ReadonlySet<string>;
}

export interface Feeder {
	name: string;
	/** Which of its branches leads to the node, if that is known. */
	branch?: number;
}

/** An item that a node has output, and in which of its runs and branches. */
export interface Output {
	run: number;
	branch: number;
	item: unknown;
}

/** A node that an item may have passed on its way to this one. */
export interface Step {
	node: NodeBefore;
	/** What the node has made of the item; `undefined` if that is not known. */
	item: unknown;
}

/** How an input item has come to this node. */
export interface Way {
	context: IExecuteFunctions;
	itemIndex: number;
	steps: readonly Step[];
}

/**
 * All nodes before this one, those far away first: this is the order in which an item passes them.
 * Of nodes in parallel branches, any may be first. In a loop, a node that leads back may come
 * before those that it follows.
 */
export const nodesBefore = oncePerInput((context): NodeBefore[] => {
	const proxy = context.getWorkflowDataProxy(0);
	const nodes = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	return nodes.map(({ name, type, disabled, parameters = {} }) => ({
		name,
		type,
		parameters,
		isDisabled: disabled,
		isPinned: isPinned(proxy, name),
		feeders: feedersOf(context, name),
		before: namesBefore(context, name),
	}));
});

function namesBefore(context: IExecuteFunctions, name: string): Set<string> {
	return new Set(context.getParentNodes(name).map((node) => node.name));
}

function feedersOf(context: IExecuteFunctions, name: string): Feeder[] {
	const feeders = context.getParentNodes(name, { depth: 1 });
	return feeders.map((feeder) => {
		const isLoop = feeder.type === LOOP_TYPE;
		return isLoop ? loopBefore(context, feeder.name, name) : { name: feeder.name };
	});
}

/**
 * Loop Over Items as the feeder of a node. n8n does not say which branch leads to the node: a node
 * that leads back to Loop Over Items counts as one in the loop. Any other node is behind the end of
 * the loop, where Loop Over Items outputs the items that have come back to it.
 *
 * A node behind the end of an inner loop leads back too, through the outer loop, so it counts as
 * one in the inner loop. What the inner loop gives to it then seems to be made by it. That is one
 * reason why proof.ts also looks for nodes before it that have made the same.
 */
function loopBefore(context: IExecuteFunctions, loopName: string, name: string): Feeder {
	const isInLoop = namesBefore(context, loopName).has(name);
	return { name: loopName, branch: isInLoop ? LOOP_BRANCH : DONE_BRANCH };
}

/**
 * Asked for a run that does not exist, n8n answers with the pinned data of a node if there is any.
 * Otherwise it throws.
 */
function isPinned(proxy: IWorkflowDataProxyData, name: string): boolean {
	return itemsIn(proxy, name, { branch: 0, run: NO_RUN }) !== undefined;
}

/**
 * What each node before this one has output in all branches of all its runs, by name.
 *
 * It also has what this node itself has output. n8n does not count this node among those before it,
 * but in a loop, its output may feed them.
 */
export const outputs = oncePerInput((context): Map<string, Output[]> => {
	const proxy = context.getWorkflowDataProxy(0);
	const byName = new Map<string, Output[]>();
	for (const { name, isPinned } of nodesBefore(context)) {
		byName.set(name, isPinned ? pinnedOutputs(proxy, name) : outputsOf(proxy, name));
	}
	const { name } = context.getNode();
	byName.set(name, outputsOf(proxy, name));
	return byName;
});

/** n8n has the same pinned data for each run and branch, so its first ones have all of it. */
function pinnedOutputs(proxy: IWorkflowDataProxyData, name: string): Output[] {
	const place = { run: 0, branch: 0 };
	return (itemsIn(proxy, name, place) ?? []).map((item) => ({ ...place, item }));
}

function outputsOf(proxy: IWorkflowDataProxyData, name: string): Output[] {
	const found: Output[] = [];
	const lastRun = lastRunOf(proxy, name);
	for (let run = 0; run <= lastRun; run++) {
		for (let branch = 0; ; branch++) {
			const items = itemsIn(proxy, name, { branch, run });
			const isBehindLastBranch = items === undefined;
			if (isBehindLastBranch) break;
			for (const item of items) found.push({ run, branch, item });
		}
	}
	return found;
}

/** The index of the last run of a node; -1 if it has not run. */
function lastRunOf(proxy: IWorkflowDataProxyData, name: string): number {
	const nodes = proxy.$node as Record<string, { runIndex: number } | undefined>;
	return nodes[name]?.runIndex ?? -1;
}

/** The way of the input item with this index. */
export function wayOf(context: IExecuteFunctions, itemIndex: number): Way {
	return { context, itemIndex, steps: stepsTo(context, itemIndex) };
}

/** What each of the nodes before this one has made of an input item. */
export function stepsTo(context: IExecuteFunctions, itemIndex: number): Step[] {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	return nodesBefore(context).map((node) => ({ node, item: itemFrom(proxy, node.name) }));
}

/** What n8n answers to `$('Name')`. */
interface NodeData {
	/** `null` for a branch that has output nothing. */
	all(branch: number, run: number): unknown[] | null;
	item: unknown;
}

function dataOf(proxy: IWorkflowDataProxyData, name: string): NodeData {
	return proxy.$(name) as NodeData;
}

/** What a node has output in one branch of one run; `undefined` if it has no such branch or run. */
function itemsIn(
	proxy: IWorkflowDataProxyData,
	name: string,
	{ branch, run }: { branch: number; run: number },
): unknown[] | undefined {
	try {
		return dataOf(proxy, name).all(branch, run) ?? [];
	} catch {
		// n8n throws for a branch or a run that does not exist, and for a node that has not run.
		return undefined;
	}
}

/** What a node has made of the item of this proxy; `undefined` if that is not known. */
function itemFrom(proxy: IWorkflowDataProxyData, name: string): unknown {
	try {
		return dataOf(proxy, name).item;
	} catch {
		// n8n throws for a node that has not run, and for an item whose origin it does not know.
		return undefined;
	}
}

/** The files of an item. In n8n's combined binary mode, its JSON holds them. */
export function filesOf(item: unknown): IBinaryData[] {
	const inJson = jsonOfItem(item)._files;
	const besideJson = isJsonObject(item) ? item.binary : undefined;
	const byField: Record<string, unknown> = {
		...(isJsonObject(inJson) ? inJson : {}),
		...(isJsonObject(besideJson) ? besideJson : {}),
	};
	return Object.values(byField).filter(isJsonObject) as unknown as IBinaryData[];
}
