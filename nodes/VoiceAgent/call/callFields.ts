import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { VoiceAgentError } from '../../errors';
import { request } from '../../service/http/request';
import type { RequestContext } from '../../service/http/transport';
import { serviceAccess } from '../../service/http/transport';
import { MAKE_CALL_PATH } from './make.operation';
import { requestFields } from './openApi';

const OTHER_WAYS = "Choose 'Using Fields Below' or 'Using JSON' instead.";

/**
 * The service's OpenAPI document and the path where it is.
 * @throws VoiceAgentError `noApiDocument`, or why the service cannot be asked
 */
export async function readApiDocument(
	context: RequestContext,
	itemIndex?: number,
): Promise<{ path: string; json: unknown }> {
	const { baseUrl, documentPath: path } = await serviceAccess(context, itemIndex);
	if (path === undefined) throw new VoiceAgentError('noApiDocument');
	const hint = `It was looked for at ${baseUrl}${path}.`;
	const { json } = await request(context, 'GET', path, { itemIndex }).catch((error: unknown) => {
		// Then everything but the document is there.
		const isPath =
			error instanceof VoiceAgentError && ['notFound', 'webPage'].includes(error.reason);
		throw isPath ? new VoiceAgentError('noApiDocument', { hint }) : error;
	});
	if (isJsonObject(json) && isJsonObject(json.paths)) return { path, json };
	throw new VoiceAgentError('noApiDocument', { hint });
}

/**
 * The form for a call, read from the service's OpenAPI document. If the document cannot be read, the editor shows why,
 * and the other ways to enter the details.
 */
export async function getCallFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const { json } = await readApiDocument(this);
		const fields = requestFields(json, 'POST', MAKE_CALL_PATH);
		return {
			fields: fields.map(({ name, type, required, description, choices }) => ({
				id: name,
				displayName: description ? `${name}: ${description}` : name,
				type,
				required,
				display: true,
				defaultMatch: false,
				...(type === 'options' && {
					options: choices.map((choice) => ({ name: String(choice), value: choice })),
				}),
			})),
		};
	} catch (error) {
		const why =
			error instanceof VoiceAgentError ? error.message : 'The API document cannot be read';
		return { fields: [], emptyFieldsNotice: `${why}. ${OTHER_WAYS}` };
	}
}
