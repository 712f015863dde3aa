import type { IExecuteFunctions, INodeExecutionData, IWorkflowDataProxyData } from 'n8n-workflow';

import { isJsonObject, jsonOfItem } from '../../data/json';
import { canonicalSessionGuid } from '../../service/sessionGuid';

/** Checksum and size of a file that was downloaded. */
export interface DownloadedFile {
	checksum: unknown;
	size: unknown;
}

/** Recording, No Recording, Not Opened. */
const OUTPUTS = [0, 1, 2];

const filesByInput = new WeakMap<object, Map<string, DownloadedFile[]>>();

/**
 * The files that Download nodes before this one have output, by canonical session GUID. In a loop, those of the last turn
 * in which a session occurs.
 */
export function downloadedBefore(context: IExecuteFunctions): Map<string, DownloadedFile[]> {
	const input = context.getInputData();
	const files = filesByInput.get(input) ?? readDownloads(context);
	filesByInput.set(input, files);
	return files;
}

function readDownloads(context: IExecuteFunctions): Map<string, DownloadedFile[]> {
	const { name, type } = context.getNode();
	const proxy = context.getWorkflowDataProxy(0);
	const files = new Map<string, DownloadedFile[]>();
	for (const parent of context.getParentNodes(name, { includeNodeParameters: true })) {
		if (parent.type !== type || parent.parameters?.operation !== 'download') continue;
		// Data that is pinned has no run.
		const lastRun = Math.max(0, runIndexOf(proxy, parent.name));
		for (let run = 0; run <= lastRun; run++) {
			const ofRun = new Map<string, DownloadedFile[]>();
			for (const output of OUTPUTS) {
				for (const item of itemsOf(proxy, parent.name, output, run)) {
					const json = jsonOfItem(item);
					if (!isJsonObject(json) || !('sha256' in json || 'metadataSha256' in json)) continue;
					const session = canonicalSessionGuid(String(json.sessionGuid));
					const file = { checksum: json.sha256 ?? json.metadataSha256, size: json.bytes };
					ofRun.set(session, [...(ofRun.get(session) ?? []), file]);
				}
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
	const items = fromTheStart.map(({ name }) => pairedItem(proxy, name));
	return [...items, context.getInputData()[itemIndex]]
		.map(messageIn)
		.find((message) => message !== undefined);
}

function messageIn(item: unknown): unknown {
	const json = jsonOfItem(item);
	if (!isJsonObject(json)) return undefined;
	return isJsonObject(json.error) ? json.error.message : json.error;
}

/*
 * n8n throws for a node that has not run, for an output without items, and for an item whose origin is not known.
 */

function runIndexOf(proxy: IWorkflowDataProxyData, node: string): number {
	const { runIndex } = (proxy.$node as Record<string, { runIndex: number }>)[node] ?? {};
	return runIndex ?? 0;
}

function itemsOf(
	proxy: IWorkflowDataProxyData,
	node: string,
	output: number,
	run: number,
): INodeExecutionData[] {
	try {
		return (proxy.$(node) as NodeData).all(output, run);
	} catch {
		return [];
	}
}

function pairedItem(proxy: IWorkflowDataProxyData, node: string): unknown {
	try {
		return (proxy.$(node) as NodeData).item;
	} catch {
		return undefined;
	}
}

interface NodeData {
	all(output: number, run: number): INodeExecutionData[];
	item: unknown;
}
