import type { IExecuteFunctions } from 'n8n-workflow';

/** What n8n's expressions have for an execution without an id. */
const UNKNOWN = '__UNKNOWN__';

/**
 * The id of the execution; `undefined` if n8n gives none, as to tools of its MCP Server Trigger.
 * All their calls would share what is kept by such an id.
 */
export function executionIdOf(context: Pick<IExecuteFunctions, 'getExecutionId'>) {
	const id = context.getExecutionId() as string | undefined;
	return id === undefined || id === '' || id === UNKNOWN ? undefined : id;
}
