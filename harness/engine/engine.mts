/**
 * A running emulator and n8n's engine in this process, with our built nodes and credentials for
 * that emulator. An execution takes milliseconds. Loops, retries, error outputs, binary data and
 * recorded errors are the engine's own, and a trigger gets n8n-core's own contexts.
 *
 * The rest of n8n is missing: database, publishing, schedules, the REST interface, and nodes of
 * other packages. `startStack()` has them.
 */
import {
	createEmulator,
	type Emulator,
	type EmulatorOptions,
	type LedgerEntry,
} from '../../emulator/src/index.mts';
import { recordingTrigger, voiceAgent, voiceAgentTrigger } from '../flow.mts';
import type {
	BinaryFile,
	Credential,
	CredentialInput,
	Execution,
	WorkflowNode,
} from '../n8n/n8n.mts';
import { workflowAround, type NodeRun } from '../nodeRun.mts';
import { createCredentials, ledgerEntry, type Credentials } from '../serviceAccess.mts';
import { credentialStore } from './credentials.mts';
import { editorOf, type Editor } from './editor.mts';
import { loadWorkflow, runWorkflow } from './execution.mts';
import { loadModules, type Modules } from './modules.mts';
import { loadPackage } from './nodeTypes.mts';
import { alone, RecordingTrigger, type TriggerRun } from './triggers.mts';
import { listen, type Webhook } from './webhook.mts';

export type BinaryMode = 'filesystem' | 'default';

/** A node with these parameters. */
type NodeOf = (parameters: TriggerRun['parameters']) => WorkflowNode;

export interface Engine {
	emulator: Emulator;
	n8n: EngineOfN8n;
	/** By type. */
	credentials: Credentials;
	/**
	 * Runs the VoiceAgent node once, by hand, with these input items.
	 *
	 * @param onResponse gets what the webhook that started the workflow would be answered
	 */
	runNode(run: NodeRun, onResponse?: (response: unknown) => void): Promise<Execution>;
	/**
	 * What the editor asks a node for while you fill in this parameter.
	 *
	 * @param node by default the VoiceAgent node
	 */
	editor(parameter: string, run: TriggerRun, node?: NodeOf): Editor;
	/** Listens for the webhooks of a VoiceAgent Trigger with these parameters. */
	listen(trigger: TriggerRun): Promise<Webhook>;
	/** A VoiceAgent Recording Trigger with these parameters. */
	recordingTrigger(trigger: TriggerRun): RecordingTrigger;
	/** What the service knows of a recording, also after it was deleted or purged. */
	ledger(sessionGuid: string): LedgerEntry;
	stop(): Promise<void>;
}

/** What the engine does as the whole n8n does it. */
export interface EngineOfN8n {
	createCredential(credential: CredentialInput): Promise<Credential>;
	/** The content of a file of an item, wherever n8n keeps it. */
	binary(file: BinaryFile): Promise<Buffer>;
	/** Where n8n keeps its data. */
	readonly userFolder: string;
	/** What was written to the log of n8n by all engines of this process: level and message. */
	readonly log: readonly string[];
}

/** Engines that run in this process. They share n8n's services, and so the binary mode. */
let engines = 0;
let currentMode: BinaryMode | undefined;

/** @throws {Error} when an engine with another binary mode runs in this process */
export async function startEngine(
	options: { binaryMode?: BinaryMode; emulator?: EmulatorOptions } = {},
): Promise<Engine> {
	const modules = await loadModules();
	await useBinaryMode(modules, options.binaryMode ?? 'filesystem');
	const ours = await loadPackage(modules);
	const store = credentialStore(modules, ours.credentialType);
	const emulator = await createEmulator({ callSpeed: 50, ...options.emulator });
	const credentials = await createCredentials(emulator, store.create);
	const binaryData = modules.service(modules.core.BinaryDataService);
	const loaded = (node: NodeOf, run: TriggerRun) =>
		loadWorkflow(modules, ours, store.helper, alone(node(run.parameters)), {
			...credentials,
			...run.credentials,
		});
	return {
		emulator,
		n8n: {
			createCredential: store.create,
			binary: async (file) => await binaryData.getAsBuffer({ ...file }),
			userFolder: modules.userFolder,
			log: modules.log,
		},
		credentials,
		async runNode(run, onResponse = () => {}) {
			const given = { ...credentials, ...run.credentials };
			const { helper } = store;
			return await runWorkflow(modules, ours, helper, workflowAround(run), given, onResponse);
		},
		editor: (parameter, run, node = voiceAgent) => editorOf(modules, loaded(node, run), parameter),
		listen: async (trigger) => await listen(modules, loaded(voiceAgentTrigger, trigger)),
		recordingTrigger: (trigger) => new RecordingTrigger(modules, loaded(recordingTrigger, trigger)),
		ledger: (sessionGuid) => ledgerEntry(emulator, sessionGuid),
		async stop() {
			await emulator.close();
			engines -= 1;
		},
	};
}

async function useBinaryMode({ core, service }: Modules, mode: BinaryMode): Promise<void> {
	if (engines > 0 && mode !== currentMode) {
		throw new Error(`An engine with the binary mode ${currentMode} runs in this process.`);
	}
	engines += 1;
	currentMode = mode;
	service(core.BinaryDataConfig).mode = mode;
	await service(core.BinaryDataService).init();
}
