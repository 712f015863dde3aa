/** A running emulator, and a real n8n with the packed package and credentials for the emulator. */
import {
	createEmulator,
	permissions,
	type Emulator,
	type EmulatorOptions,
	type LedgerEntry,
} from '../emulator/src/index.mts';
import { packedPackage, startN8n, type Execution, type N8n, type N8nOptions } from './n8n/n8n.mts';
import { START, workflowAround, type NodeRun } from './nodeRun.mts';
import {
	createCredentials,
	ledgerEntry,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
	type Credentials,
	type Secrets,
} from './serviceAccess.mts';

export { byGuid } from './flow.mts';
export { NODE, type NodeRun } from './nodeRun.mts';
export { API_KEY, PASSWORD, WEBHOOK_HEADER, WEBHOOK_SECRET } from './serviceAccess.mts';

export interface Stack {
	emulator: Emulator;
	n8n: N8n;
	/** By type. */
	credentials: Credentials;
	/** Runs the VoiceAgent node once, by hand, with these input items. */
	runNode(run: NodeRun): Promise<Execution>;
	/** What the service knows of a recording, also after it was deleted or purged. */
	ledger(sessionGuid: string): LedgerEntry;
	stop(): Promise<void>;
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
 * Adds a service, with credentials for it, to an n8n that is running. `stop` ends only this
 * service. Tests that have a service each can share an n8n and run side by side.
 */
export async function addService(
	n8n: N8n,
	options: EmulatorOptions = {},
	secrets?: Secrets,
): Promise<Stack> {
	const emulator = await createEmulator({
		callSpeed: 50,
		// On a busy machine, n8n answers late.
		webhookTimeoutMs: 60_000,
		webhookDelivery: {
			secret: {
				in: 'header',
				name: WEBHOOK_HEADER,
				value: secrets?.webhookSecret ?? WEBHOOK_SECRET,
			},
		},
		...(secrets && { apiKeys: [{ key: secrets.apiKey, permissions }] }),
		...options,
	});
	const credentials = await createCredentials(
		emulator,
		async (credential) => await n8n.createCredential(credential),
		secrets,
	).catch(async (error: unknown) => {
		await emulator.close();
		throw error;
	});
	return {
		emulator,
		n8n,
		credentials,
		async runNode(run) {
			const workflow = workflowAround(run);
			const id = await n8n.importWorkflow(workflow, { ...credentials, ...run.credentials });
			return await n8n.run(id, { trigger: START, timeoutMs: run.timeoutMs });
		},
		ledger: (sessionGuid) => ledgerEntry(emulator, sessionGuid),
		stop: async () => await emulator.close(),
	};
}
