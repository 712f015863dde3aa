/**
 * Drives a real n8n through the REST interface of its editor: for tests, the demo and benchmarks.
 *
 * ```ts
 * const n8n = await startN8n({ packages: [packedPackage()] });
 * const service = { name: 'Service', type: 'voiceAgentApi', data: {…} };
 * const credential = await n8n.createCredential(service);
 * const id = await n8n.importWorkflow(workflow, { voiceAgentApi: credential });
 * const execution = await n8n.run(id, { trigger: 'Start' });
 * console.log(execution.items('Get Many'));
 * await n8n.stop();
 * ```
 */
import type { Credential, CredentialInput, CredentialTest } from './credentials.mts';
import { dataTable, type DataTable } from './dataTables.mts';
import type { BinaryFile, Execution } from './execution.mts';
import { finishedExecution, finishedExecutions, runWorkflow, type Start } from './executions.mts';
import { launch, type Launched, type N8nOptions } from './launch.mts';
import { memoryOf, resetPeakMemory, type Memory } from './memory.mts';
import { RestClient } from './rest.mts';
import { webhooksOf } from './webhooks.mts';
import type { Workflow } from './workflow.mts';
import { importWorkflow, publish, readWorkflow } from './workflows.mts';

export { packedPackage } from './communityPackage.mts';
export type { Credential, CredentialInput, CredentialTest } from './credentials.mts';
export type { DataTable, Row } from './dataTables.mts';
export {
	Execution,
	type BinaryFile,
	type Item,
	type Json,
	type RecordedError,
} from './execution.mts';
export { startQueueProcess, type N8nOptions, type QueueProcess } from './launch.mts';
export type { Memory } from './memory.mts';
export { owner } from './rest.mts';
export type { Workflow, WorkflowNode } from './workflow.mts';

/**
 * Starts a real n8n with an owner, ready to be used.
 *
 * @throws {Error} when the port is taken or n8n does not become ready, with n8n's last log lines
 */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const launched = await launch('start', options);
	try {
		const client = new RestClient(launched.n8nProcess);
		await client.ensureOwner();
		return new N8n(launched, client);
	} catch (error) {
		await launched.stop();
		throw error;
	}
}

export class N8n {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	readonly userFolder: string;
	readonly #client: RestClient;
	readonly #launched: Launched;

	/** Use {@link startN8n}. */
	constructor(launched: Launched, client: RestClient) {
		const { n8nProcess, userFolder } = launched;
		this.#launched = launched;
		this.#client = client;
		this.userFolder = userFolder;
		this.url = n8nProcess.url;
		this.port = n8nProcess.port;
		this.pid = n8nProcess.pid;
	}

	async createCredential(credential: CredentialInput): Promise<Credential> {
		const { id, name } = await this.rest<Credential>('POST', '/rest/credentials', credential);
		return { id, name };
	}

	/** Replaces the data (all of it) and the name of a credential. */
	async updateCredential(id: string, credential: CredentialInput): Promise<void> {
		await this.rest('PATCH', `/rest/credentials/${id}`, credential);
	}

	/**
	 * What the "Retry" button of a stored credential does. `data` has unsaved values, which are
	 * tested in place of the stored ones.
	 */
	async testCredential(
		one: Pick<Credential, 'id'> & Pick<CredentialInput, 'type'> & Partial<CredentialInput>,
	): Promise<CredentialTest> {
		const path = `/rest/credentials/${one.id}?includeData=true`;
		const { name, data } = await this.rest<CredentialInput>('GET', path);
		// n8n takes a redacted value of `data` to mean the stored one.
		const credentials = { name, data, ...one };
		return await this.rest('POST', '/rest/credentials/test', { credentials });
	}

	/**
	 * Stores a workflow and returns its id. Every node gets the credentials of the types that it
	 * names or declares.
	 *
	 * @param credentials by credential type
	 */
	async importWorkflow(
		workflow: Workflow,
		credentials: Record<string, Credential> = {},
	): Promise<string> {
		return await importWorkflow(this.#client, workflow, credentials);
	}

	/** Publishes a workflow and waits until its triggers run and its webhooks are known. */
	async activate(workflowId: string): Promise<void> {
		await publish(this.#client, workflowId);
	}

	async deactivate(workflowId: string): Promise<void> {
		await this.rest('POST', `/rest/workflows/${workflowId}/deactivate`, {});
	}

	/** The production address of a webhook node; it answers once the workflow is active. */
	async webhookUrl(workflowId: string, nodeName: string): Promise<string> {
		const webhooks = await webhooksOf(this.#client, await readWorkflow(this.#client, workflowId));
		const webhook = webhooks.find(({ node }) => node === nodeName);
		if (webhook === undefined) {
			throw new Error(`Workflow ${workflowId} has no node with a webhook named "${nodeName}".`);
		}
		return `${this.url}/webhook/${webhook.path}`;
	}

	/** Executes a stored workflow by hand. Returns the execution once it has succeeded or failed. */
	async run(workflowId: string, start: Start): Promise<Execution> {
		return await runWorkflow(this.#client, workflowId, start);
	}

	/** Waits until at least `count` executions of a workflow have ended. The oldest comes first. */
	async waitForExecutions(wanted: { workflowId: string; count: number }): Promise<Execution[]> {
		return await finishedExecutions(this.#client, wanted);
	}

	/** Waits for the end of an execution and returns it. */
	async execution(id: string): Promise<Execution> {
		return await finishedExecution(this.#client, id);
	}

	/** The content of a file of an item, wherever n8n keeps it. */
	async binary({ id, data }: BinaryFile): Promise<Buffer> {
		if (id === undefined) return Buffer.from(data, 'base64');
		const path = `/rest/binary-data?id=${encodeURIComponent(id)}&action=download`;
		const response = await this.fetch('GET', path);
		if (!response.ok) throw new Error(`n8n answered ${response.status} to GET ${path}`);
		return Buffer.from(await response.arrayBuffer());
	}

	/** A data table by its exact name, or undefined if there is none. */
	async dataTable(name: string): Promise<DataTable | undefined> {
		return await dataTable(this.#client, name);
	}

	/**
	 * A call of n8n's REST interface, for what has no method here.
	 *
	 * @returns the `data` of the answer
	 * @throws {Error} with n8n's message when it refuses
	 */
	async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		return await this.#client.request(method, path, body);
	}

	/** A request of the owner, signed in, for answers that are not JSON with `data`. */
	async fetch(method: string, path: string, body?: unknown): Promise<Response> {
		return await this.#client.fetch(method, path, body);
	}

	memory(): Memory {
		return memoryOf(this.pid);
	}

	/** Resets `memory().peakRssBytes`. Returns false if the system does not allow that. */
	resetPeakMemory(): boolean {
		return resetPeakMemory(this.pid);
	}

	/** The last lines that n8n printed. */
	logTail(count?: number): string {
		return this.#launched.n8nProcess.logTail(count);
	}

	/** Ends n8n, at once with `kill`, and removes its folder if that is a temporary one. */
	async stop(options?: { kill?: boolean }): Promise<void> {
		await this.#launched.stop(options);
	}
}
