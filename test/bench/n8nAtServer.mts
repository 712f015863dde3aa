/** A real n8n whose credentials lead to a file server. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { byGuid, voiceAgent } from '../../harness/flow.mts';
import {
	packedPackage,
	startN8n,
	type Credential,
	type Execution,
	type N8n,
	type N8nOptions,
	type WorkflowNode,
} from '../../harness/n8n/n8n.mts';
import { createCredentials } from '../../harness/serviceAccess.mts';
import { importFlow, tokenHeader } from './handBuiltFlow.mts';
import type { FileServer } from './recordingSets.mts';

const TIMEOUT_MS = 20 * 60_000;

export interface N8nAtServer {
	n8n: N8n;
	/** By type. */
	credentials: Record<string, Credential>;
	/** Stores a workflow of nodes in a row, which is started by hand with an item for each session GUID. */
	importFlow(guids: readonly string[], nodes: WorkflowNode[]): Promise<Flow>;
	/** Removes the files that executions have stored, so that they do not fill the disk. */
	removeFiles(): void;
	stop(): Promise<void>;
}

export interface Flow {
	/** @throws {Error} if the execution fails */
	run(): Promise<FlowRun>;
}

export interface FlowRun {
	execution: Execution;
	/** The time of the nodes alone, as n8n records it, without starting the execution and storing its data. */
	ms: number;
	/** Of all files that came out of the last node. */
	outputBytes: number;
}

export async function startN8nAt(
	server: FileServer,
	options: N8nOptions = {},
): Promise<N8nAtServer> {
	const n8n = await startN8n({
		packages: [packedPackage()],
		binaryMode: 'filesystem',
		...options,
	});
	const credentials: Record<string, Credential> = {
		...(await createCredentials(server, async (one) => await n8n.createCredential(one))),
		httpHeaderAuth: await tokenHeader({ n8n }),
	};
	return {
		n8n,
		credentials,
		async importFlow(guids, nodes) {
			const items = guids.map((sessionGuid) => ({ sessionGuid }));
			const id = await importFlow({ n8n, credentials }, items, nodes);
			return {
				async run() {
					const execution = await n8n.run(id, { trigger: 'Start', timeoutMs: TIMEOUT_MS });
					if (execution.status !== 'success') throw new Error(execution.error?.message);
					return {
						execution,
						ms: nodes.reduce((sum, { name }) => sum + execution.nodeTimeMs(name), 0),
						outputBytes: execution
							.items(nodes.at(-1)?.name ?? '')
							.reduce((sum, { binary }) => sum + (binary?.data?.bytes ?? 0), 0),
					};
				},
			};
		},
		removeFiles() {
			const stored = join(n8n.userFolder, '.n8n/storage/workflows');
			rmSync(stored, { recursive: true, force: true });
		},
		stop: async () => await n8n.stop(),
	};
}

/** Downloads the recording of each item. */
export function downloadNode(options: Record<string, unknown> = {}): WorkflowNode {
	return voiceAgent({ resource: 'recording', operation: 'download', recording: byGuid(), options });
}
