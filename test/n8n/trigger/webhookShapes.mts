/** Webhooks as the emulator sends them, in each of its shapes, and what the triggers make of them. */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';

import type { Delivery, DeliveryOptions, Shapes } from '../../../emulator/src/index.mts';
import { addService, WEBHOOK_HEADER, WEBHOOK_SECRET, type Stack } from '../../../harness/stack.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { publish, TRIGGER as START_TRIGGER, type CallStart } from './callStarts.mts';
import { CallEndWebhooks, TRIGGER } from './callEndWebhooks.mts';

export function webhookShapesSuite(getStack: () => Stack): void {
	suite('webhooks in every shape', { concurrency: 1 }, () => {
		let service: Stack;
		let ends: CallEndWebhooks;
		let starts: CallStart;
		let started = 0;
		before(async () => {
			service = await addService(getStack().n8n);
			ends = new CallEndWebhooks(service);
			await ends.activate('default', {});
			starts = await publish(service, { recordCall: true, recordCallFormat: 'mp3' });
			const { control } = service.emulator;
			control.setWebhooks({ callEnd: ends.workflow().url, callStart: starts.url });
		});
		after(async () => await service?.stop());

		const shapes: Array<Partial<Shapes>> = [
			...(
				[
					'flat',
					'nested',
					'PascalCase',
					'form',
					'deep',
					'batch',
					'formJson',
					'query',
					'xml',
				] as const
			).map((webhookBody) => ({ webhookBody })),
			{ webhookMethod: 'PUT' },
			{ webhookMethod: 'GET' },
			{ webhookMethod: 'PUT', webhookBody: 'form' },
			{ sessionGuid: 'upperCase', webhookBody: 'deep' },
			{ sessionGuid: 'noHyphens', webhookBody: 'xml' },
		];
		for (const shape of shapes) {
			test(`${Object.values(shape).join(', ')}: the call is recorded, and its end is known`, async () => {
				const { control } = service.emulator;
				control.resetShapes();
				control.setShapes(shape);
				control.clearLogs();
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
				await control.completedCall(sessionGuid);
				const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
				assert.equal(recording?.format, 'mp3', 'the answer to CallStart was understood');
				const startItem = (await starts.executions(++started))
					.at(-1)
					?.items(START_TRIGGER)[0]?.json;
				assert.equal(startItem?.sessionGuid, sessionGuid);

				const [, end] = control.deliveries();
				assert.equal(end?.replyBody, JSON.stringify({ received: true, sessionGuid }));
				const endItem = (await ends.nextExecution()).items(TRIGGER)[0]?.json;
				assert.equal(endItem?.sessionGuid, sessionGuid);
				assert.ok(endItem.retentionEndsAt, 'when the call ended is found, too');
				if (shape.webhookBody !== 'flat') return;
				assertAsShown('VoiceAgent Trigger: Call Start', startItem);
				assertAsShown('VoiceAgent Trigger: Call End', endItem);
			});
		}

		const deliver = async (options: DeliveryOptions): Promise<Delivery[]> => {
			const { control } = service.emulator;
			control.resetShapes();
			control.clearLogs();
			control.setWebhookDelivery({ retries: 0, copies: 1, reorder: 1, ...options });
			const { sessionGuid } = await control.addRecording();
			await control.sendCallEnd(sessionGuid);
			return control.deliveries();
		};
		const keys = async (count: number): Promise<string[]> =>
			(await ends.nextExecutions(count)).map((execution) =>
				String(execution.items(TRIGGER)[0]?.json.eventKey),
			);

		test('copies at the same time: an execution each, with one event key', async () => {
			const deliveries = await deliver({ copies: 3 });
			assert.deepEqual(
				deliveries.map(({ status }) => status),
				[200, 200, 200],
			);
			assert.equal(new Set(await keys(3)).size, 1);
		});

		test('a retry after a refusal: one execution', async () => {
			const { control } = service.emulator;
			const secret = { in: 'header', name: WEBHOOK_HEADER, value: WEBHOOK_SECRET } as const;
			const wrong = { ...secret, value: 'another-secret-0123' };
			const sending = deliver({ secret: wrong, retries: 20, retryDelayMs: 100 });
			while (!control.deliveries().some(({ status }) => status === 401)) {
				await new Promise((resolve) => setTimeout(resolve, 20));
			}
			control.setWebhookDelivery({ secret });
			const statuses = (await sending).map(({ status }) => status);
			assert.equal(statuses.pop(), 200);
			assert.deepEqual(new Set(statuses), new Set([401]));
			assert.equal((await keys(1)).length, 1);
		});

		test('a retry although the first one was taken: a second execution with the same event key', async () => {
			const { control } = service.emulator;
			const [first] = await deliver({});
			await control.sendCallEnd(String(first?.sessionGuid));
			assert.equal(new Set(await keys(2)).size, 1);
		});

		test('in another order: each is taken', async () => {
			const { control } = service.emulator;
			control.setWebhookDelivery({ reorder: 3 });
			const guids = (
				await Promise.all([control.addRecording(), control.addRecording(), control.addRecording()])
			).map(({ sessionGuid }) => sessionGuid);
			await Promise.all(guids.map((guid) => control.sendCallEnd(guid)));
			const expected = guids.map((guid) => `callEnd:${guid}`);
			assert.deepEqual((await keys(3)).toSorted(), expected.toSorted());
		});
	});
}
