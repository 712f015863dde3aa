/** Two processes of n8n on one database, which are to place the same calls at the same moment. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import { baseNode, inARow, voiceAgent } from '../../../harness/flow.mts';
import { packedPackage, startN8n, type N8n } from '../../../harness/n8n/n8n.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import {
	missingServer,
	startPostgres,
	type PostgresServer,
} from '../../../harness/standIns/servers.mts';
import { until } from '../../../harness/until.mts';

const PATH = 'place-once';

export function twoProcessesSuite(): void {
	const skip = missingServer('PostgreSQL');
	suite('calls of two processes on one database', { skip }, () => {
		let database: PostgresServer;
		let stack: Stack;
		const processes: N8n[] = [];
		const start = async () => {
			const env = { ...database.env, N8N_ENCRYPTION_KEY: 'the same in both processes' };
			const n8n = await startN8n({ packages: [packedPackage()], env });
			processes.push(n8n);
			return n8n;
		};
		before(async () => {
			database = await startPostgres();
			stack = await addService(await start());
		});
		after(async () => {
			await stack?.stop();
			await Promise.all(processes.map(async (n8n) => await n8n.stop()));
			await database?.stop();
		});

		test('Place Once per Key lets one of them place the call of a new key', async () => {
			const { n8n, emulator, credentials } = stack;
			const begin = baseNode('Begin', 'webhook', 2, { httpMethod: 'POST', path: PATH });
			const options = { placeOnce: '={{ $json.body.to }}' };
			const to = '={{ $json.body.to }}';
			const make = voiceAgent({ resource: 'call', operation: 'make', to, options });
			const workflowId = await n8n.importWorkflow(inARow('Call', [begin, make]), credentials);
			await n8n.activate(workflowId);
			await start();

			const post = async ({ url }: N8n, number: string) =>
				await fetch(`${url}/webhook/${PATH}`, {
					method: 'POST',
					headers: { 'content-type': 'application/json' },
					body: JSON.stringify({ to: number }),
				});
			await until(async () => (await post(processes[1] as N8n, '+15550109')).ok);
			// The first keys of a node are noted in another way than later ones.
			const numbers = Array.from({ length: 8 }, (_, index) => `+1555010${index}`);
			for (const number of numbers) {
				const answers = processes.map(async (one) => await post(one, number));
				for (const answer of await Promise.all(answers)) assert.ok(answer.ok);
			}
			await n8n.waitForExecutions({ workflowId, count: 2 * numbers.length + 1 });
			const called = emulator.control.calls().map((call) => call.to);
			assert.deepEqual(called.toSorted(), [...numbers, '+15550109']);
		});
	});
}
