import { Execution, isOver, type ExecutionRecord, type ExecutionStatus } from './execution.mts';
import { isOtherVersion } from './installation.mts';
import type { RestClient } from './rest.mts';
import { readWorkflow } from './workflows.mts';

const TIMEOUT_MS = 300_000;

export interface Start {
	/** Name of the trigger node to start from. */
	trigger: string;
	/** Name of the last node to execute; all of them without it. */
	destination?: string;
	timeoutMs?: number;
}

export async function runWorkflow(
	client: RestClient,
	workflowId: string,
	start: Start,
): Promise<Execution> {
	const started = await client.request<{ executionId?: string; waitingForWebhook?: boolean }>(
		'POST',
		`/rest/workflows/${workflowId}/run`,
		{
			workflowId,
			triggerToStartFrom: { name: start.trigger },
			...(start.destination && {
				destinationNode: { nodeName: start.destination, mode: 'inclusive' },
			}),
			// Older versions do not read it from their database.
			...(isOtherVersion && { workflowData: await readWorkflow(client, workflowId) }),
		},
	);
	if (started.executionId === undefined) {
		throw new Error(
			`"${start.trigger}" waits for a webhook: ` +
				'activate the workflow and call webhookUrl() instead.',
		);
	}
	return await finishedExecution(client, started.executionId, start.timeoutMs);
}

/** At least `count` executions that have ended, oldest first. */
export async function finishedExecutions(
	client: RestClient,
	{ workflowId, count }: { workflowId: string; count: number },
): Promise<Execution[]> {
	let seen = '';
	const finished = await client.process
		.waitFor(`finish ${count} executions of workflow ${workflowId}`, TIMEOUT_MS, async () => {
			const executions = await listExecutions(client, workflowId);
			seen = executions.map(({ id, status }) => `${id} ${status}`).join(', ');
			const over = executions.filter(({ status }) => isOver(status));
			return over.length >= count ? over : undefined;
		})
		.catch((error: Error) => {
			throw new Error(`${error.message}\nExecutions: ${seen || 'none'}`);
		});
	finished.sort((a, b) => Number(a.id) - Number(b.id));
	const executions: Execution[] = [];
	for (const { id } of finished) executions.push(await finishedExecution(client, id));
	return executions;
}

/** Executions that have ended, which never change again. By client and id. */
const ended = new WeakMap<RestClient, Map<string, Execution>>();

/** Waits until the execution has ended. */
export async function finishedExecution(
	client: RestClient,
	id: string,
	timeoutMs = TIMEOUT_MS,
): Promise<Execution> {
	const known = ended.get(client) ?? new Map<string, Execution>();
	ended.set(client, known);
	const before = known.get(id);
	if (before !== undefined) return before;
	const record = await client.process.waitFor(`finish execution ${id}`, timeoutMs, async () => {
		const current = await client.request<ExecutionRecord>('GET', `/rest/executions/${id}`);
		return isOver(current.status) ? current : undefined;
	});
	const execution = new Execution(record);
	known.set(id, execution);
	return execution;
}

/** All executions of a workflow, unfinished ones too. */
async function listExecutions(
	client: RestClient,
	workflowId: string,
): Promise<{ id: string; status: ExecutionStatus }[]> {
	const executions: { id: string; status: ExecutionStatus }[] = [];
	const filter = encodeURIComponent(JSON.stringify({ workflowId }));
	let cursor: string | null | undefined;
	do {
		const from = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
		const page = await client.request<{ results: typeof executions; nextCursor?: string | null }>(
			'GET',
			// 100 is the most that n8n allows.
			`/rest/executions?filter=${filter}&limit=100${from}`,
		);
		executions.push(...page.results);
		cursor = page.nextCursor;
	} while (cursor);
	return executions;
}
