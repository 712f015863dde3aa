/** Webhooks in each shape that the emulator can give them, and what the triggers make of them. */
import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';

import type { Shapes } from '../../../emulator/src/index.mts';
import type { Stack } from '../../../harness/stack.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { serviceOf } from '../suite.mts';
import { publish, TRIGGER, type Published } from './published.mts';

export function webhookShapesSuite(getStack: () => Stack): void {
	suite('webhooks in many shapes', { concurrency: 1 }, () => {
		const service = serviceOf(() => getStack().n8n);
		let ends: Published;
		let starts: Published;
		before(async () => {
			ends = await publish(service, { event: 'callEnd' });
			starts = await publish(service, { recordCall: true, recordCallFormat: 'mp3' });
			const { control } = service.emulator;
			control.setWebhooks({ callEnd: ends.url, callStart: starts.url });
		});

		const shapes: Array<Partial<Shapes>> = [
			{ webhookBody: 'flat' },
			{ webhookBody: 'PascalCase' },
			{ webhookBody: 'form' },
			{ webhookBody: 'batch' },
			{ webhookBody: 'query' },
			{ webhookMethod: 'PUT' },
			{ webhookMethod: 'GET' },
			{ sessionGuid: 'upperCase', webhookBody: 'deep' },
			{ sessionGuid: 'noHyphens', webhookBody: 'xml' },
		];
		for (const shape of shapes) {
			test(`the call is recorded, and its end is known: ${Object.values(shape).join(', ')}`, async () => {
				const { control } = service.emulator;
				control.resetShapes();
				control.setShapes(shape);
				control.clearLogs();
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 2 });
				await control.completedCall(sessionGuid);
				const recording = control.recordings().find((one) => one.sessionGuid === sessionGuid);
				const [start, end] = control.deliveries();
				assert.equal(recording?.format, 'mp3', `CallStart: ${start?.replyBody} ${start?.error}`);
				const startItem = (await starts.execution()).items(TRIGGER)[0]?.json;
				assert.equal(startItem?.sessionGuid, sessionGuid);

				assert.equal(end?.replyBody, JSON.stringify({ received: true, sessionGuid }));
				const endItem = (await ends.execution()).items(TRIGGER)[0]?.json;
				assert.equal(endItem?.sessionGuid, sessionGuid);
				assert.ok(endItem.keptUntil, 'when the call ended is found, too');
				if (shape.webhookBody !== 'flat') return;
				assertAsShown('Output of Call Start', startItem);
				assertAsShown('Output of Call End', endItem);
			});
		}
	});
}
