/** A service with recordings that wait, and workflows that the Recording Trigger starts for them. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { AddRecordingOptions, Emulator } from '../../../emulator/src/index.mts';
import { byGuid, inARow, recordingTrigger, voiceAgent } from '../../../harness/flow.mts';
import type { Execution, Json, N8n, Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { addService, API_KEY, type Stack } from '../../../harness/stack.mts';

export const TRIGGER = 'Recordings waiting';
export const LIST = '/api/customer/recordings';
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
/**
 * Settings of every n8n here: with one connection to its database, n8n numbers executions in the order in which
 * the trigger starts them, also on a busy machine.
 */
export const ONE_CONNECTION = { DB_SQLITE_POOL_SIZE: '1', DB_POSTGRESDB_POOL_SIZE: '1' };

/** A workflow of the trigger, which checks when it is published and every minute, and of nodes behind it. */
function workflow(options: Record<string, unknown> = {}, nodes: WorkflowNode[] = []): Workflow {
	const parameters = { minutesBetweenChecks: 1, options: { minimumAge: 0, ...options } };
	return inARow('Recordings', [recordingTrigger(parameters, TRIGGER), ...nodes]);
}

/** Downloads or deletes the recording of an item. */
export function recordingNode(operation: 'download' | 'delete'): WorkflowNode {
	return voiceAgent(
		{ resource: 'recording', operation, recording: byGuid(), decrypt: 'never' },
		{ name: operation },
	);
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

export interface WaitingService extends Pick<Stack, 'credentials' | 'stop'> {
	emulator: Emulator;
	control: Emulator['control'];
	/** The requests for the list so far. */
	checks(): ReturnType<Emulator['control']['requests']>;
	/** Stores a recording whose call ended that long ago. */
	add(ageMs: number, options?: AddRecordingOptions): Promise<string>;
	remove(sessionGuid: string): Promise<void>;
	/** Waits until this many more checks have been answered and the executions that they start have begun. */
	nextChecks(count: number): Promise<void>;
	/** Publishes the workflow again, so that it checks immediately. */
	check(workflowId: string): Promise<void>;
	importWorkflow(...parameters: Parameters<typeof workflow>): Promise<string>;
	/** Publishes a workflow until `stop`. */
	activate(...parameters: Parameters<typeof workflow>): Promise<string>;
	/** All executions. Their number must be `count`, also after one more check. */
	executions(workflowId: string, count: number): Promise<Execution[]>;
}

/** @param getN8n the n8n that is running now: some tests start it again */
export async function addWaitingService(getN8n: () => N8n): Promise<WaitingService> {
	const { emulator, credentials, stop } = await addService(getN8n());
	const { control } = emulator;
	const active = new Set<string>();
	const checks = () =>
		control.requests().filter(({ method, path }) => method === 'GET' && path === LIST);
	const service: WaitingService = {
		emulator,
		control,
		credentials,
		checks,
		async add(ageMs, options = {}) {
			const endedAt = new Date(control.now() - ageMs).toISOString();
			const { sessionGuid } = await control.addRecording({
				endedAt,
				...('sizeBytes' in options ? {} : { content: Buffer.from('OggS, not really') }),
				...options,
			});
			return sessionGuid;
		},
		async remove(sessionGuid) {
			const path = `${LIST}/${encodeURIComponent(sessionGuid)}`;
			await fetch(`${emulator.url}${path}`, { method: 'DELETE', headers: { Token: API_KEY } });
		},
		async nextChecks(count) {
			const answered = () => checks().filter(({ status }) => status !== null).length;
			const wanted = answered() + count;
			const deadline = Date.now() + 300_000;
			while (answered() < wanted) {
				assert.ok(Date.now() < deadline, 'the node does not check any more');
				await sleep(50);
			}
			await sleep(500);
		},
		async check(workflowId) {
			await getN8n().deactivate(workflowId);
			const checked = service.nextChecks(1);
			await getN8n().activate(workflowId);
			await checked;
		},
		importWorkflow: async (...parameters) =>
			await getN8n().importWorkflow(workflow(...parameters), credentials),
		async activate(...parameters) {
			const id = await service.importWorkflow(...parameters);
			active.add(id);
			await getN8n().activate(id);
			return id;
		},
		async executions(workflowId, count) {
			await getN8n().waitForExecutions({ workflowId, count });
			await service.check(workflowId);
			const executions = await getN8n().waitForExecutions({ workflowId, count });
			assert.equal(executions.length, count, 'executions that should not be');
			return executions;
		},
		async stop() {
			for (const id of active) await getN8n().deactivate(id);
			await stop();
		},
	};
	return service;
}

/** A service for one test, so that tests can run side by side. */
export async function serviceFor(test: TestContext, getN8n: () => N8n): Promise<WaitingService> {
	const service = await addWaitingService(getN8n);
	test.after(async () => await service.stop());
	return service;
}
