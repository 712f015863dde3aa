import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import type { FileIdentity } from './archiveProof';
import { difference, parseIdentity } from './archiveProof';
import { readBinary } from './binary';
import type { DownloadedFile } from './downloadedFiles';
import { downloadedBefore, errorBefore } from './downloadedFiles';

/** Metadata of a recording is far shorter. */
const MAX_METADATA_BYTES = 4 * 1024 * 1024;
/** The first byte of a JSON object. */
const BRACE = 0x7b;

/** Parameters of one item: a file of a recording, as it was downloaded, and what the archive has of it. */
export interface FileValues {
	recording: unknown;
	proofFrom: 'checksum' | 'file';
	downloadChecksum: unknown;
	downloadSize: unknown;
	archiveChecksum: unknown;
	archiveSize: unknown;
	inputBinaryField: string;
}

/** An item about a session. */
export interface SessionItem {
	index: number;
	values: FileValues;
}

const sessionsByInput = new WeakMap<object, Map<string, number[]>>();

/**
 * The items about one session, such as a recording and its metadata.
 * @throws whatever the parameters of any item throw: an item that cannot be read may belong to this session
 */
export function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	valuesAt: (itemIndex: number) => FileValues,
): SessionItem[] {
	const input = context.getInputData();
	const sessionAt = (index: number) =>
		canonicalSessionGuid(parseSessionGuid(valuesAt(index).recording));
	const sessions = sessionsByInput.get(input) ?? grouped(input.length, sessionAt);
	sessionsByInput.set(input, sessions);
	const indices = sessions.get(canonicalSessionGuid(sessionGuid)) ?? [];
	return indices.map((index) => ({ index, values: valuesAt(index) }));
}

function grouped(count: number, keyAt: (index: number) => string): Map<string, number[]> {
	const groups = new Map<string, number[]>();
	for (let index = 0; index < count; index++) {
		const key = keyAt(index);
		const indices = groups.get(key) ?? [];
		groups.set(key, indices);
		indices.push(index);
	}
	return groups;
}

/**
 * What was downloaded of the session of these items: as their parameters say, or else as the Download nodes before this
 * one have output it. Empty if nothing was downloaded.
 */
export function downloadedFiles(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): DownloadedFile[] {
	const files = items.map(({ values: { downloadChecksum, downloadSize } }) => ({
		checksum: downloadChecksum,
		size: downloadSize,
	}));
	if (files.some(({ checksum }) => isGiven(checksum))) return files;
	const session = canonicalSessionGuid(parseSessionGuid(items[0]?.values.recording));
	return downloadedBefore(context).get(session) ?? [];
}

/**
 * Makes sure that the archive has each of these files.
 * @throws VoiceAgentError `proofFailed` or `notArchived`
 */
export async function requireArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
	downloaded: readonly DownloadedFile[],
): Promise<void> {
	const archived: Array<FileIdentity | undefined> = [];
	for (const item of items) {
		const { checksum, size } = await archivedFile(context, item);
		archived.push(isGiven(checksum) ? parseIdentity('in Archive', { checksum, size }) : undefined);
	}
	for (const [position, file] of downloaded.entries()) {
		const wanted = parseIdentity('of Download', file);
		if (archived.some((one) => one && !difference(wanted, one))) continue;
		const counterpart = archived[position];
		if (!counterpart) throw notArchived(context, items);
		throw new VoiceAgentError('proofFailed', { detail: difference(wanted, counterpart) });
	}
}

/** A whole recording in the archive. */
export interface ArchivedRecording {
	/** The item that it is in. */
	index: number;
	/** In hexadecimal. */
	sha256: string;
	bytes: number;
	/** When it was archived, in ISO 8601; `null` if its metadata does not say. */
	archivedAt: string | null;
}

/**
 * Finds the recording in the archive without a download. It is a file whose checksum is the one that was stored with it:
 * in its metadata file, or in the properties that Google Drive keeps with it.
 */
export async function findArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): Promise<ArchivedRecording | undefined> {
	const input = context.getInputData();
	const files: Array<Omit<ArchivedRecording, 'archivedAt'>> = [];
	const stored = new Map<string, string | null>();
	for (const item of items) {
		const { checksum, size, metadata } = await archivedFile(context, item);
		const sha256 = String(checksum).trim().toLowerCase();
		files.push({ index: item.index, sha256, bytes: Number(size) });
		const { properties, appProperties } = input[item.index]?.json ?? {};
		for (const one of [properties, appProperties]) {
			if (isJsonObject(one) && isGiven(one.sha256)) stored.set(one.sha256.toLowerCase(), null);
		}
		if (metadata) stored.set(metadata.sha256, metadata.downloadedAt);
	}
	const found = files.find(({ sha256 }) => stored.has(sha256));
	return found && { ...found, archivedAt: stored.get(found.sha256) ?? null };
}

/** The error for a recording that is not in the archive, with the reason that a node before this one may have given. */
export function notArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): VoiceAgentError {
	const errors = items.map(({ index }) => errorBefore(context, index));
	return new VoiceAgentError('notArchived', { detail: errors.find(isGiven) });
}

interface ArchivedFile {
	checksum?: unknown;
	size?: unknown;
	/** What it says of its recording, if this is a metadata file. */
	metadata?: { sha256: string; downloadedAt: string | null };
}

/** What the archive has: as it reports, or as its file was read back into the item. */
async function archivedFile(
	context: IExecuteFunctions,
	{ index, values }: SessionItem,
): Promise<ArchivedFile> {
	if (values.proofFrom === 'checksum') {
		return { checksum: values.archiveChecksum, size: values.archiveSize };
	}
	const { json = {}, binary } = context.getInputData()[index] ?? {};
	// In n8n's combined binary mode, the JSON of an item holds its files.
	if (binary === undefined && json._files === undefined) return {};
	const { chunks } = await readBinary(context, index, values.inputBinaryField);
	const hash = createHash('sha256');
	let size = 0;
	const metadata: Uint8Array[] = [];
	for await (const chunk of chunks) {
		hash.update(chunk);
		const mayBeMetadata = size === 0 ? chunk[0] === BRACE : metadata.length > 0;
		size += chunk.length;
		if (mayBeMetadata && size <= MAX_METADATA_BYTES) metadata.push(chunk);
		else metadata.length = 0;
	}
	return {
		checksum: hash.digest('hex'),
		size,
		metadata: metadataIn(Buffer.concat(metadata).toString(), values.recording),
	};
}

/** What a metadata file says, if it is one of this session. */
function metadataIn(text: string, sessionGuid: unknown): ArchivedFile['metadata'] {
	try {
		const content: unknown = JSON.parse(text);
		if (!isJsonObject(content) || !isJsonObject(content.file)) return undefined;
		const session = canonicalSessionGuid(String(content.sessionGuid));
		const { sha256 } = content.file;
		if (session !== canonicalSessionGuid(String(sessionGuid)) || !isGiven(sha256)) return undefined;
		const { downloadedAt } = content;
		return { sha256, downloadedAt: isGiven(downloadedAt) ? downloadedAt : null };
	} catch {
		return undefined;
	}
}

function isGiven(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}
