/** A service with recordings that wait, and workflows that the trigger starts for them. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { inARow, recordingTrigger } from '../../../harness/flow.mts';
import type { Execution, Json, N8n, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { addService } from '../../../harness/stack.mts';
import { until } from '../../../harness/until.mts';

export const TRIGGER = 'Recordings waiting';
export const LIST = '/api/customer/recordings';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/**
 * With one connection to its database, n8n numbers executions in the order in which the trigger
 * starts them, even on a busy machine.
 */
export const ONE_CONNECTION = { DB_SQLITE_POOL_SIZE: '1', DB_POSTGRESDB_POOL_SIZE: '1' };

/**
 * The trigger, which checks when it is published and then every minute, and the nodes behind it.
 */
function workflow(nodes: WorkflowNode[] = []): Workflow {
	const parameters = { minutesBetweenChecks: 1, options: { minimumAge: 0 } };
	return inARow('Recordings', [recordingTrigger(parameters, TRIGGER), ...nodes]);
}

/** The one item that the trigger has put out. */
export function outputOf(execution: Execution | undefined): Record<string, Json> {
	const items = execution?.items(TRIGGER) ?? [];
	assert.equal(items.length, 1, execution?.error?.message);
	return items[0]?.json as Record<string, Json>;
}

export function guidsOf(executions: Execution[]): Array<Json | undefined> {
	return executions.map((execution) => outputOf(execution).sessionGuid);
}

export type WaitingService = Awaited<ReturnType<typeof addWaitingService>>;

/** @param getN8n the n8n that is running now: some tests start it again */
export async function addWaitingService(getN8n: () => N8n) {
	const { emulator, credentials, stop } = await addService(getN8n());
	const { control } = emulator;
	const active = new Set<string>();
	/** The requests for the list so far. */
	const checks = () =>
		control.requests().filter(({ method, path }) => method === 'GET' && path === LIST);
	/**
	 * Waits until this many more checks have been answered, and the executions that they start have
	 * begun.
	 */
	async function nextChecks(count: number): Promise<void> {
		const answered = () => checks().filter(({ status }) => status !== null).length;
		const before = answered();
		for (let next = 1; next <= count; next++) await until(() => answered() >= before + next);
		await sleep(500);
	}
	/** Publishes the workflow again, so that it checks immediately. */
	async function check(workflowId: string): Promise<void> {
		await getN8n().deactivate(workflowId);
		const checked = nextChecks(1);
		await getN8n().activate(workflowId);
		await checked;
	}
	return {
		control,
		nextChecks,
		check,
		/** Stores a recording whose call ended that long ago. */
		async add(ageMs: number): Promise<string> {
			const endedAt = new Date(control.now() - ageMs).toISOString();
			return (await control.addRecording({ endedAt, durationSeconds: 1 })).sessionGuid;
		},
		/** Publishes a workflow until `stop`. */
		async activate(nodes?: WorkflowNode[]): Promise<string> {
			const id = await getN8n().importWorkflow(workflow(nodes), credentials);
			active.add(id);
			await getN8n().activate(id);
			return id;
		},
		/** All executions. Their number must be `count`, also after one more check. */
		async executions(workflowId: string, count: number): Promise<Execution[]> {
			await getN8n().waitForExecutions({ workflowId, count });
			await check(workflowId);
			const executions = await getN8n().waitForExecutions({ workflowId, count });
			assert.equal(executions.length, count, 'executions that should not be');
			return executions;
		},
		async stop(): Promise<void> {
			for (const id of active) await getN8n().deactivate(id);
			await stop();
		},
	};
}
