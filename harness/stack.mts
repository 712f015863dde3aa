/** A running emulator and a real n8n that has the packed package installed and credentials for that emulator. */
import {
	createEmulator,
	type Emulator,
	type EmulatorOptions,
	type LedgerEntry,
} from '../emulator/src/index.mts';
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
	/** What the service knows about a recording, even after it was deleted or purged. */
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

export async function startStack(
	options: { n8n?: N8nOptions; emulator?: EmulatorOptions } = {},
): Promise<Stack> {
	const emulator = await createEmulator({ callSpeed: 50, ...options.emulator });
	const n8n = await startN8n({ packages: [packedPackage()], ...options.n8n }).catch(
		async (error: unknown) => {
			await emulator.close();
			throw error;
		},
	);
	const credentials = {
		voiceAgentApi: await n8n.createCredential({
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: { baseUrl: emulator.url, apiKey: API_KEY },
		}),
		voiceAgentRecordingPasswordApi: await n8n.createCredential({
			name: 'Recording password',
			type: 'voiceAgentRecordingPasswordApi',
			data: { password: PASSWORD },
		}),
		voiceAgentWebhookApi: await n8n.createCredential({
			name: 'Webhook secret',
			type: 'voiceAgentWebhookApi',
			data: { sendIn: 'header', headerName: WEBHOOK_HEADER, secret: WEBHOOK_SECRET },
		}),
	};
	emulator.control.setWebhookDelivery({
		secret: { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
	});
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
		async stop() {
			await n8n.stop();
			await emulator.close();
		},
	};
}

function workflowAround(run: NodeRun): Workflow {
	const { parameters, items = [{}], settings, workflowSettings, before = [] } = run;
	const nodes: WorkflowNode[] = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		...before,
		{
			name: NODE,
			type: 'n8n-nodes-voiceagent.voiceAgent',
			typeVersion: 1,
			parameters,
			...settings,
		},
	].map((node, index) => ({ ...node, id: `node-${index}`, position: [index * 220, 0] }));
	return {
		name: `${String(parameters.resource)}: ${String(parameters.operation)}`,
		nodes,
		connections: chain(nodes.map(({ name }) => name)),
		settings: workflowSettings,
		pinData: { Start: items.map((json) => ({ json })) },
	};
}

/** Connects nodes one after the other. */
export function chain(names: readonly string[]): Record<string, unknown> {
	return Object.fromEntries(
		names
			.slice(0, -1)
			.map((name, index) => [
				name,
				{ main: [[{ node: names[index + 1], type: 'main', index: 0 }]] },
			]),
	);
}

/** The parameter Recording, chosen by session GUID. */
export function byGuid(value = '={{ $json.sessionGuid }}') {
	return { __rl: true, mode: 'id', value };
}
