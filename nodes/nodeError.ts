import { type INode, type JsonObject, NodeApiError, NodeOperationError } from 'n8n-workflow';

import { VoiceAgentError } from './errors';

/** Our errors as n8n shows them: the one place where they are translated. */

/** The error of a node, or of one item: with its HTTP status, if it has one. */
export function nodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (!(error instanceof VoiceAgentError)) {
		return new NodeOperationError(node, error as Error, { itemIndex });
	}
	const { message, description, httpStatus } = error;
	const shown = { message, description, itemIndex };
	if (httpStatus === undefined) return new NodeOperationError(node, message, shown);
	const httpCode = String(httpStatus);
	return new NodeApiError(node, { message } as JsonObject, { ...shown, httpCode });
}

/** The error of a workflow that cannot be activated. n8n shows only its message. */
export function activationError(node: INode, error: unknown): NodeOperationError {
	const shown = error instanceof VoiceAgentError ? error.fullText : (error as Error);
	return new NodeOperationError(node, shown);
}
