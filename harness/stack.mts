/** A running emulator and a real n8n that has the packed package installed and credentials for that emulator. */
import {
	createEmulator,
	type Emulator,
	type EmulatorOptions,
	type LedgerEntry,
} from '../emulator/src/index.mts';
import { inARow, voiceAgent } from './flow.mts';
import {
	packedPackage,
	startN8n,
	type Credential,
	type Execution,
	type N8n,
	type N8nOptions,
	type Workflow,
	type WorkflowNode,
} from './n8n/n8n.mts';
import type { Json } from './n8n/execution.mts';

export { byGuid, chain } from './flow.mts';

export const PASSWORD = 'correct horse battery staple';

/** Header and secret that webhooks must carry. */
export const WEBHOOK_HEADER = 'X-Webhook-Secret';
export const WEBHOOK_SECRET = 'webhook-secret-0123456789';

/** A key of the emulator, and one without permissions. */
export const API_KEY = 'demo-key';
export const API_KEY_WITHOUT_PERMISSION = 'demo-key-no-permission';

/** Name of the node under test in the workflows of `runNode`. */
export const NODE = 'VoiceAgent';

export interface Stack {
	emulator: Emulator;
	n8n: N8n;
	/** By type. */
	credentials: Record<
		'voiceAgentApi' | 'voiceAgentRecordingPasswordApi' | 'voiceAgentWebhookApi',
		Credential
	>;
	/** Runs the VoiceAgent node once, by hand, with these input items. */
	runNode(run: NodeRun): Promise<Execution>;
	/** What the service knows of a recording, also after it was deleted or purged. */
	ledger(sessionGuid: string): LedgerEntry;
	stop(): Promise<void>;
}

export interface NodeRun {
	parameters: Record<string, unknown>;
	/** JSON of the input items; one empty item by default. */
	items?: Array<Record<string, Json>>;
	/** Credentials by type; those of the stack by default. */
	credentials?: Record<string, Credential>;
	/** Other settings of the node, such as `onError`. */
	settings?: Record<string, unknown>;
	/** Settings of the workflow, such as `binaryMode`. */
	workflowSettings?: Record<string, unknown>;
	/** Nodes between the items and the VoiceAgent node. */
	before?: WorkflowNode[];
}

/** Starts an n8n with a service of its own; `stop` ends both. */
export async function startStack(
	options: { n8n?: N8nOptions; emulator?: EmulatorOptions } = {},
): Promise<Stack> {
	const n8n = await startN8n({ packages: [packedPackage()], ...options.n8n });
	try {
		const stack = await addService(n8n, options.emulator);
		return {
			...stack,
			async stop() {
				await n8n.stop();
				await stack.stop();
			},
		};
	} catch (error) {
		await n8n.stop();
		throw error;
	}
}

/**
 * Adds a service, with credentials for it, to an n8n that is running; `stop` ends that service only.
 * Tests that have a service each can share an n8n and run side by side.
 */
export async function addService(n8n: N8n, options: EmulatorOptions = {}): Promise<Stack> {
	const emulator = await createEmulator({
		callSpeed: 50,
		webhookDelivery: { secret: { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } },
		...options,
	});
	const [voiceAgentApi, voiceAgentRecordingPasswordApi, voiceAgentWebhookApi] = await Promise.all([
		n8n.createCredential({
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: { baseUrl: emulator.url, apiKey: API_KEY },
		}),
		n8n.createCredential({
			name: 'Recording password',
			type: 'voiceAgentRecordingPasswordApi',
			data: { password: PASSWORD },
		}),
		n8n.createCredential({
			name: 'Webhook secret',
			type: 'voiceAgentWebhookApi',
			data: { sendIn: 'header', headerName: WEBHOOK_HEADER, secret: WEBHOOK_SECRET },
		}),
	]).catch(async (error: unknown) => {
		await emulator.close();
		throw error;
	});
	const credentials = { voiceAgentApi, voiceAgentRecordingPasswordApi, voiceAgentWebhookApi };
	return {
		emulator,
		n8n,
		credentials,
		async runNode(run) {
			const workflow = workflowAround(run);
			const id = await n8n.importWorkflow(workflow, { ...credentials, ...run.credentials });
			return await n8n.run(id, { trigger: 'Start' });
		},
		ledger(sessionGuid) {
			const entry = emulator.control
				.recordings()
				.find((recording) => recording.sessionGuid === sessionGuid);
			if (!entry) throw new Error(`The service has never had a recording ${sessionGuid}.`);
			return entry;
		},
		stop: async () => await emulator.close(),
	};
}

function workflowAround(run: NodeRun): Workflow {
	const { parameters, items = [{}], settings, workflowSettings, before = [] } = run;
	return inARow(
		`${String(parameters.resource)}: ${String(parameters.operation)}`,
		[
			{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
			...before,
			voiceAgent(parameters, { name: NODE, ...settings }),
		],
		{ settings: workflowSettings, pinData: { Start: items.map((json) => ({ json })) } },
	);
}
