import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { isBreakDue, mapWithBreaks, takeBreak } from '../../data/breaks';
import type { JsonObject } from '../../data/payload';
import { parseJson } from '../../data/parseJson';
import { isJsonObject, jsonOfItem } from '../../data/payload';
import { canonicalSessionGuid, parseSessionGuid } from '../../service/sessionGuid';
import { proofKey, requireProof } from './archiveProof';
import { readBinary } from './binary';

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
	options: { archiveError?: unknown; downloadedFiles?: unknown; storedChecksum?: unknown };
}

/** An item about a session. */
export interface SessionItem {
	index: number;
	values: FileValues;
}

type RecordingAt = (itemIndex: number) => Pick<FileValues, 'recording'>;

const groupsByInput = new WeakMap<object, Promise<Map<string, number[]>>>();

/**
 * The items about one session, such as a recording and its metadata: their indices.
 * @throws whatever the parameters of any item throw: an item that cannot be read may belong to this session
 */
export async function itemsOfSession(
	context: IExecuteFunctions,
	sessionGuid: string,
	valuesAt: RecordingAt,
): Promise<number[]> {
	const input = context.getInputData();
	const groups = groupsByInput.get(input) ?? groupBySession(input.length, valuesAt);
	groupsByInput.set(input, groups);
	return (await groups).get(canonicalSessionGuid(sessionGuid)) ?? [];
}

async function groupBySession(
	count: number,
	valuesAt: RecordingAt,
): Promise<Map<string, number[]>> {
	const groups = new Map<string, number[]>();
	for (let index = 0; index < count; index++) {
		if (isBreakDue()) await takeBreak();
		const key = canonicalSessionGuid(parseSessionGuid(valuesAt(index).recording));
		const indices = groups.get(key) ?? [];
		groups.set(key, indices);
		indices.push(index);
	}
	return groups;
}

/** The same items with their parameters. */
export async function valuesOf(
	indices: readonly number[],
	valuesAt: (itemIndex: number) => FileValues,
): Promise<SessionItem[]> {
	return await mapWithBreaks(indices, (index) => ({ index, values: valuesAt(index) }));
}

/** Checksum and size of a file that was downloaded. */
interface DownloadedFile {
	checksum: unknown;
	size: unknown;
}

/**
 * What was downloaded of the session of these items: as the option 'Downloaded Files' says, or else as each item says.
 * Empty if nothing was downloaded.
 */
export async function downloadedFiles(
	items: readonly SessionItem[],
): Promise<readonly DownloadedFile[]> {
	const first = items[0]?.values;
	const all = first?.options.downloadedFiles;
	if (all === undefined || all === '') {
		const files = items.map(({ values: { downloadChecksum, downloadSize } }) => ({
			checksum: downloadChecksum,
			size: downloadSize,
		}));
		return files.some(({ checksum }) => isGiven(checksum)) ? files : [];
	}
	const wanted = canonicalSessionGuid(parseSessionGuid(first?.recording));
	const files = await mapWithBreaks([all].flat(), (one: unknown) => {
		const file = jsonOfItem(one);
		if (!isJsonObject(file) || !isGiven(file.sessionGuid)) {
			throw invalid("'Downloaded Files' must be what Download has output");
		}
		const isWanted = canonicalSessionGuid(file.sessionGuid) === wanted;
		return isWanted ? [{ checksum: file.sha256 ?? file.metadataSha256, size: file.bytes }] : [];
	});
	return files.flat();
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
	const archived: ArchivedFile[] = [];
	for (const item of items) {
		if (isBreakDue()) await takeBreak();
		archived.push(await archivedFile(context, item));
	}
	const keys = await mapWithBreaks(archived, ({ checksum, size }) => proofKey(checksum, size));
	const proofs = new Set(keys);
	for (const [position, file] of downloaded.entries()) {
		if (isBreakDue()) await takeBreak();
		const key = proofKey(file.checksum, file.size);
		if (key !== undefined && proofs.has(key)) continue;
		const counterpart = archived[position];
		if (!isGiven(counterpart?.checksum)) throw notArchived(context, items);
		requireProof({
			downloadChecksum: file.checksum,
			downloadSize: file.size,
			archiveChecksum: counterpart.checksum,
			archiveSize: counterpart.size,
		});
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
 * in the archive's own fields, or in its metadata file.
 */
export async function findArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): Promise<ArchivedRecording | undefined> {
	const [found] = await wholeRecordings(context, items);
	return found;
}

/** Whether this very recording is among the files of these items, with its metadata file. */
export async function isInInput(
	context: IExecuteFunctions,
	indices: readonly number[],
	inputBinaryField: string,
	recording: string,
	sha256: string,
): Promise<boolean> {
	const values: FileValues = {
		recording,
		proofFrom: 'file',
		downloadChecksum: undefined,
		downloadSize: undefined,
		archiveChecksum: undefined,
		archiveSize: undefined,
		inputBinaryField,
		options: {},
	};
	const found = await wholeRecordings(
		context,
		indices.map((index) => ({ index, values })),
	);
	return found.some((one) => one.sha256 === sha256);
}

async function wholeRecordings(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): Promise<ArchivedRecording[]> {
	const files: Array<{ index: number; checksum: string; size: unknown }> = [];
	const stored = new Map<string, string | null>();
	for (const item of items) {
		if (isBreakDue()) await takeBreak();
		const { index, values } = item;
		const { checksum, size, metadata } = await archivedFile(context, item);
		const { storedChecksum } = values.options;
		if (isGiven(checksum)) files.push({ index, checksum: checksum.trim().toLowerCase(), size });
		if (isGiven(storedChecksum)) stored.set(storedChecksum.trim().toLowerCase(), null);
		if (metadata) stored.set(metadata.sha256, metadata.downloadedAt);
	}
	return files
		.filter(({ checksum }) => stored.has(checksum))
		.map(({ index, checksum, size }) => ({
			index,
			sha256: checksum,
			bytes: Number(size),
			archivedAt: stored.get(checksum) ?? null,
		}));
}

/** The error for a recording that is not in the archive, with the reason that a node before this one may have given. */
export function notArchived(
	context: IExecuteFunctions,
	items: readonly SessionItem[],
): VoiceAgentError {
	const input = context.getInputData();
	const errors = items.map(
		({ index, values }) => values.options.archiveError ?? input[index]?.json.error,
	);
	const [error] = errors.flatMap((one) => (isJsonObject(one) ? one.message : one) ?? []);
	return new VoiceAgentError('notArchived', { detail: isGiven(error) ? error : undefined });
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
	const { proofFrom, archiveChecksum, archiveSize, downloadChecksum } = values;
	if (proofFrom === 'checksum') return { checksum: archiveChecksum, size: archiveSize };
	const { json = {}, binary } = context.getInputData()[index] ?? {};
	// In n8n's combined binary mode, the JSON of an item holds its files.
	if (binary === undefined && json._files === undefined) return {};
	const { chunks } = await readBinary(context, index, values.inputBinaryField);
	const hash = createHash(isMd5(downloadChecksum) ? 'md5' : 'sha256');
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
		metadata: await parsed(metadata, values.recording),
	};
}

/** What a metadata file says, if it is one of this session. */
async function parsed(
	bytes: readonly Uint8Array[],
	sessionGuid: unknown,
): Promise<ArchivedFile['metadata']> {
	try {
		const [content] = (await parseJson(Buffer.concat(bytes).toString())) as [JsonObject];
		const { file, downloadedAt } = content;
		const isOfSession =
			canonicalSessionGuid(String(content.sessionGuid)) ===
			canonicalSessionGuid(parseSessionGuid(sessionGuid));
		if (!isOfSession || !isJsonObject(file) || !isGiven(file.sha256)) return undefined;
		return { sha256: file.sha256, downloadedAt: isGiven(downloadedAt) ? downloadedAt : null };
	} catch {
		return undefined;
	}
}

function isMd5(checksum: unknown): boolean {
	return typeof checksum === 'string' && [24, 32].includes(checksum.trim().length);
}

function isGiven(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}
