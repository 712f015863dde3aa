import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';

import { VoiceAgentError } from '../../errors';
import { readCredential } from '../../service/readCredential';
import { request } from '../../service/request';
import { MAKE_CALL_PATH } from './make.operation';
import { requestFields } from './openApi';

const DEFAULT_DOCUMENT_PATH = '/swagger/v1/swagger.json';
const OTHER_WAYS = "Choose 'Using Fields Below' or 'Using JSON' instead.";

/**
 * The form for a call, read from the service's OpenAPI document. If the document cannot be read, the editor shows why,
 * and the other ways to enter the details.
 */
export async function getCallFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
	try {
		const path = await readCredential(this, 'voiceAgentApi', ({ apiDocumentPath }) =>
			String(apiDocumentPath || DEFAULT_DOCUMENT_PATH),
		);
		const { json } = await request(this, 'GET', path.startsWith('/') ? path : `/${path}`);
		const fields = requestFields(json, 'POST', MAKE_CALL_PATH);
		if (!fields?.length) throw new VoiceAgentError('noCallFields', { detail: path });
		return {
			fields: fields.map(({ name, type, required, description, choices }) => ({
				id: name,
				displayName: description ? `${name}: ${description}` : name,
				type,
				required,
				display: true,
				defaultMatch: false,
				...(type === 'options' && {
					options: choices.map((choice) => ({ name: choice, value: choice })),
				}),
			})),
		};
	} catch (error) {
		const why =
			error instanceof VoiceAgentError ? error.message : 'The API document cannot be read';
		return { fields: [], emptyFieldsNotice: `${why}. ${OTHER_WAYS}` };
	}
}
