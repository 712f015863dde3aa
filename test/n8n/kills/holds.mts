/** Stops executions between two nodes: a request that the test does not answer. */
import { createServer, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { listen } from '../../../harness/listen.mts';
import type { Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';

type Connections = Record<string, { main: Array<Array<{ node: string }> | null> }>;

export interface Holds {
	/** The workflow, with a request before each step from one node to the next. The items go on as they are. */
	between(workflow: Workflow): Workflow;
	/** From now on, executions for this recording stop behind this node. */
	order(sessionGuid: string, behind: string): void;
	/** The id of the execution that has stopped there. */
	reached(sessionGuid: string): Promise<string>;
	/** It goes on, and no other execution for this recording stops. */
	release(sessionGuid: string): void;
	close(): Promise<void>;
}

/** Waits for what must come true, also on a busy machine. */
export async function until<T>(
	otherwise: () => string,
	probe: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
	const deadline = Date.now() + 180_000;
	for (;;) {
		const found = await probe();
		if (found !== undefined) return found;
		if (Date.now() > deadline) throw new Error(otherwise());
		await sleep(20);
	}
}

export async function startHolds(): Promise<Holds> {
	const ordered = new Map<string, string>();
	const held = new Map<string, { executionId: string; response: ServerResponse }>();
	const server = createServer((request, response) => {
		const [, behind = '', sessionGuid = '', executionId = ''] = (request.url ?? '')
			.split('/')
			.map(decodeURIComponent);
		if (ordered.get(sessionGuid) === behind) held.set(sessionGuid, { executionId, response });
		else response.end();
	});
	const { port, close } = await listen(server);

	function hold(behind: string): WorkflowNode {
		const sessionGuid =
			"$('Download recording').isExecuted ? $('Download recording').first(0).json.sessionGuid : $json.sessionGuid";
		const path = `${encodeURIComponent(behind)}/{{ ${sessionGuid} }}/{{ $execution.id }}`;
		return {
			name: `Hold behind: ${behind}`,
			type: 'n8n-nodes-base.httpRequest',
			typeVersion: 4.2,
			// Of several branches, n8n executes the upper one first, to its end.
			position: [0, -10_000],
			parameters: { url: `=http://127.0.0.1:${port}/${path}`, options: { timeout: 3_600_000 } },
			executeOnce: true,
			onError: 'continueRegularOutput',
		};
	}

	return {
		between(workflow) {
			const connections = structuredClone(workflow.connections) as Connections;
			const nodes = [...workflow.nodes];
			for (const [name, { main }] of Object.entries(connections)) {
				const node = hold(name);
				nodes.push(node);
				for (const next of main)
					next?.unshift({ node: node.name, type: 'main', index: 0 } as never);
			}
			return { ...workflow, nodes, connections };
		},
		order(sessionGuid, behind) {
			held.delete(sessionGuid);
			ordered.set(sessionGuid, behind);
		},
		async reached(sessionGuid) {
			const missing = () => `no execution has stopped behind ${ordered.get(sessionGuid)}`;
			return (await until(missing, () => held.get(sessionGuid))).executionId;
		},
		release(sessionGuid) {
			ordered.delete(sessionGuid);
			held.get(sessionGuid)?.response.end();
		},
		close,
	};
}
