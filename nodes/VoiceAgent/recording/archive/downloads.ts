import type { IExecuteFunctions } from 'n8n-workflow';

import { jsonOfItem } from '../../../data/json';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { type NodeBefore, nodesBefore, oncePerInput, outputs, stepsTo } from './history';

/** What tells a file from any other. */
export interface FileIdentity {
	/** SHA-256 in lower-case hexadecimal. */
	checksum: string;
	/** In bytes. */
	size: string;
}

/** A file that a Download node before this one has output. */
export interface DownloadedFile extends FileIdentity {
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
	/** If it is not verified: why, as Download says. */
	unverifiedReason?: string;
	/** Whether the output of that Download node is data that a person has pinned. */
	isPinned: boolean;
}

const filesBySession = oncePerInput((context) => {
	const bySession = new Map<string, DownloadedFile[]>();
	for (const node of downloadNodes(context)) {
		for (const { item } of outputs(context).get(node.name) ?? []) {
			const file = fileIn(jsonOfItem(item), node);
			if (!file) continue;
			const session = canonicalSessionGuid(String(jsonOfItem(item).sessionGuid));
			bySession.set(session, [...(bySession.get(session) ?? []), file]);
		}
	}
	return bySession;
});

/** All files of a session that any Download node before this one has output, in any of its runs. */
export function downloadedFiles(context: IExecuteFunctions, sessionGuid: string): DownloadedFile[] {
	return filesBySession(context).get(canonicalSessionGuid(sessionGuid)) ?? [];
}

/**
 * What an item of Download says about its file; `undefined` for an item without one, such as that
 * of an error.
 */
function fileIn(
	json: Record<string, unknown>,
	{ name, isPinned }: NodeBefore,
): DownloadedFile | undefined {
	const { sha256, metadataSha256, bytes, fileName = '', verified, unverifiedReason } = json;
	const checksum = sha256 ?? metadataSha256;
	if (checksum === undefined) return undefined;
	const isRecording = sha256 !== undefined;
	return {
		checksum: String(checksum),
		size: String(bytes),
		by: name,
		fileName: String(fileName),
		isRecording,
		isVerified: !isRecording || verified === true,
		...(typeof unverifiedReason === 'string' && { unverifiedReason }),
		isPinned,
	};
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
 */
export function downloadedSession(context: IExecuteFunctions, itemIndex: number): unknown {
	const names = downloadNodes(context).map(({ name }) => name);
	const steps = stepsTo(context, itemIndex).filter(({ node }) => names.includes(node.name));
	const guids = steps.map(({ item }) => jsonOfItem(item).sessionGuid);
	return guids.find((guid) => guid !== undefined);
}

const indexesBySession = new WeakMap<object, Map<string, number[]>>();

/**
 * The indexes of the input items about one session, such as a recording and its metadata.
 *
 * @param guidAt the session GUID of the item with this index; it is asked once for each item of a
 * run
 * @throws whatever `guidAt` throws for any item: one that cannot be read may belong to this session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	guidAt: (itemIndex: number) => string,
): number[] {
	const input = context.getInputData();
	let indexes = indexesBySession.get(input);
	if (!indexes) {
		indexes = new Map();
		for (const index of input.keys()) {
			const session = canonicalSessionGuid(guidAt(index));
			indexes.set(session, [...(indexes.get(session) ?? []), index]);
		}
		indexesBySession.set(input, indexes);
	}
	return indexes.get(canonicalSessionGuid(sessionGuid)) ?? [];
}
