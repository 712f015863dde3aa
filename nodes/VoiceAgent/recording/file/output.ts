import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { fieldsNamed } from '../../../data/fieldsNamed';
import { plainName } from '../../../data/json';
import { itemOf } from '../../../fields/operation';
import type { FileFormat } from '../../../recordingFile/audioFormat';
import type { Chunks } from '../../../recordingFile/chunks';
import { findCallEnd } from '../../../service/retention';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { storeBinary } from './binary';
import type { FilePath } from './filePath';
import { dateAndTime, filePath, nameValue } from './filePath';
import { outputFileName } from '../recordingFields';

/** Of the name of an input file: it leaves room for an extension. */
const MAX_NAME_BYTES = 180;

export interface OutputFile {
	chunks: Chunks;
	/** As recognized from the bytes. */
	format: FileFormat;
	/** Name without extension, unless the user wants another one. */
	baseName: string;
	sessionGuid: string | null;
	/** What else is known about the recording, for the JSON of the item. */
	facts: IDataObject;
}

/**
 * The output item of Download and Decrypt: JSON that describes the file, and the file in the field that the user named.
 * @throws VoiceAgentError `invalidParameter` for a name that cannot be used, before anything is read or stored
 */
export async function recordingItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	file: OutputFile,
	template?: string,
): Promise<INodeExecutionData> {
	const { sessionGuid, facts } = file;
	const { format, mimeType } = file.format;
	const pathWith = (sha256?: string) => outputPath(context, itemIndex, file, template, sha256);
	const { fileName } = pathWith();
	const { binary, bytes, sha256 } = await storeBinary(context, file.chunks, { fileName, mimeType });
	// The checksum, which may be a part of the name, is known only now.
	const named = pathWith(sha256);
	binary.fileName = named.fileName;
	const json = { sessionGuid, fileName: named.path, format, mimeType, bytes, sha256, ...facts };
	return itemOf(itemIndex, json, { [binaryPropertyName]: binary });
}

/** The name of an input file without its extension, made safe for an output file. */
export function baseNameOf(fileName = ''): string {
	return nameValue(fileName.replace(/\.[^.]*$/, ''), MAX_NAME_BYTES) ?? 'recording';
}

/** The path of the output file, from the user's template if there is one. */
export function outputPath(
	context: IExecuteFunctions,
	itemIndex: number,
	{ baseName, sessionGuid, format }: Pick<OutputFile, 'baseName' | 'sessionGuid' | 'format'>,
	template?: string,
	sha256?: string,
): FilePath {
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	const known: Record<string, string | undefined> = {
		name: baseName,
		sessionGuid: sessionGuid === null ? baseName : canonicalSessionGuid(sessionGuid),
		format: format.format,
		extension: format.extension,
		sha256,
		...dateAndTime(callEndIn(json), context.getTimezone()),
	};
	const valueOf = (placeholder: string) =>
		Object.hasOwn(known, placeholder) ? known[placeholder] : namedValue(json, placeholder);
	return filePath(template?.trim() || outputFileName.default, valueOf);
}

/** A field of the input item, such as {to}: one with that name, in any spelling. */
function namedValue(json: IDataObject, placeholder: string): string | undefined {
	const name = plainName(placeholder);
	return fieldsNamed(json, (field) => plainName(field) === name)
		?.map(({ value }) => nameValue(value))
		.find((value) => value !== undefined);
}

/** When the call ended, in milliseconds since 1970: as the input item says, or else when the webhook arrived. */
export function callEndIn(json: IDataObject): number {
	return findCallEnd(json, Date.now()) ?? Date.parse(String(json.receivedAt));
}
