import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { isJsonObject, type JsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { request } from '../../service/http/request';
import { serviceAccess } from '../../service/http/transport';
import { MAKE_CALL_PATH } from './make.operation';
import { requestFields, unreadable } from './openApi';

/**
 * The form for a call, read from the service's OpenAPI document. If the document cannot be read, the editor shows why,
 * and the other ways to enter the details.
 */
export async function getCallFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		return { fields: requestFields(await readApiDocument(this), MAKE_CALL_PATH) };
	} catch (error) {
		const why =
			error instanceof VoiceAgentError ? error.message : 'The API document cannot be read';
		const notice = `${why}. Choose 'Using Fields Below' or 'Using JSON' instead.`;
		return { fields: [], emptyFieldsNotice: notice };
	}
}

/** @throws VoiceAgentError `noCallFields`, or why the service cannot be asked */
async function readApiDocument(context: ILoadOptionsFunctions): Promise<JsonObject> {
	const nowhere = unreadable(
		"'API Document Path' in the VoiceAgent API credential does not lead to it",
	);
	const { documentPath } = await serviceAccess(context);
	if (documentPath === undefined) throw nowhere;
	const { json } = await request(context, 'GET', documentPath).catch((error: VoiceAgentError) => {
		// Then everything but the document is there.
		throw ['notFound', 'webPage'].includes(error.reason) ? nowhere : error;
	});
	if (isJsonObject(json) && isJsonObject(json.paths)) return json;
	throw nowhere;
}
