/** Webhooks that are signed instead of carrying a secret. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { DeliveryOptions } from '../../../emulator/src/index.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { CallEndWebhooks, GUID, TRIGGER, triggerWorkflow } from './callEndWebhooks.mts';
import { publish } from './callStarts.mts';

type Signing = NonNullable<DeliveryOptions['signing']>;

export const SIGNING_SECRET = 'a secret: with ümlaut & more';
export const STANDARD_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const REFUSED = {
	status: 401,
	json: { received: false, reason: 'The signature is missing or wrong' },
};

/** @param log what n8n has printed so far */
export function signaturesSuite(getStack: () => Stack, log: () => string): void {
	suite('signatures', { concurrency: 1 }, () => {
		let service: Stack;
		let webhooks: CallEndWebhooks;
		before(async () => {
			service = await addService(getStack().n8n, { webhookDelivery: {} });
			webhooks = new CallEndWebhooks(service);
		});
		after(async () => await service?.stop());

		/** Puts a trigger behind a credential, and lets the service send to it. */
		const listen = async (name: string, data: Record<string, unknown>) => {
			const type = 'voiceAgentWebhookApi';
			const credential = await service.n8n.createCredential({ name, type, data });
			const credentials = { ...service.credentials, voiceAgentWebhookApi: credential };
			await webhooks.activate(name, {}, { credentials });
			service.emulator.control.setWebhooks({ callEnd: webhooks.workflow(name).url });
			return credential;
		};
		const send = async (signing: Signing | null) => {
			const { control } = service.emulator;
			control.setWebhookDelivery({ signing });
			const { sessionGuid } = await control.addRecording();
			const { status, replyBody } = await control.sendCallEnd(sessionGuid);
			return { sessionGuid, status, json: JSON.parse(String(replyBody)) as unknown };
		};

		const schemes: Array<[name: string, credential: Record<string, unknown>, signing: Signing]> = [
			['HMAC as it is set by default', {}, { scheme: 'hmac', secret: SIGNING_SECRET }],
			[
				'HMAC with SHA-1 in Base64',
				{
					algorithm: 'sha1',
					encoding: 'base64',
					signatureHeader: 'Authorization',
					prefix: 'HMAC ',
				},
				{
					...{ scheme: 'hmac', secret: SIGNING_SECRET, algorithm: 'sha1', encoding: 'base64' },
					...{ header: 'authorization', prefix: 'HMAC ' },
				},
			],
			[
				'HMAC with SHA-512, prefix and timestamp',
				{ algorithm: 'sha512', prefix: 'sha512=', timestampHeader: 'X-Time', toleranceSeconds: 60 },
				{
					...{ scheme: 'hmac', secret: SIGNING_SECRET, algorithm: 'sha512', prefix: 'sha512=' },
					...{ timestampHeader: 'x-time' },
				},
			],
			[
				'Standard Webhooks',
				{ scheme: 'standardWebhooks', secret: STANDARD_SECRET },
				{ scheme: 'standardWebhooks', secret: STANDARD_SECRET },
			],
		];
		for (const [name, credential, signing] of schemes) {
			test(`${name}: in each form of the body, and not without the right signature`, async () => {
				await listen(name, { scheme: 'hmac', secret: SIGNING_SECRET, ...credential });
				const { control } = service.emulator;
				for (const webhookBody of ['flat', 'form', 'xml', 'formJson', 'batch'] as const) {
					control.setShapes({ webhookBody });
					const { sessionGuid, ...answer } = await send(signing);
					assert.deepEqual(answer, { status: 200, json: { received: true, sessionGuid } });
					const execution = await webhooks.nextExecution(name);
					assert.equal(execution.items(TRIGGER)[0]?.json.sessionGuid, sessionGuid);
				}
				control.resetShapes();
				const other = { ...signing, secret: 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' };
				for (const wrong of [other, null]) {
					const { status, json } = await send(wrong);
					assert.deepEqual({ status, json }, REFUSED);
				}
				await send(signing);
				await webhooks.nextExecution(name);
			});
		}

		test('a webhook whose time is 10 minutes off: 401, and the log says why', async (t) => {
			const [, , , [name, , signing] = assert.fail()] = schemes;
			const off = await addService(service.n8n, { webhookDelivery: { signing } });
			t.after(async () => await off.stop());
			const { control } = off.emulator;
			control.setWebhooks({ callEnd: webhooks.workflow(name).url });
			control.advanceClock(600_000);
			const { sessionGuid } = await control.addRecording();
			const { status, replyBody } = await control.sendCallEnd(sessionGuid);
			assert.deepEqual({ status, json: JSON.parse(String(replyBody)) as unknown }, REFUSED);
			assert.match(
				log(),
				/A webhook was refused \(401, .*\): the time .* is more than 300 seconds from now/,
			);
		});

		test('the query is not signed, so no session GUID is read from it', async () => {
			const name = 'HMAC as it is set by default';
			const { control } = service.emulator;
			const { url } = webhooks.workflow(name);
			control.setWebhooks({ callEnd: `${url}?sessionGuid=${GUID}` });
			const accepted = await send({ scheme: 'hmac', secret: SIGNING_SECRET });
			assert.equal(accepted.status, 200, 'another one in the query does not matter');
			await webhooks.nextExecution(name);
			control.setWebhookDelivery({ signing: { scheme: 'hmac', secret: SIGNING_SECRET } });
			const { sessionGuid } = await control.addRecording();
			const { status, replyBody } = await control.sendCallEnd(sessionGuid, { event: 'CallEnd' });
			assert.equal(status, 400);
			assert.match(String(replyBody), /No session GUID/);
		});

		test('a multipart form cannot be checked: 401', async () => {
			const form = new FormData();
			form.set('sessionGuid', GUID);
			const { url } = webhooks.workflow('HMAC as it is set by default');
			const headers = { 'x-webhook-signature': '0'.repeat(64) };
			const answer = await fetch(url, { method: 'POST', body: form, headers });
			assert.deepEqual({ status: answer.status, json: await answer.json() }, REFUSED);
			assert.match(
				log(),
				/A webhook was refused \(401, .*\): n8n does not keep the bytes of a multipart form/,
			);
		});

		test('CallStart, signed and not', async () => {
			const voiceAgentWebhookApi = await service.n8n.createCredential({
				name: 'Signed CallStart',
				type: 'voiceAgentWebhookApi',
				data: { scheme: 'standardWebhooks', secret: STANDARD_SECRET },
			});
			const workflow = await publish(service, { recordCall: true }, [], { voiceAgentWebhookApi });
			const { control } = service.emulator;
			control.setWebhooks({ callStart: workflow.url, callEnd: null });
			for (const [signing, isRecorded] of [
				[{ scheme: 'standardWebhooks', secret: STANDARD_SECRET } as Signing, true],
				[null, false],
			] as const) {
				control.setWebhookDelivery({ signing });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 1 });
				assert.equal((await control.completedCall(sessionGuid)).recorded, isRecorded);
			}
			assert.equal((await workflow.execution()).status, 'success');
		});

		test('a secret that cannot be used: the workflow is not activated, and the credential says why', async () => {
			const type = 'voiceAgentWebhookApi';
			for (const [data, message] of [
				[
					{ scheme: 'standardWebhooks', secret: 'whsec_this is no Base64' },
					/not whsec_ followed by Base64/,
				],
				[{ scheme: 'hmac', secret: '' }, /'Secret' is empty/],
			] as const) {
				const credential = await service.n8n.createCredential({ name: 'Broken', type, data });
				const { status, message: said } = await service.n8n.testCredential({ ...credential, type });
				assert.equal(status, 'Error');
				assert.match(said, message);
				const id = await service.n8n.importWorkflow(triggerWorkflow({}), {
					...service.credentials,
					voiceAgentWebhookApi: credential,
				});
				await assert.rejects(service.n8n.activate(id), message);
			}
			const good = await service.n8n.createCredential({
				...{ name: 'Good', type },
				data: { scheme: 'hmac', secret: SIGNING_SECRET, timestampHeader: 'X-Time' },
			});
			assert.deepEqual(await service.n8n.testCredential({ ...good, type }), {
				status: 'OK',
				message:
					'The secret can be used. Requests must carry a signature (sha256) of X-Time, body in the header X-Webhook-Signature.',
			});
		});
	});
}
