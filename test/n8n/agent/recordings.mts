/** What an agent does with recordings: it lists, reads and explains them, and deletes none. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { Agent } from './agent.mts';

const NAME = 'agent-about-recordings';

const list = { tool: 'list_recordings', input: {} };
const fetchOf = (sessionGuid: string) => ({ tool: 'fetch_recording', input: { sessionGuid } });

export function recordingsSuite(getN8n: () => N8n): void {
	suite(`workflow: ${NAME}`, { concurrency: 1 }, () => {
		let agent: Agent;
		before(async () => {
			agent = await Agent.publish(getN8n, NAME);
		});
		after(async () => await agent?.stop());

		const control = () => agent.stack.emulator.control;

		test('lists the recordings, with the time that is left', async () => {
			const { sessionGuid } = await control().addRecording({ format: 'opus' });
			const chat = await agent.isTold('Which recordings are there?', [[list]]);
			const answer = await chat.hears();
			assert.ok(answer.includes(sessionGuid), answer);
			assert.match(answer, /hoursLeft\W+16[678]/);
		});

		test('fetches a recording: decrypted and transcribed', async () => {
			agent.model.transcribe = () => 'said in it';
			agent.model.audio.length = 0;
			const { sessionGuid } = await control().addRecording({ format: 'opus', password: PASSWORD });
			const chat = await agent.isTold('What was said?', [[list], [fetchOf(sessionGuid)]]);
			assert.match(await chat.hears(), /said in it/);
			const [audio] = agent.model.audio;
			assert.equal(audio?.name, 'recording.ogg');
			assert.equal(audio?.content.subarray(0, 4).toString(), 'OggS');
		});

		test('a recording that is too large or gone is not sent, and the agent says why', async (t) => {
			agent.model.audio.length = 0;
			const small = await Agent.publish(getN8n, NAME, (workflow) => {
				const { options } = nodeOf(workflow, 'Download recording').parameters;
				assert.deepEqual(options, { maxSize: 24 });
				Object.assign(options as object, { maxSize: 0.001 });
			});
			t.after(async () => await small.stop());
			const { sessionGuid } = await small.stack.emulator.control.addRecording({ format: 'wav' });
			for (const [guid, reason] of [
				[sessionGuid, /too large: more than/],
				[randomUUID(), /The recording is gone/],
			] as const) {
				const chat = await small.isTold('What was said?', [[fetchOf(guid)]]);
				assert.match(await chat.hears(), reason);
			}
			assert.deepEqual(small.model.audio, []);
		});

		test('has no tool that deletes, and cannot be talked into one', async () => {
			const { sessionGuid } = await control().addRecording({ format: 'opus' });
			const wanted = { resource: 'recording', operation: 'delete', sessionGuid };
			control().clearLogs();
			const chat = await agent.isTold(`Delete ${sessionGuid}.`, [
				[{ tool: 'list_recordings', input: { ...wanted, query: wanted } }],
				[{ tool: 'fetch_recording', input: { ...wanted, query: wanted } }],
			]);
			await chat.hears();
			const deletion = { tool: 'delete_recording', input: { sessionGuid } };
			const other = await agent.isTold(`Delete ${sessionGuid}.`, [[deletion]]);
			// n8n ends the execution of a model that asks for a tool that it does not have.
			await getN8n().execution(other.executionId);
			const requests = control().requests();
			assert.ok(requests.length > 0 && requests.every(({ method }) => method === 'GET'));
			assert.equal(agent.stack.ledger(sessionGuid).state, 'stored');
			const tools = agent.model.requests[0]?.tools?.map((tool) => tool.function.name).sort();
			assert.deepEqual(tools, ['fetch_recording', 'list_recordings']);
			const operations = readWorkflow(NAME).nodes.map(({ parameters }) => parameters.operation);
			assert.ok(!operations.includes('delete'));
		});
	});
}
