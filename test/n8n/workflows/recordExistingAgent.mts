/** record-existing-agent: another system answers CallStart, and the call is recorded. */
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { before, suite, test } from 'node:test';

import type { N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import {
	answering,
	startOtherSystem,
	type Answer,
} from '../../../harness/standIns/otherSystem.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { PASSWORD } from '../../../harness/serviceAccess.mts';
import { serviceOf, shared } from '../suite.mts';
import { AUTHENTIC, GUID } from '../trigger/published.mts';

const TRIGGER = 'When a call starts';
const ASK = 'Ask the other system';
const RESPOND = 'Switch recording on';

const RECORDING = '"recordCall":true,"recordCallFormat":"opus"';
const FALLBACK = `{"Service_Instructions":{${RECORDING}}}`;

/** What JSON that is parsed and written again would change. */
const KEPT = String.raw`"aiUrl" : {"a":"https:\/\/agent.example.com/?q=\u00e9é"}, "id":12345678901234567890,
	"10":1.0, "9":2, "same":1, "same":2, "nested":{ "recordCall": false, "list":[ ] }`;

/** Time that is enough on any machine. */
function givenTime(workflow: Workflow): Workflow {
	Object.assign(nodeOf(workflow, ASK).parameters.options as object, { timeout: 50_000 });
	nodeOf(workflow, TRIGGER).parameters.options = { deadlineSeconds: 60 };
	return workflow;
}

async function send(url: string) {
	const start = performance.now();
	const response = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', ...AUTHENTIC },
		body: JSON.stringify({ sessionGuid: GUID, to: '+15550100' }),
	});
	const text = await response.text();
	const type = response.headers.get('content-type');
	return { status: response.status, type, text, ms: performance.now() - start };
}

function assertAnswer({ status, type, text }: Awaited<ReturnType<typeof send>>, wanted: string) {
	const headers = { status: 200, type: 'application/json; charset=utf-8' };
	assert.deepEqual({ status, type, text }, { ...headers, text: wanted });
}

function median(values: number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

export function recordExistingAgentSuite(getN8n: () => N8n): void {
	suite('workflow: record-existing-agent', { concurrency: 1 }, () => {
		const stack = serviceOf(getN8n);
		const system = shared(startOtherSystem);
		let patient: Published;

		/** With the address of the other system, and without what its author may have set. */
		async function publish(workflow: Workflow) {
			const { n8n } = stack;
			nodeOf(workflow, ASK).parameters.url = system.url;
			const id = await n8n.importWorkflow(workflow, stack.credentials);
			await n8n.activate(id);
			let count = 0;
			const url = await n8n.webhookUrl(id, TRIGGER);
			/** The end of the next execution. */
			async function execution() {
				count += 1;
				return (await n8n.waitForExecutions({ workflowId: id, count }))[count - 1];
			}
			return { url, call: async () => await send(url), execution };
		}
		type Published = Awaited<ReturnType<typeof publish>>;

		async function assertFallback({ call, execution }: Published, answer = FALLBACK) {
			assertAnswer(await call(), answer);
			const ended = await execution();
			assert.equal(ended?.status, 'error');
			return String(ended?.error?.message);
		}

		before(async () => {
			patient = await publish(givenTime(readWorkflow('record-existing-agent')));
		});

		test('a call keeps its agent, and is recorded', async () => {
			const { control } = stack.emulator;
			system.answerBy(answering('{"Service_Instructions":{"aiUrl":{"agent":1},"maxSeconds":600}}'));
			control.setWebhooks({ callStart: patient.url });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
			await control.completedCall(sessionGuid);
			control.setWebhooks({ callStart: null });

			const [delivery] = control.deliveries();
			assert.deepEqual(JSON.parse(system.received.at(-1) ?? ''), delivery?.requestBody);
			assert.deepEqual(JSON.parse(String(delivery?.replyBody)), {
				Service_Instructions: {
					recordCall: true,
					recordCallFormat: 'opus',
					aiUrl: { agent: 1 },
					maxSeconds: 600,
				},
			});
			assert.ok(control.recordings().some((one) => one.sessionGuid === sessionGuid));
			assert.equal((await patient.execution())?.status, 'success');
		});

		const others: Array<[string, string, string]> = [
			['nothing else', '{"Service_Instructions":{}}', `{"Service_Instructions":{${RECORDING}}}`],
			[
				'what JSON would change',
				`{ "a" : 1.0,\r\n "Service_Instructions" :\t{${KEPT}} , "a":[2] }\n`,
				`{ "a" : 1.0,\r\n "Service_Instructions" :\t{${RECORDING},${KEPT}} , "a":[2] }\n`,
			],
			[
				'recording switched off',
				`{"Service_Instructions":{"recordCall":false,${KEPT},"RecordCallFormat":"wav"}}`,
				`{"Service_Instructions":{${RECORDING},${KEPT}}}`,
			],
		];
		for (const [name, other, wanted] of others) {
			test(`an answer with ${name} is kept byte for byte, and records`, async () => {
				for (const type of ['application/json', 'text/html; charset=iso-8859-1', '']) {
					system.answerBy(answering(other, { type }));
					assertAnswer(await patient.call(), wanted);
					assert.equal((await patient.execution())?.status, 'success');
				}
			});
		}

		test('the recording is encrypted with our password, not with that of the other system', async () => {
			const workflow = givenTime(readWorkflow('record-existing-agent'));
			for (const name of [TRIGGER, RESPOND]) {
				nodeOf(workflow, name).parameters.encryptRecording = true;
			}
			const encrypting = await publish(workflow);
			const own = `${RECORDING},"recordCallPassword":${JSON.stringify(PASSWORD)}`;
			const theirs = '{"Service_Instructions":{"recordCallPassword":"theirs",';
			system.answerBy(answering(`${theirs}${KEPT}}}`));
			assertAnswer(await encrypting.call(), `{"Service_Instructions":{${own},${KEPT}}}`);
			assert.ok(!(await encrypting.execution())?.raw.includes(PASSWORD));

			// Otherwise a recording that was encrypted until now would not be.
			assert.match(await assertFallback(patient), /turn on 'Encrypt Recording'$/);
		});

		const unusable: Array<[string, Answer]> = [
			['500', answering(FALLBACK, { status: 500 })],
			['a page', answering('<!doctype html><title>Login</title>', { type: 'text/html' })],
			['no instructions', answering('{"aiUrl":{"agent":1}}')],
			[
				'instructions that are twice there',
				answering(`${FALLBACK.slice(0, -1)},${FALLBACK.slice(1)}`),
			],
			['nothing', answering('')],
			['204', answering('', { status: 204 })],
			[
				'text that is not UTF-8',
				answering(Buffer.from('{"Service_Instructions":{"a":"\xe9"}}', 'latin1')),
			],
			['a broken connection', (response) => void response.destroy()],
		];
		for (const [name, answer] of unusable) {
			test(`if the other system answers with ${name}, the call is recorded`, async () => {
				system.answerBy(answer);
				await assertFallback(patient);
			});
		}

		test('if it is slow, the call is recorded in time, with the agent of the fallback', async () => {
			const workflow = readWorkflow('record-existing-agent');
			const agent = '"aiUrl":{"agent":2}';
			Object.assign(nodeOf(workflow, TRIGGER).parameters, {
				options: { moreInstructions: `{${agent}}` },
			});
			const asImported = await publish(workflow);
			const fallback = `{"Service_Instructions":{${agent},${RECORDING}}}`;
			system.answerBy(() => {});
			await assertFallback(asImported, fallback);

			// The first bytes come, and the rest does not.
			let open: ServerResponse | undefined;
			system.answerBy((response) => {
				open = response;
				response.writeHead(200, { 'content-type': 'application/json' }).write('{');
			});
			assertAnswer(await asImported.call(), fallback);
			open?.destroy();
			assert.equal((await asImported.execution())?.status, 'error');
		});

		test('its delay beside a direct answer is measured', async (t) => {
			system.answerBy(answering(`{"Service_Instructions":{${KEPT}}}`));
			const direct: number[] = [];
			const throughN8n: number[] = [];
			for (let round = 0; round < 10; round += 1) {
				direct.push((await send(system.url)).ms);
				throughN8n.push((await patient.call()).ms);
				await patient.execution();
			}
			const [shorter, longer] = [median(direct), median(throughN8n)];
			t.diagnostic(
				`direct ${shorter.toFixed(1)} ms, through n8n ${longer.toFixed(1)} ms (medians)`,
			);
		});

		test('if it is down, the call is recorded', async () => {
			await system.close();
			assert.match(await assertFallback(patient), /refused/);
			Object.assign(system, await startOtherSystem());
		});
	});
}
