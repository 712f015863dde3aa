/** A running emulator and a real n8n that has the packed package installed and credentials for that emulator. */
import {
	createEmulator,
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
} from './serviceAccess.mts';

export { byGuid, chain, NODE, type NodeRun } from './nodeRun.mts';
export {
	API_KEY,
	API_KEY_WITHOUT_PERMISSION,
	PASSWORD,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
} from './serviceAccess.mts';

export interface Stack {
	emulator: Emulator;
	n8n: N8n;
	/** By type. */
	credentials: Credentials;
	/** Runs the VoiceAgent node once, by hand, with these input items. */
	runNode(run: NodeRun): Promise<Execution>;
	/** What the service knows about a recording, even after it was deleted or purged. */
	ledger(sessionGuid: string): LedgerEntry;
	stop(): Promise<void>;
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
	const credentials = await createCredentials(
		emulator,
		async (credential) => await n8n.createCredential(credential),
	);
	emulator.control.setWebhookDelivery({
		secret: { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET },
	});
	return {
		emulator,
		n8n,
		credentials,
		async runNode(run) {
			const id = await n8n.importWorkflow(workflowAround(run), {
				...credentials,
				...run.credentials,
			});
			return await n8n.run(id, { trigger: START });
		},
		ledger: (sessionGuid) => ledgerEntry(emulator, sessionGuid),
		async stop() {
			await n8n.stop();
			await emulator.close();
		},
	};
}
