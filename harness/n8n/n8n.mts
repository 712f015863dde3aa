/**
 * Drives a real n8n through the same REST interface as its editor: for tests, the demo and benchmarks.
 *
 * ```ts
 * const n8n = await startN8n({ packages: [packedPackage()] });
 * const credential = await n8n.createCredential({ name: 'Service', type: 'voiceAgentApi', data: {…} });
 * const id = await n8n.importWorkflow(workflow, { voiceAgentApi: credential });
 * const execution = await n8n.run(id, { trigger: 'Start' });
 * console.log(execution.items('Get Many'));
 * await n8n.stop();
 * ```
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
	installFiles,
	registerInDatabase,
	type InstalledPackage,
	type LoadedNode,
} from './communityPackage.mts';
import {
	Execution,
	isOver,
	type BinaryFile,
	type ExecutionRecord,
	type ExecutionStatus,
} from './execution.mts';
import { N8nProcess, type Command, type Memory } from './process.mts';

export { packedPackage } from './communityPackage.mts';
export {
	Execution,
	type BinaryFile,
	type Item,
	type Json,
	type RecordedError,
} from './execution.mts';
export type { Memory } from './process.mts';

const REQUEST_TIMEOUT_MS = 60_000;
const ACTIVATION_TIMEOUT_MS = 30_000;
const EXECUTION_TIMEOUT_MS = 120_000;

/** Every n8n of the driver belongs to this owner, who can also sign in through the browser. */
export const owner = {
	email: 'owner@example.com',
	password: 'Voice-Agent-1',
	firstName: 'Demo',
	lastName: 'Owner',
} as const;

export interface N8nOptions {
	/** Where n8n keeps its data. By default a temporary folder that `stop()` removes. */
	userFolder?: string;
	/** Port on 127.0.0.1; 0, the default, picks a free one. */
	port?: number;
	/** More environment variables for n8n. They win over the driver's own. */
	env?: Record<string, string>;
	/** Packed packages (`npm pack`) to install as n8n installs community packages. */
	packages?: string[];
	/** Sees each line that n8n prints. */
	log?: (line: string) => void;
	/** Where n8n keeps files: on disk (n8n's default), in memory (`default`) or in its database. */
	binaryMode?: 'filesystem' | 'default' | 'database';
	/** Folders that the Read/Write Files node may use. */
	allowedPaths?: string[];
}

export interface Credential {
	id: string;
	name: string;
}

export interface CredentialInput {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

/** A workflow as n8n exports it; other fields are ignored. */
export interface Workflow {
	name?: string;
	nodes: WorkflowNode[];
	connections: object;
	settings?: object;
	pinData?: object;
}

export interface WorkflowNode {
	name: string;
	type: string;
	typeVersion: number;
	parameters: Record<string, unknown>;
	disabled?: boolean;
	webhookId?: string;
	credentials?: Record<string, { id?: string | null; name?: string }>;
	[field: string]: unknown;
}

interface StoredWorkflow extends Workflow {
	id: string;
	versionId: string;
}

interface NodeDescription {
	displayName: string;
	properties: { name: string; default?: unknown }[];
	credentials?: { name: string }[];
	webhooks?: { httpMethod: string; path: string; isFullPath?: boolean; restartWebhook?: boolean }[];
}

interface PublicationStatus {
	status: 'in_progress' | 'published' | 'partial' | 'failed' | 'not_published';
	triggers: { errorMessage: string | null }[];
}

/** A process of n8n in queue mode that has no editor. */
export interface QueueProcess {
	readonly url: string;
	/** Ends the process and removes its folder if that was a temporary one. */
	stop(): Promise<void>;
}

/**
 * Starts a real n8n with an owner, ready to be used.
 *
 * @throws {Error} when the port is taken or n8n does not become ready, with n8n's last log lines
 */
export async function startN8n(options: N8nOptions = {}): Promise<N8n> {
	const { n8nProcess, userFolder, installed, removeFolder } = await launch('start', options);
	try {
		const n8n = new N8n(n8nProcess, userFolder, removeFolder);
		await n8n.ensureOwner();
		if (options.env?.DB_TYPE === undefined) await n8n.listInSettings(installed);
		return n8n;
	} catch (error) {
		await n8nProcess.stop();
		removeFolder();
		throw error;
	}
}

/**
 * Adds a process to an n8n in queue mode that {@link startN8n} has started: `webhook` takes the production
 * webhooks, `worker` runs the executions. It needs the same settings, and the same packages once more.
 *
 * @throws {Error} when the port is taken or the process does not become ready, with its last log lines
 */
export async function startQueueProcess(
	command: 'webhook' | 'worker',
	options: N8nOptions,
): Promise<QueueProcess> {
	const { n8nProcess, removeFolder } = await launch(command, options);
	return {
		url: n8nProcess.url,
		async stop() {
			await n8nProcess.stop();
			removeFolder();
		},
	};
}

async function launch(command: Command, options: N8nOptions) {
	const userFolder = options.userFolder ?? (await mkdtemp(join(tmpdir(), 'n8n-')));
	const removeFolder = () => {
		process.off('exit', removeFolder);
		if (options.userFolder !== undefined) return;
		rmSync(userFolder, { recursive: true, force: true, maxRetries: 3 });
	};
	// For whoever ends without stop().
	process.on('exit', removeFolder);
	try {
		await mkdir(userFolder, { recursive: true });
		const installed: InstalledPackage[] = [];
		for (const tarball of options.packages ?? []) {
			installed.push(await installFiles(userFolder, tarball));
		}
		const n8nProcess = await N8nProcess.start({
			command,
			userFolder,
			port: options.port ?? 0,
			env: { ...settings(options), ...options.env },
			log: options.log ?? (() => {}),
		});
		return { n8nProcess, userFolder, installed, removeFolder };
	} catch (error) {
		removeFolder();
		throw error;
	}
}

function settings({ binaryMode, allowedPaths }: N8nOptions): Record<string, string> {
	return {
		...(binaryMode && { N8N_DEFAULT_BINARY_DATA_MODE: binaryMode }),
		...(allowedPaths && { N8N_RESTRICT_FILE_ACCESS_TO: allowedPaths.join(';') }),
	};
}

export class N8n {
	readonly url: string;
	readonly port: number;
	readonly pid: number;
	readonly userFolder: string;
	readonly #process: N8nProcess;
	readonly #removeFolder: () => void;
	#cookie = '';
	/** Executions that are over, which never change again. By id. */
	readonly #over = new Map<string, Execution>();

	/** Use {@link startN8n}. */
	constructor(n8nProcess: N8nProcess, userFolder: string, removeFolder: () => void) {
		this.#process = n8nProcess;
		this.#removeFolder = removeFolder;
		this.userFolder = userFolder;
		this.url = n8nProcess.url;
		this.port = n8nProcess.port;
		this.pid = n8nProcess.pid;
	}

	/**
	 * Creates the owner, or signs in when there is one. `startN8n()` has done it already; again it does no harm.
	 *
	 * @throws {Error} when this n8n belongs to somebody else
	 */
	async ensureOwner(): Promise<void> {
		const { userManagement } = await this.rest<{
			userManagement: { showSetupOnFirstLoad?: boolean };
		}>('GET', '/rest/settings');
		if (userManagement.showSetupOnFirstLoad) {
			await this.rest('POST', '/rest/owner/setup', owner);
			return;
		}
		await this.rest('POST', '/rest/login', {
			emailOrLdapLoginId: owner.email,
			password: owner.password,
		});
	}

	/** Makes packages whose files are in place show up under Settings > Community nodes. */
	async listInSettings(packages: InstalledPackage[]): Promise<void> {
		for (const installed of packages) {
			const nodes = await this.#loadedNodes(installed.name);
			if (nodes.length === 0) {
				throw new Error(
					`n8n loaded no node of ${installed.name}. It printed:\n${this.#process.logTail(40)}`,
				);
			}
			registerInDatabase(this.userFolder, installed, nodes);
		}
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
	 * What the "Retry" button of a stored credential does. With `data`, unsaved values are tested in place
	 * of the stored ones.
	 */
	async testCredential(credential: {
		id: string;
		type: string;
		data?: Record<string, unknown>;
	}): Promise<CredentialTest> {
		const { id, type } = credential;
		const stored = await this.rest<{ name: string; data: Record<string, unknown> }>(
			'GET',
			`/rest/credentials/${id}?includeData=true`,
		);
		// n8n takes a redacted value of `data` to mean the stored one.
		const data = credential.data ?? stored.data;
		return await this.rest('POST', '/rest/credentials/test', {
			credentials: { id, type, name: stored.name, data },
		});
	}

	/**
	 * Stores a workflow and returns its id. Every node gets the credentials of the types that it names or
	 * declares.
	 *
	 * @param credentials by credential type
	 */
	async importWorkflow(
		workflow: Workflow,
		credentials: Record<string, Credential> = {},
	): Promise<string> {
		const descriptions = await this.#describe(workflow.nodes);
		const nodes = workflow.nodes.map((node, index) => {
			const declared = descriptions[index]?.credentials?.map(({ name }) => name) ?? [];
			const wanted = [...Object.keys(node.credentials ?? {}), ...declared];
			const given = wanted.flatMap((type) => {
				const credential = credentials[type];
				return credential === undefined ? [] : [[type, credential]];
			});
			return { ...node, credentials: { ...node.credentials, ...Object.fromEntries(given) } };
		});
		const { id } = await this.rest<{ id: string }>('POST', '/rest/workflows', {
			name: workflow.name ?? 'Test workflow',
			nodes,
			connections: workflow.connections,
			// As in every workflow that the editor creates; without it n8n runs them in the order of its first versions.
			settings: { executionOrder: 'v1', ...workflow.settings },
			pinData: workflow.pinData ?? {},
		});
		return id;
	}

	/** Publishes a workflow and waits until its triggers run and its webhooks are known. */
	async activate(workflowId: string): Promise<void> {
		const { versionId } = await this.#workflow(workflowId);
		await this.rest('POST', `/rest/workflows/${workflowId}/activate`, {
			versionId,
			name: '',
			description: '',
		});
		// Publishing goes on after that answer.
		const { status, triggers } = await this.#process.waitFor(
			`publish workflow ${workflowId}`,
			ACTIVATION_TIMEOUT_MS,
			async () => {
				const publication = await this.rest<PublicationStatus>(
					'GET',
					`/rest/workflows/${workflowId}/publication-status`,
				);
				return ['in_progress', 'not_published'].includes(publication.status)
					? undefined
					: publication;
			},
		);
		if (status !== 'published') {
			const reasons = triggers.map(({ errorMessage }) => errorMessage).filter(Boolean);
			throw new Error(`n8n could not publish workflow ${workflowId}: ${reasons.join('; ')}`);
		}
		for (const webhook of await this.#webhooks(workflowId)) {
			await this.#process.waitFor(
				`register the webhook ${webhook.method} ${webhook.path}`,
				ACTIVATION_TIMEOUT_MS,
				async () =>
					(await this.rest<object | null>('POST', '/rest/webhooks/find', webhook)) ?? undefined,
			);
		}
	}

	async deactivate(workflowId: string): Promise<void> {
		await this.rest('POST', `/rest/workflows/${workflowId}/deactivate`, {});
	}

	/** Deactivates and deletes a workflow with its executions. */
	async deleteWorkflow(workflowId: string): Promise<void> {
		// n8n deletes archived workflows only.
		await this.rest('POST', `/rest/workflows/${workflowId}/archive`, {});
		await this.rest('DELETE', `/rest/workflows/${workflowId}`);
	}

	/** The production address of a webhook node; it answers once the workflow is active. */
	async webhookUrl(workflowId: string, nodeName: string): Promise<string> {
		const webhook = (await this.#webhooks(workflowId)).find(({ node }) => node === nodeName);
		if (webhook === undefined) {
			throw new Error(`Workflow ${workflowId} has no node with a webhook named "${nodeName}".`);
		}
		return `${this.url}/webhook/${webhook.path}`;
	}

	/**
	 * Runs a stored workflow by hand and waits for its end. A run that fails is returned, not thrown.
	 *
	 * @param start.trigger name of the trigger node to start from
	 * @param start.destination name of the last node to run; all of them without it
	 */
	async run(
		workflowId: string,
		start: { trigger: string; destination?: string; timeoutMs?: number },
	): Promise<Execution> {
		const started = await this.rest<{ executionId?: string; waitingForWebhook?: boolean }>(
			'POST',
			`/rest/workflows/${workflowId}/run`,
			{
				workflowId,
				triggerToStartFrom: { name: start.trigger },
				...(start.destination && {
					destinationNode: { nodeName: start.destination, mode: 'inclusive' },
				}),
			},
		);
		if (started.executionId === undefined) {
			throw new Error(
				`"${start.trigger}" waits for a webhook: activate the workflow and call webhookUrl() instead.`,
			);
		}
		return await this.execution(started.executionId, start.timeoutMs);
	}

	/**
	 * Waits until a workflow has run at least `count` times to the end, and returns those runs, oldest first.
	 */
	async waitForExecutions({
		workflowId,
		count,
		timeoutMs = EXECUTION_TIMEOUT_MS,
	}: {
		workflowId: string;
		count: number;
		timeoutMs?: number;
	}): Promise<Execution[]> {
		let seen = '';
		const finished = await this.#process
			.waitFor(`finish ${count} executions of workflow ${workflowId}`, timeoutMs, async () => {
				const executions = await this.#listExecutions(workflowId);
				seen = executions.map(({ id, status }) => `${id} ${status}`).join(', ');
				const over = executions.filter(({ status }) => isOver(status));
				return over.length >= count ? over : undefined;
			})
			.catch((error: Error) => {
				throw new Error(`${error.message}\nExecutions: ${seen || 'none'}`);
			});
		finished.sort((a, b) => Number(a.id) - Number(b.id));
		const executions: Execution[] = [];
		for (const { id } of finished) executions.push(await this.execution(id));
		return executions;
	}

	/** Waits for the end of an execution and returns it. */
	async execution(id: string, timeoutMs: number = EXECUTION_TIMEOUT_MS): Promise<Execution> {
		const known = this.#over.get(id);
		if (known !== undefined) return known;
		const record = await this.#process.waitFor(`finish execution ${id}`, timeoutMs, async () => {
			const current = await this.rest<ExecutionRecord>('GET', `/rest/executions/${id}`);
			return isOver(current.status) ? current : undefined;
		});
		const execution = new Execution(record);
		this.#over.set(id, execution);
		return execution;
	}

	/** The content of a file of an item, wherever n8n keeps it. */
	async binary(file: BinaryFile): Promise<Buffer> {
		if (file.id === undefined) return Buffer.from(file.data, 'base64');
		const chunks: Uint8Array[] = [];
		for await (const chunk of await this.binaryStream(file.id)) chunks.push(chunk);
		return Buffer.concat(chunks);
	}

	/** The content of a large file that n8n keeps outside the item. */
	async binaryStream(id: string): Promise<ReadableStream<Uint8Array>> {
		const path = `/rest/binary-data?id=${encodeURIComponent(id)}&action=download`;
		const response = await this.#fetch('GET', path);
		if (!response.ok || response.body === null) {
			throw new Error(`n8n answered ${response.status} to GET ${path}`);
		}
		return response.body;
	}

	memory(): Memory {
		return this.#process.memory();
	}

	/** Lets `memory().peakRssBytes` start anew. Returns false where the system does not allow that. */
	resetPeakMemory(): boolean {
		return this.#process.resetPeakMemory();
	}

	/** The last lines that n8n printed. */
	logTail(count?: number): string {
		return this.#process.logTail(count);
	}

	/** Ends n8n, at once with `kill`, and removes its folder if that was a temporary one. */
	async stop({ kill = false }: { kill?: boolean } = {}): Promise<void> {
		if (kill) this.#process.kill();
		await this.#process.stop();
		this.#removeFolder();
	}

	/**
	 * A call of n8n's REST interface, for what has no method here.
	 *
	 * @returns the `data` of the answer
	 * @throws {Error} with n8n's message when it refuses
	 */
	async rest<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await this.#fetch(method, path, body, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
		const answer = (await response.json()) as { data: T; message?: string };
		if (!response.ok) {
			throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${answer.message}`);
		}
		return answer.data;
	}

	async #fetch(
		method: string,
		path: string,
		body?: unknown,
		signal?: AbortSignal,
		attempt = 1,
	): Promise<Response> {
		try {
			const response = await fetch(`${this.url}${path}`, {
				method,
				headers: {
					'content-type': 'application/json',
					// n8n ties its cookie to the browser that signed in.
					'browser-id': 'n8n-driver',
					cookie: this.#cookie,
					// n8n ends a connection that was idle for 5 seconds, perhaps just when it is used again.
					connection: 'close',
				},
				body: body === undefined ? undefined : JSON.stringify(body),
				signal,
			});
			const [cookie] = response.headers
				.getSetCookie()
				.filter((line) => line.startsWith('n8n-auth='));
			if (cookie !== undefined) this.#cookie = cookie.split(';')[0] ?? '';
			return response;
		} catch (error) {
			if (!this.#process.isRunning) {
				throw new Error(`n8n is not running any more. It printed last:\n${this.logTail()}`, {
					cause: error,
				});
			}
			if (signal?.aborted) {
				throw new Error(
					`n8n did not answer ${method} ${path} within ${REQUEST_TIMEOUT_MS / 1000} s. ` +
						`It printed last:\n${this.logTail()}`,
				);
			}
			// A busy n8n resets connections; reading again changes nothing.
			if (method !== 'GET' || attempt === 3) throw error;
			await sleep(200 * attempt);
			return await this.#fetch(method, path, body, signal, attempt + 1);
		}
	}

	async #workflow(workflowId: string): Promise<StoredWorkflow> {
		return await this.rest('GET', `/rest/workflows/${workflowId}`);
	}

	/** All executions of a workflow, unfinished ones too. */
	async #listExecutions(workflowId: string): Promise<{ id: string; status: ExecutionStatus }[]> {
		const executions: { id: string; status: ExecutionStatus }[] = [];
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		let cursor: string | null | undefined;
		do {
			const from = cursor ? `&cursor=${encodeURIComponent(cursor)}` : '';
			const page = await this.rest<{ results: typeof executions; nextCursor?: string | null }>(
				'GET',
				// 100 is the most that n8n allows.
				`/rest/executions?filter=${filter}&limit=100${from}`,
			);
			executions.push(...page.results);
			cursor = page.nextCursor;
		} while (cursor);
		return executions;
	}

	/** The nodes of a package, without the tool variants that n8n derives from them. */
	async #loadedNodes(packageName: string): Promise<LoadedNode[]> {
		const response = await this.#fetch('GET', '/types/node-versions.json');
		const versions = new Map<string, number>();
		for (const identifier of (await response.json()) as string[]) {
			const at = identifier.lastIndexOf('@');
			const type = identifier.slice(0, at);
			if (!type.startsWith(`${packageName}.`)) continue;
			versions.set(type, Math.max(versions.get(type) ?? 0, Number(identifier.slice(at + 1))));
		}
		const nodes = [...versions].filter(
			([type]) => !(type.endsWith('Tool') && versions.has(type.slice(0, -'Tool'.length))),
		);
		const descriptions = await this.#describe(
			nodes.map(([type, typeVersion]) => ({ type, typeVersion })),
		);
		return nodes.map(([type, version], index) => ({
			type,
			version,
			displayName: descriptions[index]?.displayName ?? type,
		}));
	}

	/** What n8n knows about the types of nodes, in the same order. A type that it does not know throws. */
	async #describe(nodes: { type: string; typeVersion: number }[]): Promise<NodeDescription[]> {
		const describe = async (nameOf: (type: string) => string) =>
			await this.rest<NodeDescription[]>('POST', '/rest/node-types', {
				nodeInfos: nodes.map(({ type, typeVersion }) => ({
					name: nameOf(type),
					version: typeVersion,
				})),
			});
		const derived = nodes.map(({ type }) => type).filter((type) => type.endsWith('Tool'));
		return await describe((type) => type).catch(async (error: unknown) => {
			if (derived.length === 0) throw error;
			// n8n does not describe the tool that it derives from a community node; it is like the node itself.
			return await describe((type) => type.replace(/Tool$/, ''));
		});
	}

	/** Method and path of each webhook of a stored workflow. */
	async #webhooks(workflowId: string): Promise<{ node: string; method: string; path: string }[]> {
		const nodes = (await this.#workflow(workflowId)).nodes.filter(({ disabled }) => !disabled);
		const descriptions = await this.#describe(nodes);
		return nodes.flatMap((node, index) => {
			const { properties = [], webhooks = [] } = descriptions[index] ?? {};
			const value = (text: string) => parameterValue(text, node, properties);
			return webhooks
				.filter(({ restartWebhook }) => !restartWebhook)
				.map(({ httpMethod, path, isFullPath }) => ({
					node: node.name,
					method: value(httpMethod),
					path: webhookPath(workflowId, node, value(path), isFullPath),
				}));
		});
	}
}

/** Reads `={{$parameter["name"]}}`, the expression in which descriptions refer to a parameter. */
function parameterValue(
	text: string,
	node: WorkflowNode,
	properties: NodeDescription['properties'],
): string {
	const [, name] = /^=\{\{\s*\$parameter\["(\w+)"\]/.exec(text) ?? [];
	if (name === undefined) return text;
	const declared = properties.find((property) => property.name === name);
	return String(node.parameters[name] ?? declared?.default ?? '');
}

/** As `getNodeWebhookPath()` of n8n-workflow composes it. */
function webhookPath(
	workflowId: string,
	node: WorkflowNode,
	path: string,
	isFullPath: boolean = false,
): string {
	if (node.webhookId === undefined) {
		return `${workflowId}/${encodeURIComponent(node.name.toLowerCase())}/${path}`;
	}
	if (isFullPath) return path || node.webhookId;
	return `${node.webhookId}/${path}`;
}
