import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { invalid } from '../../errors';
import { itemOf } from '../../fields/operation';
import type { FileFormat } from '../../recordingFile/audioFormat';
import { formatOfExtension } from '../../recordingFile/audioFormat';
import type { Chunks } from '../../recordingFile/chunks';
import { storeBinary } from './binary';

const MAX_LENGTH = 200;
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}]/u;

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
	const fileName = outputName(file, type, options.outputFileName);
	const withMd5 = options.includeMd5;
	const stored = await storeBinary(context, file.chunks, { fileName, mimeType, withMd5 });
	const { binary, ...measured } = stored;
	return itemOf(
		itemIndex,
		{ sessionGuid, fileName, format, mimeType, ...measured, ...facts },
		{ [binaryPropertyName]: binary },
	);
}

/** The name of an input file without its extension, made safe for an output file, with room for another extension. */
export function baseNameOf(fileName = ''): string {
	const name = fileName.replace(/\.[^.]*$/, '').slice(0, MAX_LENGTH - 20);
	return name.replace(new RegExp(FORBIDDEN, 'gu'), '_') || 'recording';
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

/** The output name: base name and extension, or from the user's pattern. It cannot lead into another folder. */
export function outputName(
	{ baseName, sessionGuid }: Pick<OutputFile, 'baseName' | 'sessionGuid'>,
	{ format, extension }: FileFormat,
	pattern = '',
): string {
	const values: Record<string, string> = {
		name: baseName,
		sessionGuid: sessionGuid ?? baseName,
		format,
		extension,
	};
	const name = (pattern.trim() || '{name}.{extension}').replace(
		/\{(\w*)\}/g,
		(placeholder, key: string) => {
			const value = Object.hasOwn(values, key) ? values[key] : undefined;
			if (value === undefined) {
				throw invalid(
					`'Output File Name' has the placeholder ${placeholder}; known are {${Object.keys(values).join('}, {')}}`,
				);
			}
			return value;
		},
	);
	if (FORBIDDEN.test(name) || /^\.{1,2}$/.test(name) || name.length > MAX_LENGTH) {
		throw invalid(
			"'Output File Name' must be a file name of at most 200 characters, without / \\ : * ? \" < > |",
		);
	}
	return name;
}
