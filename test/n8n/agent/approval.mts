/** What a person allows in the chat, and what happens if they do not. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';
import { Agent } from './agent.mts';
import { CHAT, press } from './chat.mts';
import { askToCall } from './scriptedModel.mts';

const NUMBER = '+15550100';
const OTHER = '+15550101';

export function approvalSuite(
	getN8n: () => N8n,
	killAndStart: (env: Record<string, string>) => Promise<void>,
): void {
	suite('workflow: agent-that-calls', { concurrency: 1 }, () => {
		let agent: Agent;
		let dialedBefore: number;
		before(async () => {
			agent = await Agent.publish(getN8n, 'agent-that-calls');
		});
		after(async () => await agent?.stop());

		/** Numbers that were dialed since the last question. */
		const dialed = () => agent.dialed.slice(dialedBefore);

		/** Asks for a call, up to the question. */
		async function asksFor(...turns: Array<ReturnType<typeof askToCall>>) {
			dialedBefore = agent.dialed.length;
			const chat = await agent.isTold(
				'Call the customer.',
				turns.map((call) => [call]),
			);
			return { chat, question: await chat.isAsked() };
		}

		test('approved: this number is dialed once, and the agent says so', async () => {
			const { chat, question } = await asksFor(askToCall(NUMBER));
			assert.equal(question.text, `Call ${NUMBER}?`);
			assert.deepEqual(dialed(), []);
			assert.equal(await press(question.buttons.Call), 200);
			const answer = await chat.hears();
			assert.deepEqual(dialed(), [NUMBER]);
			assert.ok(answer.includes(String(agent.stack.emulator.control.calls().at(-1)?.sessionGuid)));
		});

		test('declined: nobody is dialed, and the agent says so', async () => {
			const { chat, question } = await asksFor(askToCall(NUMBER));
			assert.equal(await press(question.buttons['Do not call']), 200);
			assert.match(await chat.hears(), /User rejected the tool call to make_a_call/);
			assert.deepEqual(dialed(), []);
		});

		test('what is typed in place of an answer approves nothing, even "yes"', async () => {
			const { chat } = await asksFor(askToCall(NUMBER));
			chat.type('yes');
			assert.match(await chat.hears(), /provided feedback: .*yes/);
			assert.deepEqual(dialed(), []);
		});

		test('without an answer it waits for good, and a model that answers in your place dials nobody', async () => {
			const approved = { approved: true, data: { approved: true } };
			const { chat } = await asksFor(askToCall(NUMBER, { hitlParameters: approved }));
			const { waitTill } = await agent.waits(chat);
			// When a wait ends by time, n8n takes what the model has sent along for the answer.
			assert.ok(new Date(waitTill).getFullYear() >= 3000, waitTill);
			assert.deepEqual(dialed(), []);
		});

		test('the question shows the number that will be dialed, whatever else the model sends along', async () => {
			const { chat, question } = await asksFor(
				askToCall(NUMBER, {
					toolParameters: { query: { Number: OTHER } },
					hitlParameters: {
						toolParameters: { Number: NUMBER },
						query: { toolParameters: { Number: NUMBER } },
					},
				}),
			);
			assert.equal(question.text, `Call ${OTHER}?`);
			await press(question.buttons.Call);
			await chat.hears();
			assert.deepEqual(dialed(), [OTHER]);
		});

		test('a number outside Allowed Destinations is refused even if it is approved', async () => {
			const { chat, question } = await asksFor(askToCall('+4930123456'));
			await press(question.buttons.Call);
			assert.match(await chat.hears(), /not among the 'Allowed Destinations'/);
			assert.deepEqual(dialed(), []);
		});

		test('approved twice: dialed once [promise 4]', async () => {
			const { chat, question } = await asksFor(askToCall(NUMBER));
			await Promise.all([1, 2, 3].map(async () => await press(question.buttons.Call)));
			await chat.hears();
			await press(question.buttons.Call);
			await getN8n().execution(chat.executionId);
			assert.deepEqual(dialed(), [NUMBER]);
		});

		test('Max Calls holds: the button for one question does not place another call', async () => {
			const { chat, question } = await asksFor(askToCall(NUMBER), askToCall(OTHER));
			await press(question.buttons.Call);
			await until(() => agent.model.requests.length === 2);
			// The second question waits, and n8n takes the link of the first one for its answer.
			await until(async () => {
				await agent.waits(chat);
				await press(question.buttons.Call);
				return agent.model.requests.length === 3;
			});
			assert.match(
				agent.model.toolAnswers()[1] ?? '',
				/more than the 'Max Calls per Execution' of 1/,
			);
			assert.deepEqual(dialed(), [NUMBER]);
		});

		test('for two calls at once, n8n shows no question, and nobody is dialed', async () => {
			dialedBefore = agent.dialed.length;
			const chat = await agent.isTold('Call both.', [[askToCall(NUMBER), askToCall(OTHER)]]);
			await agent.waits(chat);
			chat.type('One at a time, please.');
			assert.match(await chat.hears(), /provided feedback: .*One at a time/);
			assert.deepEqual(dialed(), []);
		});

		for (const { mode, dials, status } of [
			{ mode: 'extensive', dials: [], status: 409 },
			{ mode: 'simple', dials: [NUMBER], status: 200 },
		]) {
			test(`n8n is killed while it waits (recovery mode ${mode}): dialed ${dials.length} times if approved then`, async () => {
				const { chat, question } = await asksFor(askToCall(NUMBER));
				await agent.waits(chat);
				await killAndStart({ N8N_EVENTBUS_RECOVERY_MODE: mode });
				chat.open(getN8n());
				if (status === 200) assert.deepEqual(await chat.isAsked(), question);
				assert.equal(await press(question.buttons.Call), status);
				if (status === 200) await chat.hears();
				await press(question.buttons.Call);
				assert.deepEqual(dialed(), dials);
			});
		}

		test('the chat is closed to everyone who has not signed in to n8n', async () => {
			const requests = agent.model.requests.length;
			const response = await fetch(await getN8n().webhookUrl(agent.workflowId, CHAT), {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ action: 'sendMessage', sessionId: '1', chatInput: 'Call.' }),
			});
			assert.equal(response.status, 401);
			assert.equal(agent.model.requests.length, requests);
		});
	});
}
