import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { isJsonObject } from '../../../data/json';
import { itemOf } from '../../../fields/operation';
import { RETENTION_MS } from '../../../service/retention';
import { storeBinary } from './binary';
import { callEndIn, isoTime } from './output';

/**
 * A second output item for a recording: a JSON file that says what the first one is, for whoever finds both in an archive
 * years later. It has the name of the recording, with the extension `.json`.
 *
 * @param recordingItem the output item of the recording itself
 * @param about what is known about the call
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
	const fileName = String(file.fileName).replace(/\.[^./]*$/, '') + '.json';
	const mimeType = 'application/json';
	const { binary, bytes, sha256 } = await storeBinary(context, fileOf(content), {
		fileName: fileName.replace(/^.*\//, ''),
		mimeType,
	});
	// Not `sha256`: the checksum of the metadata must not pass for that of a recording.
	const facts = { fileName, format: 'json', mimeType, bytes, metadataSha256: sha256 };
	return itemOf(itemIndex, { sessionGuid, ...facts }, { [binaryPropertyName]: binary });
}

async function* fileOf(content: object): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.from(`${JSON.stringify(content, null, '\t')}\n`);
}
