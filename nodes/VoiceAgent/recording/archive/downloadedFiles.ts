import type { IBinaryData, IExecuteFunctions, IWorkflowDataProxyData } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import type { FileIdentity } from './archiveProof';

/** A node between Download and this one, in the order of the workflow, and what it has made of an item. */
export interface Step {
	name: string;
	type: string;
	disabled: boolean;
	/** Whether its output is data that a person has pinned. */
	isPinned: boolean;
	item: unknown;
}

const filesByInput = new WeakMap<object, Map<string, FileIdentity[]>>();

/**
 * The files of a session that Download nodes before this one have output, the recording first. In a loop, those of the last
 * turn in which the session occurs.
 */
export function downloadedBefore(context: IExecuteFunctions, sessionGuid: string): FileIdentity[] {
	const input = context.getInputData();
	const files = filesByInput.get(input) ?? readDownloads(context);
	filesByInput.set(input, files);
	return files.get(canonicalSessionGuid(sessionGuid)) ?? [];
}

function readDownloads(context: IExecuteFunctions): Map<string, FileIdentity[]> {
	const proxy = context.getWorkflowDataProxy(0);
	const files = new Map<string, FileIdentity[]>();
	for (const name of downloadNodes(context)) {
		for (let run = 0; run <= lastRunOf(proxy, name); run++) {
			const ofRun = new Map<string, FileIdentity[]>();
			for (const item of read(proxy, name, ({ all }) => all(0, run)) ?? []) {
				const json = jsonOfItem(item);
				if (!isJsonObject(json) || !('sha256' in json || 'metadataSha256' in json)) continue;
				const session = canonicalSessionGuid(String(json.sessionGuid));
				const file = {
					checksum: String(json.sha256 ?? json.metadataSha256),
					size: String(json.bytes),
				};
				ofRun.set(session, [...(ofRun.get(session) ?? []), file]);
			}
			for (const [session, ofSession] of ofRun) files.set(session, ofSession);
		}
	}
	return files;
}

/** The session GUID of the recording that an item began as in a Download node before this one. */
export function downloadedSession(context: IExecuteFunctions, itemIndex: number): unknown {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	for (const name of downloadNodes(context).reverse()) {
		const json = jsonOfItem(read(proxy, name, ({ item }) => item));
		if (isJsonObject(json) && json.sessionGuid) return json.sessionGuid;
	}
	return undefined;
}

function downloadNodes(context: IExecuteFunctions): string[] {
	const { name, type } = context.getNode();
	return context
		.getParentNodes(name, { includeNodeParameters: true })
		.filter((parent) => parent.type === type && parent.parameters?.operation === 'download')
		.map((parent) => parent.name);
}

/** How an item has come from the first Download node to this one. The last step is the node that this one gets it from. */
export function stepsTo(context: IExecuteFunctions, itemIndex: number): Step[] {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	const parents = context.getParentNodes(context.getNode().name);
	const [download] = downloadNodes(context);
	const first = parents.findIndex(({ name }) => name === download);
	const steps = parents.slice(Math.max(0, first)).map(({ name, type, disabled }) => ({
		name,
		type,
		disabled,
		// For a run that does not exist, n8n has only pinned data.
		isPinned: read(proxy, name, ({ all }) => all(0, 1e9)) !== undefined,
		item: read(proxy, name, ({ item }) => item),
	}));
	const { previousNode } = context.getInputSourceData();
	const none = { name: previousNode, type: '', disabled: false, isPinned: false };
	const source = steps.find(({ name }) => name === previousNode) ?? none;
	return [...steps, { ...source, item: context.getInputData()[itemIndex] }];
}

/** The number of the last run of a node in this execution. Data that is pinned may have none. */
export function lastRunOf(proxy: IWorkflowDataProxyData, name: string): number {
	const nodes = proxy.$node as Record<string, { runIndex?: number } | undefined>;
	return Math.max(0, nodes[name]?.runIndex ?? 0);
}

/** The files of an item. In n8n's combined binary mode, its JSON holds them. */
export function filesOf(item: unknown): IBinaryData[] {
	const json = jsonOfItem(item);
	const { binary } = (item ?? {}) as { binary?: unknown };
	const files = binary ?? (isJsonObject(json) ? json._files : undefined);
	return isJsonObject(files) ? (Object.values(files) as IBinaryData[]) : [];
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
