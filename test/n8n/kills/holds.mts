/** Stops executions between two nodes: a request that the test does not answer. */
import { createServer, type ServerResponse } from 'node:http';

import { baseNode } from '../../../harness/flow.mts';
import { listen } from '../../../harness/listen.mts';
import type { Workflow, WorkflowNode } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';

type Connections = Record<string, { main: Array<Array<{ node: string }> | null> }>;

export type Holds = Awaited<ReturnType<typeof startHolds>>;

export async function startHolds() {
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
		const download = "$('Download recording')";
		const downloaded = `${download}.first(0).json.sessionGuid`;
		const sessionGuid = `${download}.isExecuted ? ${downloaded} : $json.sessionGuid`;
		const path = `${encodeURIComponent(behind)}/{{ ${sessionGuid} }}/{{ $execution.id }}`;
		const parameters = {
			url: `=http://127.0.0.1:${port}/${path}`,
			options: { timeout: 3_600_000 },
		};
		return {
			...baseNode(`Hold behind: ${behind}`, 'httpRequest', 4.2, parameters),
			// Of several branches, n8n executes the upper one first, to its end.
			position: [0, -10_000],
			executeOnce: true,
			onError: 'continueRegularOutput',
		};
	}

	return {
		/**
		 * The workflow, with a request before each step from one node to the next. The items go on as
		 * they are.
		 */
		between(workflow: Workflow): Workflow {
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
		/** From now on, executions for this recording stop behind this node. */
		order(sessionGuid: string, behind: string): void {
			held.delete(sessionGuid);
			ordered.set(sessionGuid, behind);
		},
		/** The id of the execution that has stopped there. */
		async reached(sessionGuid: string): Promise<string> {
			const missing = () => `no execution has stopped behind ${ordered.get(sessionGuid)}`;
			return (await until(() => held.get(sessionGuid), missing)).executionId;
		},
		/** It goes on, and no other execution for this recording stops. */
		release(sessionGuid: string): void {
			ordered.delete(sessionGuid);
			held.get(sessionGuid)?.response.end();
		},
		close,
	};
}
