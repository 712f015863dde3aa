import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { itemOf } from '../../fields/operation';
import { isJsonObject } from '../../data/json';
import { RETENTION_MS } from '../../service/retention';
import { storeBinary } from './binary';
import { findListed } from './listing';
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
	const listed = await listedRecord(context, itemIndex, String(sessionGuid), json);
	const callEnd = [callEndIn(json), Date.parse(String(listed.callEndedAt))].find(Number.isFinite);
	const content = {
		sessionGuid,
		callEndedAt: isoTime(callEnd),
		retentionEndsAt: isoTime(callEnd && callEnd + RETENTION_MS),
		downloadedAt: new Date().toISOString(),
		file,
		callEnd: json.payload ?? null,
		listed: listed.record,
	};
	const path = String(file.fileName).replace(/\.[^./]*$/, '') + '.json';
	const type = { fileName: path.replace(/^.*\//, ''), mimeType: 'application/json' };
	const { binary, bytes, sha256 } = await storeBinary(context, fileOf(content), type);
	// Not `sha256`: the checksum of the metadata must not pass for that of a recording.
	const { mimeType } = type;
	const facts = { fileName: path, format: 'json', mimeType, bytes, metadataSha256: sha256 };
	return itemOf(itemIndex, { sessionGuid, ...facts }, { [binaryPropertyName]: binary });
}

async function* fileOf(content: object): AsyncGenerator<Uint8Array, void, undefined> {
	yield Buffer.from(`${JSON.stringify(content, null, '\t')}\n`);
}

/** The record of the list, and when it says that the call ended: from the item, if that comes from a list. */
async function listedRecord(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	json: IDataObject,
): Promise<{ record: unknown; callEndedAt?: string | null }> {
	if (isJsonObject(json.recording)) return { record: json.recording };
	const { found } = await findListed(context, itemIndex, sessionGuid);
	return { record: found?.recording ?? null, callEndedAt: found?.callEndedAt };
}

function isoTime(ms: number | undefined): string | null {
	return ms === undefined ? null : new Date(ms).toISOString();
}
