import type { IExecuteFunctions } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { addTo } from './grouped';
import { type NodeBefore, nodesBefore, outputs, stepsTo } from './history';
import { oncePerInput } from './oncePerInput';

/** What tells a file from any other. */
export interface FileIdentity {
	/** SHA-256 in lower-case hexadecimal. */
	checksum: string;
	/** In bytes, as decimal digits: archives report it as text. */
	size: string;
}

/** A file that a Download node before this one has output. */
export interface RecordedDownload extends FileIdentity {
	/** The name of the Download node. */
	by: string;
	/** The path that Download gave to it. */
	fileName: string;
	/** Whether it is the recording, not the metadata file about it. */
	isRecording: boolean;
	/**
	 * Whether Download could check that it is a whole recording. A metadata file needs no check.
	 */
	isVerified: boolean;
	/** Why it is not verified, if Download says that. */
	unverifiedReason: string | undefined;
	/** Whether the output of that Download node is data that a person has pinned. */
	isPinned: boolean;
	/** What Download says about the call. */
	call: DownloadedCall;
}

/** What Download says about the call of a file; `undefined` if it says nothing. */
export interface DownloadedCall {
	to: string | undefined;
	from: string | undefined;
	/** In ISO 8601, as `keptUntil`. */
	endedAt: string | undefined;
	keptUntil: string | undefined;
}

/** All files of a session that Download nodes have output. */
export type FilesOfSession = readonly [recording: RecordedDownload, ...others: RecordedDownload[]];

const filesBySession = oncePerInput((context) => {
	const bySession = new Map<string, RecordedDownload[]>();
	for (const node of downloadNodes(context)) {
		for (const { item } of outputs(context).get(node.name) ?? []) {
			const file = fileIn(item, node);
			if (!file) continue;
			const sessionGuid = String(jsonOfItem(item).sessionGuid);
			addTo(bySession, canonicalSessionGuid(sessionGuid), file);
		}
	}
	return bySession;
});

/** All files of a session that any Download node before this one has output, in any of its runs. */
export function downloadedFiles(
	context: IExecuteFunctions,
	sessionGuid: string,
): RecordedDownload[] {
	return filesBySession(context).get(canonicalSessionGuid(sessionGuid)) ?? [];
}

/**
 * What an item of Download says about its file; `undefined` for an item without one, such as that
 * of an error.
 */
function fileIn(item: unknown, { name, isPinned }: NodeBefore): RecordedDownload | undefined {
	const json = jsonOfItem(item);
	// Only the item of a recording has `sha256`. That of a metadata file has `metadataSha256`.
	const isRecording = json.sha256 !== undefined;
	const checksum = json.sha256 ?? json.metadataSha256;
	if (checksum === undefined) return undefined;
	return {
		checksum: String(checksum),
		size: String(json.bytes),
		by: name,
		fileName: String(json.fileName ?? ''),
		isRecording,
		isVerified: !isRecording || json.verified === true,
		unverifiedReason: textIn(json.unverifiedReason),
		isPinned,
		call: {
			to: textIn(json.to),
			from: textIn(json.from),
			endedAt: textIn(json.endedAt),
			keptUntil: textIn(json.keptUntil),
		},
	};
}

function textIn(value: unknown): string | undefined {
	return typeof value === 'string' ? value : undefined;
}

function downloadNodes(context: IExecuteFunctions): NodeBefore[] {
	const { type } = context.getNode();
	return nodesBefore(context).filter(
		(node) => node.type === type && node.parameters.operation === 'download' && !node.isDisabled,
	);
}

/**
 * The session GUID of the recording that an input item of this node was made from, as Download has
 * output it. Items of archives do not name their recording.
 *
 * An item is made from one recording, so the first Download node on its way decides. If a later one
 * has downloaded another recording, the archive has nothing that matches the first one.
 *
 * @returns `undefined` if the item has not passed a Download node
 */
export function downloadedSession(context: IExecuteFunctions, itemIndex: number): unknown {
	const downloads = new Set(downloadNodes(context).map(({ name }) => name));
	for (const { node, item } of stepsTo(context, itemIndex)) {
		const { sessionGuid } = jsonOfItem(item);
		if (downloads.has(node.name) && sessionGuid !== undefined) return sessionGuid;
	}
	return undefined;
}

/** The indexes of the input items about each session. Filled by {@link itemsOfSession}. */
const indexesBySession = oncePerInput(() => new Map<string, number[]>());

/**
 * The indexes of the input items about one session, such as a recording and its metadata.
 *
 * @param guidAt the session GUID of the item with this index. The first call in a run of the node
 * reads it for all items, and later calls do not read it again
 *
 * @throws whatever `guidAt` throws for any item: an item without a session GUID may belong to this
 * session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	guidAt: (itemIndex: number) => string,
): number[] {
	const indexes = indexesBySession(context);
	if (indexes.size === 0) {
		// All session GUIDs are read before the first one is noted. If one cannot be read, the next
		// call finds nothing noted, and fails too.
		const guids = context.getInputData().map((_item, index) => guidAt(index));
		for (const [index, guid] of guids.entries()) addTo(indexes, canonicalSessionGuid(guid), index);
	}
	return indexes.get(canonicalSessionGuid(sessionGuid)) ?? [];
}
