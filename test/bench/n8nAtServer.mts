/** A real n8n whose credentials lead to a file server. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';

import { byGuid, inARow, voiceAgent } from '../../harness/flow.mts';
import {
	packedPackage,
	startN8n,
	type Execution,
	type N8n,
	type N8nOptions,
	type WorkflowNode,
} from '../../harness/n8n/n8n.mts';
import { START } from '../../harness/nodeRun.mts';
import { createCredentials } from '../../harness/serviceAccess.mts';
import { tokenHeader } from './handBuiltFlow.mts';
import type { FileServer } from './recordingSets.mts';

const TIMEOUT_MS = 20 * 60_000;

export interface N8nAtServer {
	n8n: N8n;
	/**
	 * Stores a workflow of nodes in a row. It is started by hand, with an item for each session GUID.
	 * @returns what runs it, and throws if the execution fails
	 */
	importFlow(guids: readonly string[], nodes: WorkflowNode[]): Promise<() => Promise<FlowRun>>;
	/** Removes the files that executions have stored, so that they do not fill the disk. */
	removeFiles(): void;
	stop(): Promise<void>;
}

interface FlowRun {
	execution: Execution;
	/** The time of the nodes as n8n records it: not that of starting and storing the execution. */
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
	const credentials = {
		...(await createCredentials(server, async (one) => await n8n.createCredential(one))),
		httpHeaderAuth: await n8n.createCredential(tokenHeader),
	};
	const start = {
		name: START,
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		parameters: {},
	};
	return {
		n8n,
		async importFlow(guids, nodes) {
			const name = `Flow of ${nodes.map((node) => node.name).join(', ')}`;
			const pinData = { [START]: guids.map((sessionGuid) => ({ json: { sessionGuid } })) };
			const id = await n8n.importWorkflow(
				inARow(name, [start, ...nodes], { pinData }),
				credentials,
			);
			return async () => {
				const execution = await n8n.run(id, { trigger: START, timeoutMs: TIMEOUT_MS });
				if (execution.status !== 'success') throw new Error(execution.error?.message);
				return {
					execution,
					ms: nodes.reduce((sum, node) => sum + execution.nodeTimeMs(node.name), 0),
					outputBytes: execution
						.items(nodes.at(-1)?.name ?? '')
						.reduce((sum, { binary }) => sum + (binary?.data?.bytes ?? 0), 0),
				};
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
export const downloadNode = voiceAgent({
	resource: 'recording',
	operation: 'download',
	recording: byGuid(),
});
