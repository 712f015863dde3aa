import { randomBytes } from 'node:crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { invalid } from '../../errors';
import { itemOf } from '../../fields/operation';
import type { FileFormat } from '../../recordingFile/audioFormat';
import { formatOfExtension } from '../../recordingFile/audioFormat';
import type { Chunks } from '../../recordingFile/chunks';
import { fieldsNamed, plainName } from '../../data/payload';
import { findCallEnd } from '../../service/retention';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { storeBinary } from './binary';
import type { FilePath } from './filePath';
import { dateAndTime, filePath, nameValue } from './filePath';
import { outputFileName } from './recordingFields';

/** Of a name without its extension. */
const MAX_LENGTH = 180;
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}]/gu;

/** What the user wants the output file to be. */
export interface OutputOptions {
	outputExtension?: string;
	outputFileName?: string;
	includeMd5?: boolean;
}

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
 * @throws VoiceAgentError `invalidParameter` for options that cannot be used, before anything is read or stored
 */
export async function recordingItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	file: OutputFile,
	options: OutputOptions,
): Promise<INodeExecutionData> {
	const { sessionGuid, facts } = file;
	const type = outputFormat(file.format, options.outputExtension);
	const { format, mimeType } = type;
	// Unlike the id of an execution, no other n8n has the same.
	const random = randomBytes(4).toString('hex');
	const named = (sha256?: string) =>
		outputPath(context, itemIndex, { ...file, sha256, random }, type, options.outputFileName);
	const { fileName } = named();
	const withMd5 = options.includeMd5;
	const stored = await storeBinary(context, file.chunks, { fileName, mimeType, withMd5 });
	const { binary, ...measured } = stored;
	// The checksum, which may be a part of the name, is known only now.
	const { path, fileName: finalName } = named(stored.sha256);
	binary.fileName = finalName;
	return itemOf(
		itemIndex,
		{ sessionGuid, fileName: path, format, mimeType, ...measured, ...facts },
		{ [binaryPropertyName]: binary },
	);
}

/** The name of an input file without its extension, made safe for an output file, with room for another extension. */
export function baseNameOf(fileName = ''): string {
	const name = fileName.replace(/\.[^.]*$/, '').slice(0, MAX_LENGTH);
	return name.replace(FORBIDDEN, '_') || 'recording';
}

/** The output format: as recognized, unless the user gives an extension. */
export function outputFormat(recognized: FileFormat, wantedExtension = ''): FileFormat {
	const extension = wantedExtension.trim().replace(/^\./, '').toLowerCase();
	if (extension === '') return recognized;
	if (!/^[a-z0-9]{1,10}$/.test(extension)) {
		throw invalid("'Output Extension' must be 1 to 10 letters or digits, such as wav");
	}
	return formatOfExtension(extension, recognized);
}

/** The path of the output file, from the user's template if there is one. */
export function outputPath(
	context: IExecuteFunctions,
	itemIndex: number,
	{
		baseName,
		sessionGuid,
		sha256,
		random,
	}: Pick<OutputFile, 'baseName' | 'sessionGuid'> & { sha256?: string; random?: string },
	{ format, extension }: FileFormat,
	template?: string,
): FilePath {
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	const known: Record<string, string | undefined> = {
		name: baseName,
		sessionGuid: sessionGuid === null ? baseName : canonicalSessionGuid(sessionGuid),
		format,
		extension,
		sha256,
		random,
		...dateAndTime(callEndIn(json), context.getTimezone()),
	};
	const valueOf = (placeholder: string) =>
		Object.hasOwn(known, placeholder) ? known[placeholder] : namedValue(json, placeholder);
	return filePath(template?.trim() || outputFileName.default, valueOf, baseName);
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
