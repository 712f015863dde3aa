import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldsNamed } from '../../../data/fields';
import { isJsonObject, plainName } from '../../../data/json';
import { outputItem } from '../../../fields/operation';
import type { Chunks } from '../../../recordingFile/chunks';
import type { FileFormat } from '../../../recordingFile/formats';
import type { NumberFields } from '../../../service/apiCredential';
import { callNumbersOfItem } from '../../../service/callNumbers';
import { recordingKeyOf } from '../../../service/sessionGuid';
import { outputFileName } from '../recordingFields';
import { storeBinary } from './binary';
import { callEndIn, knownEnd, timesOf } from './callTimes';
import { dateAndTime, filePath, nameValue, placeholdersIn } from './filePath';
import type { Facts } from './openRecording';
import { sessionName, SHORT_CHECKSUM_CHARS, shortChecksum, tellingName } from './tellingNames';
import { sayIfUnknown } from './unknownPlaceholders';

/** The name of an input file is cut to so many bytes, which leaves room for an extension. */
const MAX_NAME_BYTES = 180;
/**
 * A node that reads files takes these characters in a name for a pattern. Quotes too: they matter
 * in a pattern once the name of a folder has braces.
 */
const PATTERN = /[{}[\]()!'`]/g;

/** Of the form of a metadata file. rebuild-ledger reads it years later. */
const METADATA_VERSION = 1;

export interface OutputFile {
	chunks: Chunks;
	/** As recognized from the bytes. */
	format: FileFormat;
	/** Name without extension, unless the user wants another one. */
	baseName: string;
	/** `null` if the input item of Decrypt does not name its recording. */
	sessionGuid: string | null;
	/** For the JSON of the item. */
	facts: Facts;
	/** What the input item says, without secrets. */
	input: IDataObject;
	/**
	 * Finds out what is known about the call. Without this, it is what the input item says.
	 *
	 * @param isNameMissing whether the input item lacks a value that the path needs
	 */
	about?: (isNameMissing: boolean) => Promise<IDataObject>;
	/** Where the numbers of the call are. Without this, none are put out. */
	numberFields?: NumberFields;
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
	const { sessionGuid, facts, input, about, numberFields, format } = file;
	const { mimeType } = format;
	const timeZone = context.getTimezone();
	const numbersOf = (json: IDataObject) => {
		if (!numberFields) return {};
		// A webhook may show numbers that the list does not show.
		const own = callNumbersOfItem(input, numberFields);
		const listed = callNumbersOfItem(json, numberFields);
		return { to: own.to ?? listed.to, from: own.from ?? listed.from };
	};
	const pathFrom = (json: IDataObject, checksum?: string) =>
		outputPath({ ...json, ...numbersOf(json) }, timeZone, file, template, checksum);
	// If the name cannot be used, this throws before anything is read.
	const early = pathFrom(input);
	const fileName = uploadName(early.path, file);
	// The checksum, which may be a part of the name, is known only when all is stored. Only then is
	// the recording certainly in the list of the service, which may say more about the call. The
	// facts are complete only then too, because all chunks have been read.
	const stored = await storeBinary(context, file.chunks, { fileName, mimeType });
	const { binary, bytes, sha256, sha256Base64 } = stored;
	const { missing } = pathFrom(input, sha256);
	const call = about ? await about(missing.length > 0) : input;
	const { path, missing: unknown } = pathFrom(call, sha256);
	sayIfUnknown(context, unknown);
	binary.fileName = uploadName(path, file, sha256);
	const json = {
		sessionGuid,
		recordingKey: recordingKeyOf(sessionGuid),
		// Decrypt gets a file, and knows of no call.
		...(about ? { ...numbersOf(call), ...timesOf(call) } : knownEnd(call)),
		fileName: path,
		format: format.format,
		mimeType,
		bytes,
		sha256,
		sha256Base64,
		...facts,
	};
	return outputItem(itemIndex, json, { [binaryPropertyName]: binary });
}

/**
 * A second output item for a recording: a JSON file that says what the first one is, for whoever
 * finds both in an archive years later. It has the name of the recording, with the extension
 * `.json`.
 *
 * @param described the first output item
 * @param call what is known about the call
 */
export async function metadataItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	described: INodeExecutionData,
	call: IDataObject,
): Promise<INodeExecutionData> {
	const { sessionGuid, recordingKey, to, from, endedAt, keptUntil, ...file } = described.json;
	const about = { sessionGuid, recordingKey, to, from, endedAt, keptUntil };
	const content = {
		version: METADATA_VERSION,
		...about,
		downloadedAt: new Date().toISOString(),
		file,
		callEnd: call.payload ?? null,
		// Items that come from the list of the service have the record.
		listed: isJsonObject(call.recording) ? call.recording : null,
	};
	const name = sessionName(String(sessionGuid));
	const stem = String(file.fileName).replace(/\.[^./]*$/, '');
	// With only {sha256} in the name, two recordings of the same bytes have one name. That loses
	// nothing, but their metadata files differ. So these also have the session GUID in the name.
	const fileName = stem.includes(name) ? `${stem}.json` : `${stem}_${name}.json`;
	const mimeType = 'application/json';
	const { binary, bytes, sha256, sha256Base64 } = await storeBinary(context, jsonFile(content), {
		fileName: tellingName(fileName, [name]),
		mimeType,
	});
	// Not `sha256`: the checksum of the metadata must not pass for that of a recording.
	const checksums = { metadataSha256: sha256, sha256Base64 };
	const json = { ...about, fileName, format: 'json', mimeType, bytes, ...checksums };
	return outputItem(itemIndex, json, { [binaryPropertyName]: binary });
}

/** The name of the file for nodes that know no folders. */
function uploadName(
	path: string,
	{ baseName, sessionGuid }: Pick<OutputFile, 'baseName' | 'sessionGuid'>,
	sha256?: string,
): string {
	const session = sessionGuid === null ? undefined : sessionName(sessionGuid);
	return tellingName(path, [baseName, session, sha256]);
}

async function* jsonFile(content: object): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.from(`${JSON.stringify(content, null, '\t')}\n`);
}

/** The name of an input file without its extension, made safe for an output file. */
export function baseNameOf(fileName = ''): string {
	const stem = fileName.replace(/\.[^.]*$/, '');
	const isLong = Buffer.byteLength(stem) > MAX_NAME_BYTES;
	if (!isLong) return nameValue(stem, MAX_NAME_BYTES) ?? 'recording';
	// Names that differ only in what is cut off must not become one name.
	const start = nameValue(stem, MAX_NAME_BYTES - SHORT_CHECKSUM_CHARS - 1);
	return `${start}-${shortChecksum(stem)}`;
}

/** The path of an output file. */
export interface OutputPath {
	path: string;
	/** The placeholders without a value: the path has `unknown` in their place. */
	missing: string[];
}

/** The path of the output file, from the user's template if there is one. */
export function outputPath(
	json: IDataObject,
	timeZone: string,
	{ baseName, sessionGuid, format }: Pick<OutputFile, 'baseName' | 'sessionGuid' | 'format'>,
	template?: string,
	sha256?: string,
): OutputPath {
	const end = dateAndTime(callEndIn(json), timeZone);
	const [year, month] = end.date?.split('-') ?? [];
	const known: Record<string, string | undefined> = {
		name: baseName,
		sessionGuid: sessionGuid === null ? baseName : sessionName(sessionGuid),
		format: format.format,
		extension: format.extension,
		sha256,
		...end,
		year,
		month,
	};
	const valueOf = (placeholder: string, maxBytes?: number) =>
		Object.hasOwn(known, placeholder)
			? known[placeholder]
			: namedValue(json, placeholder, maxBytes);
	const entered = template?.trim() || outputFileName.default;
	const missing = placeholdersIn(entered).filter((one) => valueOf(one) === undefined);
	return { path: filePath(entered, valueOf), missing };
}

/** A field of the input item, such as {to}: one with that name, in any spelling. */
function namedValue(json: IDataObject, placeholder: string, maxBytes?: number): string | undefined {
	const name = plainName(placeholder);
	const fields = fieldsNamed(json, (field) => plainName(field) === name) ?? [];
	for (const { value } of fields) {
		const text = nameValue(value, maxBytes);
		if (text !== undefined) return text.replace(PATTERN, '-');
	}
	return undefined;
}
