/** Call Start webhooks that the trigger answers itself. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { failing } from '../../../harness/flow.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import {
	assertInstructions,
	assertBeforeEnd,
	callStartWorkflow,
	emptyPassword,
	GUID,
	OWN_PASSWORD,
	publish,
	slow,
	TRIGGER,
	withPassword,
} from './callStarts.mts';

/** @param log what n8n has printed so far */
export function respondAtOnceSuite(getStack: () => Stack, log: () => string): void {
	suite('Call Start, Respond: Immediately', { concurrency: 1 }, () => {
		test('answers with the fields, and starts the workflow', async () => {
			const started = Date.now();
			const workflow = await publish(getStack(), {
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
			const execution = await workflow.execution();
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
			const workflow = await publish(getStack(), {});
			assertInstructions(await workflow.call(), { recordCall: false });
		});

		test('expressions read the payload', async () => {
			const workflow = await publish(getStack(), {
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
			const workflow = await publish(getStack(), {
				recordCall: '={{ $json.body.record }}',
				moreInstructions: { maxSeconds: 60 },
			});
			for (const record of ['false', 'true', 1, null]) {
				assertInstructions(await workflow.call({ record }), { maxSeconds: 60, recordCall: false });
			}
			for (const execution of await workflow.executions(4)) {
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
				const workflow = await publish(getStack(), {
					recordCall: true,
					options: { sessionGuidField },
				});
				assertInstructions(await workflow.call(), { recordCall: true, recordCallFormat: 'opus' });
				assert.equal((await workflow.execution()).items(TRIGGER)[0]?.json.sessionGuid, GUID);
			});
		}

		test('a field of its own in Additional Fields, spelled otherwise, is refused', async () => {
			const workflow = await publish(getStack(), {
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
			for (const execution of await workflow.executions(2)) {
				const { problem } = execution.items(TRIGGER)[0]?.json ?? {};
				assert.match(String(problem), /'Additional Fields \(JSON\)' must not contain '[rR]ecord/);
			}
		});

		test('an instruction without a value is not left out unseen', async () => {
			const workflow = await publish(getStack(), {
				recordCall: true,
				moreInstructions: { maxSeconds: '={{ $json.body.limit }}' },
			});
			assertInstructions(await workflow.call({}), { recordCall: false });
			const { problem } = (await workflow.execution()).items(TRIGGER)[0]?.json ?? {};
			assert.match(String(problem), /'More Instructions' has no value for 'maxSeconds'/);
		});

		test('answers before the workflow runs, whatever its result', async () => {
			const workflow = await publish(getStack(), { recordCall: true }, [slow(), failing('broken')]);
			const answer = await workflow.call();
			assertInstructions(answer, { recordCall: true, recordCallFormat: 'opus' });
			const execution = await workflow.execution();
			assertBeforeEnd(answer, execution);
			assert.equal(execution.status, 'error');
		});

		test('payloads that cannot be used get an answer too', async () => {
			const workflow = await publish(getStack(), { recordCall: true });
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
			const items = (await workflow.executions(harmless.length)).map(
				(execution) => execution.items(TRIGGER)[0]?.json,
			);
			for (const [index, [, payload]] of harmless.entries()) {
				const { sessionGuid, eventKey, payload: shown } = items[index] ?? {};
				assert.deepEqual([sessionGuid, eventKey, shown], [null, null, payload]);
			}
		});

		test('without the secret there are no instructions', async () => {
			const { url, executions, call } = await publish(getStack(), { recordCall: true });
			const answer = await fetch(url, { method: 'POST', body: '{}' });
			assert.equal(answer.status, 401);
			await call();
			await executions(1);
		});

		for (const [format, encrypt] of [
			['mp3', false],
			['wav', true],
		] as const) {
			test(`the service records a call as ${format}, ${encrypt ? 'encrypted' : 'plain'}`, async (t) => {
				const workflow = await publish(getStack(), {
					recordCall: true,
					recordCallFormat: format,
					encryptRecording: encrypt,
				});
				const service = await addService(getStack().n8n);
				t.after(async () => await service.stop());
				const { control } = service.emulator;
				control.setWebhooks({ callStart: workflow.url });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
				await control.completedCall(sessionGuid);
				const entry = control.recordings().find((one) => one.sessionGuid === sessionGuid);
				assert.equal(entry?.format, format);
				assert.equal(entry.encrypted, encrypt);
				assert.equal((await workflow.execution()).items(TRIGGER)[0]?.json.sessionGuid, sessionGuid);
				const download = await service.runNode({
					parameters: { resource: 'recording', operation: 'download', decrypt: 'automatic' },
					items: [{ sessionGuid }],
				});
				assert.equal(download.items('VoiceAgent')[0]?.json.sha256, entry.plainSha256);
			});
		}

		test('the password goes to allowed addresses without a secret, too', async () => {
			const workflow = await publish(getStack(), {
				authentication: 'none',
				recordCall: true,
				encryptRecording: true,
				options: { allowedAddresses: '127.0.0.1' },
			});
			const { json } = await workflow.call();
			assert.match(JSON.stringify(json), /recordCallPassword/);
		});

		test('the password is in the answer, and neither in the item nor in the execution', async () => {
			const workflow = await publish(
				getStack(),
				{ recordCall: true, encryptRecording: true },
				[],
				await withPassword(getStack(), OWN_PASSWORD),
			);
			assertInstructions(await workflow.call(), {
				recordCall: true,
				recordCallFormat: 'opus',
				recordCallPassword: OWN_PASSWORD,
			});
			assert.doesNotMatch((await workflow.execution()).raw, /ssword/);
		});

		test('a password that was emptied afterwards: no recording, and the reason in the item', async () => {
			const own = await withPassword(getStack(), 'for a moment');
			const workflow = await publish(
				getStack(),
				{ recordCall: true, encryptRecording: true },
				[],
				own,
			);
			await emptyPassword(getStack(), own);
			assertInstructions(await workflow.call(), { recordCall: false });
			const { problem } = (await workflow.execution()).items(TRIGGER)[0]?.json ?? {};
			assert.match(String(problem), /'Password'.*is empty/);
			assert.match(log(), /The call is not recorded: .*'Password'.*is empty/);
		});

		// n8n tries again for 15 seconds, so these wait side by side.
		test('a workflow that cannot answer is not activated, and the error says why', async () => {
			const rejected = async (
				parameters: Record<string, unknown>,
				message: RegExp,
				credentials: Partial<Stack['credentials']> = {},
			) => {
				const id = await getStack().n8n.importWorkflow(callStartWorkflow(parameters), {
					...getStack().credentials,
					...credentials,
				});
				await assert.rejects(getStack().n8n.activate(id), message);
			};
			const empty = await withPassword(getStack(), '');
			await Promise.all([
				rejected({ recordCall: true, encryptRecording: true }, /'Password'.*is empty/, empty),
				rejected(
					{
						authentication: 'none',
						respond: 'lastNode',
						encryptRecording: '={{ $json.body.yes }}',
					},
					/anybody could get the recording password/,
				),
				rejected(
					{ moreInstructions: { aiUrl: 'https://ai.example.com' } },
					/'AI URL \(JSON\)' is not valid JSON/,
				),
				rejected(
					{ moreInstructions: { additionalFields: '{"recordCallPassword":"x"}' } },
					/must not contain 'recordCallPassword'.*Encrypt Recording/,
				),
				rejected(
					{ respond: 'lastNode', options: { deadlineSeconds: 600 } },
					/'Deadline \(Seconds\)' must be a number from 0\.5 to 60/,
				),
			]);
		});
	});
}
