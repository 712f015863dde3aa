import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { request } from '../../service/http/request';
import { type RequestContext, serviceAccess } from '../../service/http/transport';
import { MAKE_CALL_PATH } from './make.operation';
import { requestFields, unreadable } from './openApi';

/**
 * The service's OpenAPI document and the path where it is.
 * @throws VoiceAgentError `noCallFields`, or why the service cannot be asked
 */
export async function readApiDocument(
	context: RequestContext,
	itemIndex?: number,
): Promise<{ path: string; json: unknown }> {
	const { documentPath: path } = await serviceAccess(context, itemIndex);
	const nowhere = unreadable(
		"'API Document Path' in the VoiceAgent API credential does not lead to it",
	);
	if (path === undefined) throw nowhere;
	const { json } = await request(context, 'GET', path, { itemIndex }).catch((error: unknown) => {
		// Then everything but the document is there.
		const isPath =
			error instanceof VoiceAgentError && ['notFound', 'webPage'].includes(error.reason);
		throw isPath ? nowhere : error;
	});
	if (isJsonObject(json) && isJsonObject(json.paths)) return { path, json };
	throw nowhere;
}

/**
 * The form for a call, read from the service's OpenAPI document. If the document cannot be read, the editor shows why,
 * and the other ways to enter the details.
 */
export async function getCallFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const { json } = await readApiDocument(this);
		return { fields: requestFields(json, MAKE_CALL_PATH) };
	} catch (error) {
		const why =
			error instanceof VoiceAgentError ? error.message : 'The API document cannot be read';
		const notice = `${why}. Choose 'Using Fields Below' or 'Using JSON' instead.`;
		return { fields: [], emptyFieldsNotice: notice };
	}
}
