import type { IExecuteFunctions } from 'n8n-workflow';

/** What n8n gives as the id of an execution that has none. */
const UNKNOWN = '__UNKNOWN__';

/**
 * The id of the execution; `undefined` if n8n gives none, as to tools of its MCP Server Trigger.
 * All their calls would share what is kept by such an id.
 */
export function executionIdOf(
	context: Pick<IExecuteFunctions, 'getExecutionId'>,
): string | undefined {
	const id = context.getExecutionId() as string | undefined;
	const isNone = id === undefined || id === '' || id === UNKNOWN;
	return isNone ? undefined : id;
}
