import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { FileFormat } from '../../shared/audioFormat';
import { formatOfExtension } from '../../shared/audioFormat';
import type { Chunks } from '../../shared/chunks';
import { VoiceAgentError } from '../../shared/errors';
import { storeBinary } from '../binary';
import { itemOf } from '../operation';

/**
 * The output format: as recognised, unless the user names an extension.
 * @throws VoiceAgentError `invalidParameter`, naming the option
 */
export function outputFormat(recognised: FileFormat, wantedExtension = ''): FileFormat {
	const extension = wantedExtension.trim().replace(/^\./, '').toLowerCase();
	if (extension === '') return recognised;
	if (!/^[a-z0-9]{1,10}$/.test(extension)) {
		throw new VoiceAgentError('invalidParameter', {
			detail: "'Output Extension' must be 1 to 10 letters or digits, such as wav",
		});
	}
	return formatOfExtension(extension, recognised);
}

/** The output item of Download and Decrypt: what the file is in JSON, the file itself in the field the user named. */
export async function recordingItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	file: {
		chunks: Chunks;
		baseName: string;
		format: FileFormat;
		sessionGuid: string | null;
		/** Whether the recording was encrypted by the service. */
		encrypted: boolean;
	},
): Promise<INodeExecutionData> {
	const { format, extension, mimeType } = file.format;
	const fileName = `${file.baseName}.${extension}`;
	const { binary, bytes, sha256 } = await storeBinary(context, file.chunks, fileName, mimeType);
	const { sessionGuid, encrypted } = file;
	return itemOf(
		itemIndex,
		{ sessionGuid, fileName, format, mimeType, bytes, sha256, encrypted },
		{ [binaryPropertyName]: binary },
	);
}
