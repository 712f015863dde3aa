/** Executions by what started them, for tests that run side by side. */
import type { Execution, N8n } from './n8n/n8n.mts';

/**
 * Waits until a workflow has run at least `count` times for a session GUID, and returns these
 * executions, oldest first.
 *
 * @param trigger name of the node whose first item holds the session GUID
 */
export async function executionsFor(
	n8n: N8n,
	{
		workflowId,
		trigger,
		sessionGuid,
		count,
	}: { workflowId: string; trigger: string; sessionGuid: string; count: number },
): Promise<Execution[]> {
	for (let looked = 0; ; ) {
		const executions = await n8n.waitForExecutions({ workflowId, count: looked + 1 });
		const found = executions.filter(
			(execution) => execution.items(trigger)[0]?.json.sessionGuid === sessionGuid,
		);
		if (found.length >= count) return found;
		looked = executions.length;
	}
}
