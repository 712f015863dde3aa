import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { itemOf } from '../../fields/operation';
import { slices } from '../../recordingFile/chunks';
import { isJsonObject } from '../../service/payload';
import { RETENTION_MS } from '../../service/retention';
import { findListed } from './availability';
import { storeBinary } from './binary';
import { callEndIn } from './output';

/**
 * A second output item for a recording: a JSON file that says what the first one is, for whoever finds both in an archive
 * years later. It has the name of the recording, with the extension `.json`.
 *
 * @param recordingItem the output item of the recording itself
 */
export async function metadataItem(
	context: IExecuteFunctions,
	itemIndex: number,
	binaryPropertyName: string,
	recordingItem: INodeExecutionData,
): Promise<INodeExecutionData> {
	const { sessionGuid, ...file } = recordingItem.json;
	const { json = {} } = context.getInputData()[itemIndex] ?? {};
	const callEnd = callEndIn(json);
	const content = {
		sessionGuid,
		callEndedAt: isoTime(callEnd),
		retentionEndsAt: isoTime(callEnd + RETENTION_MS),
		downloadedAt: new Date().toISOString(),
		file,
		callEnd: json.payload ?? null,
		listed: await listedRecord(context, itemIndex, String(sessionGuid), json),
	};
	const path = String(file.fileName).replace(/\.[^./]*$/, '') + '.json';
	const chunks = slices(Buffer.from(`${JSON.stringify(content, undefined, '\t')}\n`));
	const type = { fileName: path.replace(/^.*\//, ''), mimeType: 'application/json' };
	const { binary, bytes, sha256 } = await storeBinary(context, chunks, type);
	// Not `sha256`: the checksum of the metadata must not pass for that of a recording.
	const { mimeType } = type;
	const facts = { fileName: path, format: 'json', mimeType, bytes, metadataSha256: sha256 };
	return itemOf(itemIndex, { sessionGuid, ...facts }, { [binaryPropertyName]: binary });
}

/** The record of the list: from the item, if that comes from a list. */
async function listedRecord(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	json: IDataObject,
): Promise<unknown> {
	if (isJsonObject(json.recording)) return json.recording;
	const isFromList = 'hoursLeft' in json && !('payload' in json);
	if (isFromList) return json;
	const { found } = await findListed(context, itemIndex, sessionGuid);
	return found?.recording ?? null;
}

function isoTime(ms: number): string | null {
	return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
