import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import type { Execution, Workflow, WorkflowNode } from '../../harness/n8n/n8n.mts';
import {
	chain,
	PASSWORD,
	startStack,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
	type Stack,
} from '../../harness/stack.mts';

const GUID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const TRIGGER = 'When a call starts';
const RESPOND = 'Respond to call start';

/** A password that occurs in one credential only, to be searched for everywhere. */
const OWN_PASSWORD = 'Pässword "with" everything / in it';

const WAIT_SECONDS = 6;
/** So that an answer at once is told from one at the deadline, however busy the machine is. */
const LONG_DEADLINE = { deadlineSeconds: 30 };

function node(name: string, type: string, parameters: object, more: object = {}): WorkflowNode {
	return {
		name,
		id: name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as Record<string, unknown>,
		...more,
	};
}

const respond = (parameters: object, more?: object) =>
	node(
		RESPOND,
		'n8n-nodes-voiceagent.voiceAgent',
		{ resource: 'callStart', operation: 'respond', ...parameters },
		more,
	);
const setJson = (json: unknown) =>
	node(
		'Set',
		'n8n-nodes-base.set',
		{ mode: 'raw', jsonOutput: JSON.stringify(json), options: {} },
		{ typeVersion: 3.4 },
	);
const wait = () =>
	node(
		'Wait',
		'n8n-nodes-base.wait',
		{ resume: 'timeInterval', amount: WAIT_SECONDS, unit: 'seconds' },
		{ typeVersion: 1.1 },
	);
const fail = () => node('Fail', 'n8n-nodes-base.stopAndError', { errorMessage: 'broken' });

suite('Call Start', () => {
	let stack: Stack;
	let log = '';
	/** Keeps connections open, as services do: an answer too many would spoil the next one. */
	const agent = new Agent({ keepAlive: true, maxSockets: 1 });

	before(async () => {
		stack = await startStack({ n8n: { log: (line) => (log += `${line}\n`) } });
	});
	after(async () => {
		agent.destroy();
		await stack?.stop();
	});

	function workflowOf(parameters: object, nodes: WorkflowNode[] = []): Workflow {
		const trigger = node(
			TRIGGER,
			'n8n-nodes-voiceagent.voiceAgentTrigger',
			{ event: 'callStart', ...parameters },
			{ webhookId: crypto.randomUUID() },
		);
		const all = [trigger, ...nodes];
		return {
			name: `Call Start ${JSON.stringify(parameters)}`.slice(0, 128),
			nodes: all,
			connections: chain(all.map(({ name }) => name)),
		};
	}

	interface Active {
		id: string;
		url: string;
		call(payload?: unknown, raw?: string): Promise<Answer>;
		/** The runs so far, once there are this many. */
		runs(count?: number): Promise<Execution[]>;
		run(): Promise<Execution>;
	}

	interface Answer {
		status: number;
		json: unknown;
		ms: number;
	}

	async function active(
		parameters: object,
		nodes: WorkflowNode[] = [],
		credentials: Partial<Stack['credentials']> = {},
	): Promise<Active> {
		const { n8n } = stack;
		const id = await n8n.importWorkflow(workflowOf(parameters, nodes), {
			...stack.credentials,
			...credentials,
		});
		await n8n.activate(id);
		const url = await n8n.webhookUrl(id, TRIGGER);
		const runs = async (count = 1) => {
			const executions = await n8n.waitForExecutions({ workflowId: id, count });
			assert.equal(executions.length, count, 'a run that nobody asked for');
			return executions;
		};
		return {
			id,
			url,
			runs,
			run: async () => (await runs())[0] as Execution,
			call: async (payload: unknown = { sessionGuid: GUID, to: '+15550100' }, raw?: string) =>
				await post(url, raw ?? JSON.stringify(payload)),
		};
	}

	async function post(url: string, body: string): Promise<Answer> {
		const start = performance.now();
		const sent = request(url, {
			method: 'POST',
			agent,
			headers: { 'content-type': 'application/json', [WEBHOOK_HEADER]: WEBHOOK_SECRET },
		});
		return await new Promise((resolve, reject) => {
			sent.once('error', reject);
			sent.once('response', (response) => {
				let text = '';
				response.on('data', (piece: Buffer) => (text += piece.toString()));
				response.once('error', reject);
				response.once('end', () =>
					resolve({
						status: response.statusCode ?? 0,
						json: text === '' ? undefined : JSON.parse(text),
						ms: performance.now() - start,
					}),
				);
			});
			sent.end(body);
		});
	}

	/** An answer with exactly these instructions. */
	function assertInstructions({ status, json }: Answer, block: object): void {
		assert.deepEqual({ status, json }, { status: 200, json: { Service_Instructions: block } });
	}

	const withPassword = async (password: string) => ({
		voiceAgentRecordingPasswordApi: await stack.n8n.createCredential({
			name: 'Own password',
			type: 'voiceAgentRecordingPasswordApi',
			data: { password },
		}),
	});

	suite('Respond: At Once', () => {
		test('answers with the fields, and starts the workflow', async () => {
			const started = Date.now();
			const workflow = await active({
				recordCall: true,
				recordCallFormat: 'wav',
				moreInstructions: {
					maxSeconds: 90,
					aiUrl: '{ "url": "https://ai.example.com" }',
					defaultToolsUrlBase: '{ "base": "https://tools.example.com" }',
					additionalFields: '{ "language": "en" }',
				},
			});
			const payload = { event: 'CallStart', SessionGuid: GUID, to: '+15550100' };
			assertInstructions(await workflow.call(payload), {
				aiUrl: { url: 'https://ai.example.com' },
				maxSeconds: 90,
				defaultToolsUrlBase: { base: 'https://tools.example.com' },
				recordCall: true,
				recordCallFormat: 'wav',
				language: 'en',
			});
			const execution = await workflow.run();
			assert.equal(execution.status, 'success');
			const { receivedAt, ...item } = execution.items(TRIGGER)[0]?.json ?? {};
			assert.deepEqual(item, {
				event: 'callStart',
				sessionGuid: GUID,
				eventKey: `callStart:${GUID}`,
				payload,
			});
			const received = Date.parse(String(receivedAt));
			assert.ok(received >= started && received <= Date.now());
		});

		test('does not record by default', async () => {
			const workflow = await active({});
			assertInstructions(await workflow.call(), { recordCall: false });
		});

		test('expressions read the payload', async () => {
			const workflow = await active({
				recordCall: '={{ $json.body.to.startsWith("+49") }}',
				moreInstructions: { maxSeconds: '={{ $json.body.limit }}' },
			});
			assertInstructions(await workflow.call({ to: '+49301234', limit: 30 }), {
				maxSeconds: 30,
				recordCall: true,
				recordCallFormat: 'opus',
			});
			assertInstructions(await workflow.call({ to: '+15550100', limit: 30 }), {
				maxSeconds: 30,
				recordCall: false,
			});
		});

		test('what expressions yield wrongly switches no recording on, and is shown', async () => {
			const workflow = await active({
				recordCall: '={{ $json.body.record }}',
				moreInstructions: { maxSeconds: 60 },
			});
			for (const record of ['false', 'true', 1, null]) {
				assertInstructions(await workflow.call({ record }), { maxSeconds: 60, recordCall: false });
			}
			for (const execution of await workflow.runs(4)) {
				assert.match(
					String(execution.items(TRIGGER)[0]?.json.problem),
					/'Record Call' must be true or false/,
				);
			}
		});

		for (const [name, sessionGuidField] of Object.entries({
			nothing: '={{ $json.body.nothing }}',
			'a number': '={{ 5 }}',
			'an error': "={{ $('Nowhere').first().json.field }}",
		})) {
			test(`Session GUID Field yields ${name}: the call is recorded, the GUID is looked for`, async () => {
				const workflow = await active({ recordCall: true, options: { sessionGuidField } });
				assertInstructions(await workflow.call(), { recordCall: true, recordCallFormat: 'opus' });
				assert.equal((await workflow.run()).items(TRIGGER)[0]?.json.sessionGuid, GUID);
			});
		}

		test('a field of its own in Additional Fields, spelled otherwise, is refused', async () => {
			const workflow = await active({
				recordCall: true,
				encryptRecording: true,
				moreInstructions: {
					additionalFields: '={{ { [$json.body.name]: $json.body.value } }}',
				},
			});
			for (const [name, value] of [
				['record_call', true],
				['RecordCallPassword', ''],
			]) {
				assertInstructions(await workflow.call({ name, value }), { recordCall: false });
			}
			for (const execution of await workflow.runs(2)) {
				const { problem } = execution.items(TRIGGER)[0]?.json ?? {};
				assert.match(String(problem), /'Additional Fields' must not contain '[rR]ecord/);
			}
		});

		test('an instruction without a value is not left out unseen', async () => {
			const workflow = await active({
				recordCall: true,
				moreInstructions: { maxSeconds: '={{ $json.body.limit }}' },
			});
			assertInstructions(await workflow.call({}), { recordCall: false });
			const { problem } = (await workflow.run()).items(TRIGGER)[0]?.json ?? {};
			assert.match(String(problem), /'More Instructions' has no value for 'maxSeconds'/);
		});

		test('answers before the workflow runs, whatever becomes of it', async () => {
			const workflow = await active({ recordCall: true }, [wait(), fail()]);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'opus' });
			assert.ok(answer.ms < WAIT_SECONDS * 1000, `${answer.ms} ms`);
			assert.equal((await workflow.run()).status, 'error');
		});

		test('32: payloads that are none get an answer too', async () => {
			const workflow = await active({ recordCall: true });
			const block = { recordCall: true, recordCallFormat: 'opus' };
			const harmless: Array<[raw: string, payload: unknown]> = [
				['{}', {}],
				['', { body: null }],
				['[1,2]', { body: [1, 2] }],
				['{"sessionGuid":null}', { sessionGuid: null }],
				['{"sessionGuid":"../../x1"}', { sessionGuid: '../../x1' }],
			];
			for (const [raw] of harmless) assertInstructions(await workflow.call(null, raw), block);
			const harmful = [
				`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`,
				'{"__proto__":{"a":1}}',
			];
			for (const raw of harmful) assertInstructions(await workflow.call(null, raw), block);
			const items = (await workflow.runs(harmless.length)).map(
				(run) => run.items(TRIGGER)[0]?.json,
			);
			for (const [index, [, payload]] of harmless.entries()) {
				const { sessionGuid, eventKey, payload: shown } = items[index] ?? {};
				assert.deepEqual([sessionGuid, eventKey, shown], [null, null, payload]);
			}
		});

		test('39: without the secret there are no instructions', async () => {
			const { url, runs, call } = await active({ recordCall: true });
			const answer = await fetch(url, { method: 'POST', body: '{}' });
			assert.equal(answer.status, 401);
			await call();
			await runs(1);
		});

		for (const [format, encrypt] of [
			['mp3', false],
			['wav', true],
		] as const) {
			test(`the service records a call as ${format}, ${encrypt ? 'encrypted' : 'plain'}`, async () => {
				const workflow = await active({
					recordCall: true,
					recordCallFormat: format,
					encryptRecording: encrypt,
				});
				const { control } = stack.emulator;
				control.setWebhooks({ callStart: workflow.url });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
				await control.completedCall(sessionGuid);
				control.setWebhooks({ callStart: null });
				const entry = control.recordings().find((one) => one.sessionGuid === sessionGuid);
				assert.equal(entry?.format, format);
				assert.equal(entry.encrypted, encrypt);
				assert.equal((await workflow.run()).items(TRIGGER)[0]?.json.sessionGuid, sessionGuid);
				const download = await stack.runNode({
					parameters: { resource: 'recording', operation: 'download', decrypt: 'automatic' },
					items: [{ sessionGuid }],
				});
				assert.equal(download.items('VoiceAgent')[0]?.json.sha256, entry.plainSha256);
			});
		}

		test('41: the password is in the answer, and neither in the item nor in the execution', async () => {
			const workflow = await active(
				{ recordCall: true, encryptRecording: true },
				[],
				await withPassword(OWN_PASSWORD),
			);
			assertInstructions(await workflow.call(), {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: OWN_PASSWORD,
			});
			assert.doesNotMatch((await workflow.run()).raw, /ssword/);
		});

		test('a password that was emptied afterwards: no recording, and the reason in the item', async () => {
			const own = await withPassword('for a moment');
			const workflow = await active({ recordCall: true, encryptRecording: true }, [], own);
			await stack.n8n.updateCredential(own.voiceAgentRecordingPasswordApi.id, {
				name: 'Emptied',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: '' },
			});
			assertInstructions(await workflow.call(), { recordCall: false });
			const { problem } = (await workflow.run()).items(TRIGGER)[0]?.json ?? {};
			assert.match(String(problem), /'Password'.*is empty/);
			assert.match(log, /The call is not recorded: .*'Password'.*is empty/);
		});

		// n8n tries again for 15 seconds, so these wait side by side.
		test('what cannot be answered is not activated, and says why', async () => {
			const rejected = async (
				parameters: object,
				message: RegExp,
				credentials: Partial<Stack['credentials']> = {},
			) => {
				const id = await stack.n8n.importWorkflow(workflowOf(parameters), {
					...stack.credentials,
					...credentials,
				});
				await assert.rejects(stack.n8n.activate(id), message);
			};
			const empty = await withPassword('');
			await Promise.all([
				rejected({ encryptRecording: true }, /'Password'.*is empty/, empty),
				rejected(
					{ moreInstructions: { aiUrl: 'https://ai.example.com' } },
					/'AI URL' is not valid JSON/,
				),
				rejected(
					{ moreInstructions: { additionalFields: '{"recordCallPassword":"x"}' } },
					/must not contain 'recordCallPassword'.*Encrypt Recording/,
				),
				rejected(
					{ respond: 'lastNode', options: { deadlineSeconds: 600 } },
					/'Deadline' must be a number from 0\.5 to 60/,
				),
			]);
		});
	});

	suite('Respond: When Last Node Finishes', () => {
		const fallback = { recordCall: true, recordCallFormat: 'mp3' };
		const fields = { respond: 'lastNode', recordCall: true, recordCallFormat: 'mp3' };

		test('the first item of the last node is the answer', async () => {
			const reply = { Service_Instructions: { recordCall: false, note: 'own' }, more: [1] };
			const workflow = await active(fields, [setJson(reply)]);
			const { status, json } = await workflow.call();
			assert.deepEqual({ status, json }, { status: 200, json: reply });
			assert.equal((await workflow.run()).status, 'success');
		});

		test('so is what Respond only puts out', async () => {
			const workflow = await active(fields, [
				respond({ recordCall: true, recordCallFormat: 'wav', options: { onlyOutput: true } }),
			]);
			const block = { recordCall: true, recordCallFormat: 'wav' };
			assertInstructions(await workflow.call(), block);
			assert.deepEqual((await workflow.run()).items(RESPOND)[0]?.json, {
				Service_Instructions: block,
			});
		});

		test('41: Encrypt Recording adds the password to it, outside of the execution', async () => {
			const workflow = await active(
				{ ...fields, recordCall: false, encryptRecording: true },
				[setJson({ Service_Instructions: { recordCall: true } })],
				await withPassword(OWN_PASSWORD),
			);
			assertInstructions(await workflow.call(), {
				recordCall: true,
				recordCallPassword: OWN_PASSWORD,
			});
			assert.doesNotMatch((await workflow.run()).raw, /ssword/);
		});

		test('Encrypt Recording: no other spelling is recorded in the clear', async () => {
			const encrypts = { ...fields, recordCall: false, encryptRecording: true };
			const echo = node(
				'Set',
				'n8n-nodes-base.set',
				{ mode: 'raw', jsonOutput: '={{ $json.payload }}', options: {} },
				{ typeVersion: 3.4 },
			);
			const workflow = await active(encrypts, [echo], await withPassword(OWN_PASSWORD));
			const blocks = [
				{ RecordCall: true },
				{ recordCall: 'true' },
				{ recordCall: 1 },
				{ recordcall: true },
				{ record_call: true, recordCall: false },
				{ recordCall: true, RecordCallPassword: '' },
			];
			for (const block of blocks) {
				const payload = { Service_Instructions: block, service_instructions: block };
				assertInstructions(await workflow.call(payload), {
					recordCall: true,
					recordCallPassword: OWN_PASSWORD,
				});
			}
			for (const recordCall of [false, null, 'false']) {
				const payload = { Service_Instructions: { recordCall } };
				assertInstructions(await workflow.call(payload), { recordCall: false });
			}
		});

		test('the same without a usable password: no recording', async () => {
			const own = await withPassword('for a moment');
			const workflow = await active(
				{ ...fields, encryptRecording: true },
				[setJson({ Service_Instructions: { RecordCall: 'true', maxSeconds: 9 } })],
				own,
			);
			await stack.n8n.updateCredential(own.voiceAgentRecordingPasswordApi.id, {
				name: 'Emptied',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: '' },
			});
			assertInstructions(await workflow.call(), { recordCall: false, maxSeconds: 9 });
		});

		for (const [name, nodes, status] of [
			['an item without instructions', [setJson({ recordCall: false })], 'success'],
			['no node after the trigger', [], 'success'],
			['a workflow that fails', [fail()], 'error'],
		] as const) {
			test(`${name}: the fallback, at once`, async () => {
				const workflow = await active({ ...fields, options: LONG_DEADLINE }, [...nodes]);
				const answer = await workflow.call();
				assertInstructions(answer, fallback);
				assert.ok(answer.ms < 25_000, `${answer.ms} ms`);
				assert.equal((await workflow.run()).status, status);
			});
		}

		test('a slow workflow: the fallback in time, and the run goes on', async () => {
			const reply = { Service_Instructions: { recordCall: false } };
			const workflow = await active({ ...fields, options: { deadlineSeconds: 0.5 } }, [
				wait(),
				setJson(reply),
			]);
			await assertLate(workflow, fallback);
		});
	});

	/** The fallback arrives in time, the workflow ends well, and its late answer disturbs nobody. */
	async function assertLate(workflow: Active, fallback: object): Promise<Execution> {
		const from = log.length;
		const answers = [await workflow.call(), await workflow.call()];
		for (const answer of answers) {
			assertInstructions(answer, fallback);
			assert.ok(answer.ms >= 490 && answer.ms < WAIT_SECONDS * 1000, `${answer.ms} ms`);
		}
		const [execution] = await workflow.runs(2);
		assert.ok(execution);
		assert.equal(execution.status, 'success', execution.error?.message);
		const { receivedAt, answerBy } = execution.items(TRIGGER)[0]?.json ?? {};
		assert.equal(Date.parse(String(answerBy)) - Date.parse(String(receivedAt)), 500);
		// The same connection serves the next request.
		assertInstructions(await workflow.call(), fallback);
		const printed = log.slice(from);
		assert.match(
			printed,
			/answered with the fallback: the workflow gave no instructions within 500 ms/,
		);
		assert.doesNotMatch(printed, /headers|ERR_|Error|unhandled/i);
		return execution;
	}

	suite("Respond: Using 'Respond to Call Start' Operation", () => {
		const fallback = { recordCall: false };
		const fields = { respond: 'responseNode' };

		test('the operation answers, with expressions on the item', async () => {
			const workflow = await active(fields, [
				respond({
					recordCall: '={{ $json.payload.to === "+15550100" }}',
					recordCallFormat: 'wav',
					moreInstructions: { maxSeconds: 60 },
				}),
				wait(),
			]);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'wav', maxSeconds: 60 });
			assert.ok(answer.ms < WAIT_SECONDS * 1000, 'the answer waited for the rest of the workflow');
			const execution = await workflow.run();
			assert.equal(execution.status, 'success', execution.error?.message);
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'wav', maxSeconds: 60 },
				encrypted: false,
				responded: true,
			});
		});

		test('41: encrypted; the password is neither in the item nor in the execution', async () => {
			const workflow = await active(
				fields,
				[respond({ recordCall: true, encryptRecording: true })],
				await withPassword(OWN_PASSWORD),
			);
			assertInstructions(await workflow.call(), {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: OWN_PASSWORD,
			});
			const execution = await workflow.run();
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'opus' },
				encrypted: true,
				responded: true,
			});
			assert.doesNotMatch(execution.raw, /ssword/);
		});

		for (const [name, nodes, message] of [
			['a workflow without the operation', [setJson({ Service_Instructions: {} })], undefined],
			['a workflow that fails before', [fail(), respond({ recordCall: true })], /broken/],
			[
				'instructions that cannot be used',
				[respond({ recordCall: '={{ "false" }}' })],
				/'Record Call' must be true or false/,
			],
			[
				'an instruction without a value',
				[respond({ recordCall: true, moreInstructions: { maxSeconds: '={{ $json.nothing }}' } })],
				/'Max Seconds' must be a number from 1/,
			],
			[
				'a field spelled otherwise in Additional Fields',
				[
					respond({
						recordCall: true,
						moreInstructions: { additionalFields: '{"Record_Call_Password":""}' },
					}),
				],
				/'Additional Fields' must not contain 'Record_Call_Password'/,
			],
		] as const) {
			test(`${name}: the fallback, at once`, async () => {
				const workflow = await active({ ...fields, options: LONG_DEADLINE }, [...nodes]);
				const answer = await workflow.call();
				// What n8n sends for the last node must not pass for an answer of the operation.
				assertInstructions(answer, fallback);
				assert.ok(answer.ms < 25_000, `${answer.ms} ms`);
				const execution = await workflow.run();
				assert.equal(execution.status, message ? 'error' : 'success');
				if (message) assert.match(String(execution.error?.message), message);
			});
		}

		test('a slow workflow: the fallback in time, and the run goes on and shows it', async () => {
			const workflow = await active({ ...fields, options: { deadlineSeconds: 0.5 } }, [
				wait(),
				respond({ recordCall: true }),
			]);
			const execution = await assertLate(workflow, fallback);
			assert.deepEqual(execution.items(RESPOND)[0]?.json, {
				instructions: { recordCall: true, recordCallFormat: 'opus' },
				encrypted: false,
				responded: false,
			});
			assert.match(execution.raw, /This response came too late/);
		});

		test('encryption without a password fails, and the call is not recorded', async () => {
			const workflow = await active(fields, [
				respond({ recordCall: true, encryptRecording: true }),
			]);
			// What happens to the selection when somebody deletes the credential.
			const stored = await stack.n8n.rest<{ nodes: WorkflowNode[] }>(
				'GET',
				`/rest/workflows/${workflow.id}`,
			);
			for (const one of stored.nodes) {
				if (one.name === RESPOND) one.credentials = {};
			}
			const id = await stack.n8n.importWorkflow({
				...stored,
				connections: chain([TRIGGER, RESPOND]),
			});
			await stack.n8n.deactivate(workflow.id);
			await stack.n8n.activate(id);
			assertInstructions(await workflow.call(), fallback);
			const [execution] = await stack.n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.status, 'error');
			assert.match(String(execution.error?.message), /no password is available/);
		});

		test('a response that nobody waits for says so', async () => {
			for (const parameters of [{ respond: 'onReceived' }, { respond: 'lastNode' }]) {
				const workflow = await active(parameters, [respond({ recordCall: true })]);
				assertInstructions(await workflow.call(), { recordCall: false });
				const { status, error } = await workflow.run();
				assert.equal(status, 'error');
				assert.match(String(error?.message), /No VoiceAgent Trigger waits for this response/);
				assert.match(String(error?.description), /'Respond'.*'Only Output'/);
			}
		});

		test('Only Output never puts out instructions for a recording in the clear', async () => {
			const execution = await stack.runNode({
				parameters: {
					resource: 'callStart',
					operation: 'respond',
					recordCall: true,
					encryptRecording: true,
					options: { onlyOutput: true },
				},
			});
			assert.equal(execution.status, 'error');
			assert.match(String(execution.error?.message), /'Only Output' cannot output/);
		});

		test('listening in the editor works', async () => {
			const id = await stack.n8n.importWorkflow(
				workflowOf(fields, [respond({ recordCall: true })]),
				stack.credentials,
			);
			await stack.n8n.rest('POST', `/rest/workflows/${id}/run`, {
				workflowId: id,
				triggerToStartFrom: { name: TRIGGER },
			});
			const url = (await stack.n8n.webhookUrl(id, TRIGGER)).replace('/webhook/', '/webhook-test/');
			assertInstructions(await post(url, '{}'), { recordCall: true, recordCallFormat: 'opus' });
			const [execution] = await stack.n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(execution?.mode, 'manual');
			assert.equal(execution.items(RESPOND)[0]?.json.responded, true);
		});
	});

	test('41: no password and no webhook secret in the log or in what n8n stores', async () => {
		const folder = join(stack.n8n.userFolder, '.n8n');
		const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
			(entry) => entry.isFile() && !entry.parentPath.includes('node_modules'),
		);
		assert.ok(files.some(({ name }) => name === 'database.sqlite'));
		const contents = await Promise.all(
			files.map(async (file) => await readFile(join(file.parentPath, file.name))),
		);
		for (const secret of [OWN_PASSWORD, PASSWORD, WEBHOOK_SECRET]) {
			for (const writing of writings(secret)) {
				assert.ok(!log.includes(writing), `${writing} is in the log`);
				for (const [index, content] of contents.entries()) {
					assert.ok(!content.includes(writing), `${writing} is in ${files[index]?.name}`);
				}
			}
		}
	});
});

function writings(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [
		secret,
		JSON.stringify(secret).slice(1, -1),
		encodeURIComponent(secret),
		bytes.toString('base64'),
		bytes.toString('base64url'),
		bytes.toString('hex'),
	];
}
