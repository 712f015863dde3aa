import type {
	IBinaryData,
	IExecuteFunctions,
	INodeParameters,
	IWorkflowDataProxyData,
} from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { canonicalSessionGuid } from '../../../service/sessionGuid';

/** What tells a file from any other. */
export interface FileIdentity {
	/** SHA-256 in lower-case hexadecimal. */
	checksum: string;
	/** In bytes. */
	size: string;
}

/** A node before this one. */
export interface Origin {
	name: string;
	type: string;
	parameters: INodeParameters;
	disabled?: boolean;
	/** Whether its output is data that a person has pinned. */
	isPinned: boolean;
}

/** A node between Download and this one, in the order of the workflow, and what it has made of an item. */
export type Step = Partial<Origin> & { item: unknown };

/** Makes something once for all input items of a node. */
export function oncePerInput<T, Args extends unknown[]>(
	make: (context: IExecuteFunctions, ...args: Args) => T,
) {
	const byInput = new WeakMap<object, T>();
	return (context: IExecuteFunctions, ...args: Args): T => {
		const input = context.getInputData();
		const made = byInput.get(input) ?? make(context, ...args);
		byInput.set(input, made);
		return made;
	};
}

const downloads = oncePerInput(readDownloads);

/**
 * The files of a session that Download nodes before this one have output, the recording first. In a loop, those of the last
 * turn in which the session occurs.
 */
export function downloadedBefore(context: IExecuteFunctions, sessionGuid: string): FileIdentity[] {
	return downloads(context).get(canonicalSessionGuid(sessionGuid)) ?? [];
}

function readDownloads(context: IExecuteFunctions): Map<string, FileIdentity[]> {
	const proxy = context.getWorkflowDataProxy(0);
	const files = new Map<string, FileIdentity[]>();
	for (const items of downloadNodes(context).flatMap((name) => outputsOf(proxy, name))) {
		const ofRun = new Map<string, FileIdentity[]>();
		for (const { sessionGuid, sha256, metadataSha256, bytes } of items.map(jsonOfItem)) {
			const checksum = sha256 ?? metadataSha256;
			if (checksum === undefined) continue;
			const session = canonicalSessionGuid(String(sessionGuid));
			const file = { checksum: String(checksum), size: String(bytes) };
			ofRun.set(session, [...(ofRun.get(session) ?? []), file]);
		}
		for (const [session, ofSession] of ofRun) files.set(session, ofSession);
	}
	return files;
}

function downloadNodes(context: IExecuteFunctions): string[] {
	const { type } = context.getNode();
	return nodesBefore(context)
		.filter((node) => node.type === type && node.parameters.operation === 'download')
		.map(({ name }) => name);
}

/** The first node, in the order of the workflow, that has output something which `keysOf` finds in an item. */
export function originsOf(
	context: IExecuteFunctions,
	keysOf: (item: unknown) => string[],
): Map<string, Origin> {
	const origins = new Map<string, Origin>();
	const proxy = context.getWorkflowDataProxy(0);
	for (const node of nodesBefore(context)) {
		const keys = outputsOf(proxy, node.name).flat().flatMap(keysOf);
		for (const key of keys) if (!origins.has(key)) origins.set(key, node);
	}
	return origins;
}

const nodesBefore = oncePerInput((context): Origin[] => {
	const proxy = context.getWorkflowDataProxy(0);
	const nodes = context.getParentNodes(context.getNode().name, { includeNodeParameters: true });
	return nodes.map(({ parameters = {}, ...node }) => ({
		...node,
		parameters,
		// For a run that does not exist, n8n has only pinned data.
		isPinned: read(proxy, node.name, ({ all }) => all(0, 1e9)) !== undefined,
	}));
});

/** How an item has come from the first Download node to this one. The last step is the node that this one gets it from. */
export function stepsTo(context: IExecuteFunctions, itemIndex: number): [...Step[], Step] {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	const steps = nodesBefore(context).map((node) => ({
		...node,
		item: read(proxy, node.name, ({ item }) => item),
	}));
	const [download] = downloadNodes(context);
	const first = steps.findIndex(({ name }) => name === download);
	const { previousNode } = context.getInputSourceData();
	const source = steps.find(({ name }) => name === previousNode);
	const last = { ...source, item: context.getInputData()[itemIndex] };
	return [...steps.slice(Math.max(0, first)), last];
}

/** What a node has output in each of its runs in this execution. Data that is pinned may have no run. */
function outputsOf(proxy: IWorkflowDataProxyData, name: string): unknown[][] {
	const runs = Array.from({ length: lastRunOf(proxy, name) + 1 }, (_, run) => run);
	return runs.map((run) => read(proxy, name, ({ all }) => all(0, run)) ?? []);
}

function lastRunOf(proxy: IWorkflowDataProxyData, name: string): number {
	const nodes = proxy.$node as Record<string, { runIndex: number }>;
	const { runIndex = 0 } = nodes[name] ?? {};
	return Math.max(0, runIndex);
}

/** The files of an item. In n8n's combined binary mode, its JSON holds them. */
export function filesOf(item: unknown): IBinaryData[] {
	const { _files } = jsonOfItem(item);
	const { binary } = (item ?? {}) as { binary?: object };
	return Object.values({ ...(isJsonObject(_files) && _files), ...binary }) as IBinaryData[];
}

interface NodeData {
	all(output: number, run: number): unknown[];
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
		// n8n throws for a node that has not run, for one without items, and for an item whose origin is not known.
		return undefined;
	}
}

/** In which executions something was done with a recording, by canonical session GUID. A retry begins with these notes. */
interface Notes {
	downloaded: Record<string, string>;
	checked: Record<string, string>;
}

export function noteDownload(context: IExecuteFunctions, sessionGuid: string): void {
	const { downloaded, checked } = notesOf(context);
	const key = canonicalSessionGuid(sessionGuid);
	downloaded[key] = context.getExecutionId();
	delete checked[key];
}

/**
 * Whether this execution has asked the archive about a recording. n8n's Retry begins with the node that failed, and the
 * editor with the step that is executed: what other nodes have output is then as old as the execution that they ran in.
 * @returns for the name of a node that has asked the archive
 */
export function freshnessOf(
	context: IExecuteFunctions,
	sessionGuid: string,
): (name: string) => Promise<boolean> {
	const { downloaded, checked } = notesOf(context);
	const key = canonicalSessionGuid(sessionGuid);
	const thisOne = context.getExecutionId();
	const [downloadedIn, checkedIn = thisOne] = [downloaded[key], checked[key]];
	checked[key] = thisOne;
	return async (name) => {
		if (downloadedIn === thisOne) return true;
		if (downloadedIn === undefined || checkedIn !== thisOne) return false;
		const earlier = await context.getExecutionDataById(downloadedIn);
		if (!earlier) return false;
		const run =
			earlier.resultData.runData[name]?.[lastRunOf(context.getWorkflowDataProxy(0), name)];
		return run === undefined || run.error !== undefined;
	};
}

function notesOf(context: IExecuteFunctions): Notes {
	const kept = context.getContext('flow') as { voiceAgent?: Notes };
	return (kept.voiceAgent ??= { downloaded: {}, checked: {} });
}
