import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldsNamed } from '../../../data/fields';
import { isJsonObject, plainName } from '../../../data/json';
import { outputItem } from '../../../fields/operation';
import type { Chunks } from '../../../recordingFile/chunks';
import type { FileFormat } from '../../../recordingFile/formats';
import { findCallEnd, RETENTION_MS } from '../../../service/retention';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { storeBinary } from './binary';
import { dateAndTime, filePath, nameValue } from './filePath';
import { outputFileName } from '../recordingFields';

/** Of the name of an input file: it leaves room for an extension. */
const MAX_NAME_BYTES = 180;
/** Hexadecimal, of 64. */
const CHECKSUM_DIGITS = 12;
/**
 * In the name of a file, a node that reads it takes these for a pattern; the quotes, if its folder
 * has braces.
 */
const PATTERN = /[{}[\]()!'`]/g;

export interface OutputFile {
	chunks: Chunks;
	/** As recognized from the bytes. */
	format: FileFormat;
	/** Name without extension, unless the user wants another one. */
	baseName: string;
	sessionGuid: string | null;
	/** What else is known about the recording, for the JSON of the item. */
	facts: object;
	/**
	 * What is known about the call: more than the input item says, if that is too little for this
	 * path.
	 */
	about?: (path: string) => Promise<IDataObject>;
}

/**
 * The output item of Download and Decrypt: JSON that describes the file, and the file in the field
 * that the user named.
 *
 * @throws VoiceAgentError `invalidParameter` for a name that cannot be used, before anything is
 * read or stored
 */
export async function recordingItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	file: OutputFile,
	template?: string,
): Promise<INodeExecutionData> {
	const { sessionGuid, facts, about } = file;
	const { format, mimeType } = file.format;
	const { json: input = {} } = context.getInputData()[itemIndex] ?? {};
	const pathOf = (call: IDataObject, checksum?: string) =>
		outputPath(call, context.getTimezone(), file, template, checksum);
	const fileName = uploadName(pathOf(input), file);
	const { binary, bytes, sha256 } = await storeBinary(context, file.chunks, { fileName, mimeType });
	// The checksum, which may be a part of the name, is known only now, and the service lists the
	// recording.
	const call = (await about?.(pathOf(input, sha256))) ?? input;
	const path = pathOf(call, sha256);
	binary.fileName = uploadName(path, file, sha256);
	const json = { sessionGuid, fileName: path, format, mimeType, bytes, sha256, ...facts };
	const callEndedAt = isoTime(callEndIn(call));
	return outputItem(
		itemIndex,
		{ ...json, ...(callEndedAt && { callEndedAt }) },
		{ [binaryPropertyName]: binary },
	);
}

/**
 * A second output item for a recording: a JSON file that says what the first one is, for whoever
 * finds both in an archive years later. It has the name of the recording, with the extension
 * `.json`.
 */
export async function metadataItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	recordingItem: INodeExecutionData,
	about: IDataObject,
): Promise<INodeExecutionData> {
	const { sessionGuid, ...file } = recordingItem.json;
	const callEndMs = callEndIn(about);
	const content = {
		sessionGuid,
		callEndedAt: isoTime(callEndMs),
		retentionEndsAt: isoTime(callEndMs + RETENTION_MS),
		downloadedAt: new Date().toISOString(),
		file,
		callEnd: about.payload ?? null,
		// Items that come from the list of the service have the record.
		listed: isJsonObject(about.recording) ? about.recording : null,
	};
	const name = sessionName(String(sessionGuid));
	const stem = String(file.fileName).replace(/\.[^./]*$/, '');
	// Two recordings may have one checksum, and one name, but never one file that describes them.
	const fileName = stem.includes(name) ? `${stem}.json` : `${stem}_${name}.json`;
	const mimeType = 'application/json';
	const { binary, bytes, sha256 } = await storeBinary(context, fileOf(content), {
		fileName: uploadName(fileName, { baseName: name }),
		mimeType,
	});
	// Not `sha256`: the checksum of the metadata must not pass for that of a recording.
	const facts = { fileName, format: 'json', mimeType, bytes, metadataSha256: sha256 };
	return outputItem(itemIndex, { sessionGuid, ...facts }, { [binaryPropertyName]: binary });
}

/**
 * The name for nodes that know no folders: it tells one recording from another, as the path does.
 */
function uploadName(
	path: string,
	{ baseName, sessionGuid }: Partial<OutputFile>,
	sha256?: string,
): string {
	const last = path.slice(path.lastIndexOf('/') + 1);
	const telling = [baseName, sessionGuid && sessionName(sessionGuid), sha256];
	const isTelling = telling.some((part) => part && last.includes(part));
	return isTelling ? last : path.replaceAll('/', '_');
}

/**
 * A session GUID as a part of a name. In identifiers that are not GUIDs, letter case matters, but
 * not in the names of many file systems.
 */
export function sessionName(sessionGuid: string): string {
	const name = canonicalSessionGuid(sessionGuid);
	return name === name.toLowerCase() ? name : `${name}-${checksumOf(name)}`;
}

/** Tells values apart that a name cannot hold. */
function checksumOf(value: string): string {
	return createHash('sha256').update(value).digest('hex').slice(0, CHECKSUM_DIGITS);
}

async function* fileOf(content: object): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.from(`${JSON.stringify(content, null, '\t')}\n`);
}

/** The name of an input file without its extension, made safe for an output file. */
export function baseNameOf(fileName = ''): string {
	const stem = fileName.replace(/\.[^.]*$/, '');
	const isLong = Buffer.byteLength(stem) > MAX_NAME_BYTES;
	if (!isLong) return nameValue(stem, MAX_NAME_BYTES) ?? 'recording';
	return `${nameValue(stem, MAX_NAME_BYTES - CHECKSUM_DIGITS - 1)}-${checksumOf(stem)}`;
}

/** The path of the output file, from the user's template if there is one. */
export function outputPath(
	json: IDataObject,
	timeZone: string,
	{ baseName, sessionGuid, format }: Pick<OutputFile, 'baseName' | 'sessionGuid' | 'format'>,
	template?: string,
	sha256?: string,
): string {
	const known: Record<string, string | undefined> = {
		name: baseName,
		sessionGuid: sessionGuid === null ? baseName : sessionName(sessionGuid),
		format: format.format,
		extension: format.extension,
		sha256,
		...dateAndTime(callEndIn(json), timeZone),
	};
	const valueOf = (placeholder: string, maxBytes: number) =>
		Object.hasOwn(known, placeholder)
			? known[placeholder]
			: namedValue(json, placeholder, maxBytes);
	return filePath(template?.trim() || outputFileName.default, valueOf);
}

/** A field of the input item, such as {to}: one with that name, in any spelling. */
function namedValue(json: IDataObject, placeholder: string, maxBytes?: number): string | undefined {
	const name = plainName(placeholder);
	return fieldsNamed(json, (field) => plainName(field) === name)
		?.map(({ value }) => nameValue(value, maxBytes)?.replace(PATTERN, '-'))
		.find((value) => value !== undefined);
}

/** When the call ended, in milliseconds since 1970, as the input item says; NaN if it does not. */
export function callEndIn(json: IDataObject): number {
	return findCallEnd(json, Date.now()) ?? NaN;
}

function isoTime(ms: number): string | null {
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
