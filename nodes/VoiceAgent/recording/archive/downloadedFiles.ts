import type { IExecuteFunctions, INodeExecutionData, IWorkflowDataProxyData } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../../data/json';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import type { FileIdentity } from './archiveProof';

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
	const { name, type } = context.getNode();
	const proxy = context.getWorkflowDataProxy(0);
	const runIndexes = proxy.$node as Record<string, { runIndex?: number } | undefined>;
	const files = new Map<string, FileIdentity[]>();
	for (const parent of context.getParentNodes(name, { includeNodeParameters: true })) {
		if (parent.type !== type || parent.parameters?.operation !== 'download') continue;
		// Data that is pinned has no run.
		const lastRun = Math.max(0, runIndexes[parent.name]?.runIndex ?? 0);
		for (let run = 0; run <= lastRun; run++) {
			const ofRun = new Map<string, FileIdentity[]>();
			for (const item of read(proxy, parent.name, ({ all }) => all(0, run)) ?? []) {
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

/** The first error that a node before this one has met with an item. */
export function errorBefore(context: IExecuteFunctions, itemIndex: number): unknown {
	const proxy = context.getWorkflowDataProxy(itemIndex);
	const fromTheStart = context.getParentNodes(context.getNode().name);
	const items = fromTheStart.map(({ name }) => read(proxy, name, ({ item }) => item));
	return [...items, context.getInputData()[itemIndex]]
		.map(messageIn)
		.find((message) => message !== undefined);
}

function messageIn(item: unknown): unknown {
	const json = jsonOfItem(item);
	if (!isJsonObject(json)) return undefined;
	return isJsonObject(json.error) ? json.error.message : json.error;
}

interface NodeData {
	all(output: number, run: number): INodeExecutionData[];
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
