import { VoiceAgentError } from '../errors';
import { isJsonObject } from '../data/json';

/** Whether parsed JSON is an OpenAPI or Swagger document. */
export function isApiDocument(json: unknown): boolean {
	return isJsonObject(json) && isJsonObject(json.paths);
}

/** The error for an answer that is not an API document. */
export function noApiDocument(address: string): VoiceAgentError {
	return new VoiceAgentError('noApiDocument', { hint: `It was looked for at ${address}.` });
}

/** What a failed request for the API document means: the path is wrong if everything but the document is there. */
export function documentError(error: unknown, address: string): unknown {
	const isPath = error instanceof VoiceAgentError && ['notFound', 'webPage'].includes(error.reason);
	return isPath ? noApiDocument(address) : error;
}
