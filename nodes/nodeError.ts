import {
	type IDataObject,
	type INode,
	type JsonObject,
	NodeApiError,
	NodeOperationError,
	WebhookPathTakenError,
	type WorkflowActivationError,
} from 'n8n-workflow';

import { type CallStatus, type NamedRecording, type Reason, VoiceAgentError } from './errors';

/** Our errors as n8n shows them: the one place where they are translated. */

/**
 * Whether a node is a tool of an AI agent or of an MCP server: n8n adds a word to the type of ours.
 * Its own `isToolExecution()` is false in version 3 of the AI Agent, which runs tools as nodes.
 */
export function isToolNode({ type }: Pick<INode, 'type'>): boolean {
	return type.endsWith('Tool');
}

/** What workflows read of an error, so that they need not search its texts. */
export type ErrorFields = {
	reason: Reason | 'unexpected';
	/** Of a call that failed. */
	callStatus?: CallStatus;
} & Partial<NamedRecording>;

export function errorFields(error: unknown, recording?: NamedRecording): ErrorFields {
	const { callStatus } = error as { callStatus?: CallStatus };
	const reason = error instanceof VoiceAgentError ? error.reason : 'unexpected';
	return { reason, ...(callStatus && { callStatus }), ...recording };
}

/**
 * The error of a node, or of one item: with its HTTP status, if it has one, and its fields in
 * `context.metadata`, where error workflows find them.
 *
 * @param recording that it is about
 */
export function nodeError(
	node: INode,
	error: unknown,
	itemIndex?: number,
	recording?: NamedRecording,
): NodeApiError | NodeOperationError {
	const shown = errorOfN8n(node, error, itemIndex);
	const fields = errorFields(error, recording);
	const metadata = { ...(shown.context.metadata as IDataObject | undefined), ...fields };
	shown.context.metadata = metadata;
	// If this is a sub-workflow, n8n makes the error for its caller from this field.
	return Object.assign(shown, { metadata });
}

function errorOfN8n(
	node: INode,
	error: unknown,
	itemIndex?: number,
): NodeApiError | NodeOperationError {
	if (!(error instanceof VoiceAgentError)) {
		return new NodeOperationError(node, error as Error, { itemIndex });
	}
	if (isToolNode(node)) return toolError(node, error, itemIndex);
	const { message, description, httpStatus } = error;
	const shown = { message, description, itemIndex };
	if (httpStatus === undefined) return new NodeOperationError(node, message, shown);
	const httpCode = String(httpStatus);
	return new NodeApiError(node, { message } as JsonObject, { ...shown, httpCode });
}

/** A model reads the message only, so it says all: what to do, and which field was refused. */
function toolError(node: INode, error: VoiceAgentError, itemIndex?: number): NodeOperationError {
	const { fullText, description } = error;
	const shown = new NodeOperationError(node, fullText, { description, itemIndex });
	// n8n replaces a message that has the code of a lost connection in it.
	shown.message = fullText;
	return shown;
}

/**
 * The error of a workflow that cannot be published. n8n shows only its message.
 *
 * n8n tries to publish five times, for 15 seconds, in which the trigger answers nothing. It takes
 * one error only for final, so what the user has to correct is said with that one.
 */
export function activationError(
	node: INode,
	error: unknown,
): NodeOperationError | WorkflowActivationError {
	if (!(error instanceof VoiceAgentError)) return new NodeOperationError(node, error as Error);
	return Object.assign(new WebhookPathTakenError(node.name), { message: error.fullText });
}
