/** The Recording Trigger, run by hand in the editor. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { API_KEY } from '../../../harness/stack.mts';
import { DAY, serviceFor, TRIGGER } from './waiting.mts';

export function byHandSuite(getN8n: () => N8n): void {
	suite('by hand', { concurrency: 1 }, () => {
		const byHand = async (id: string) =>
			await getN8n().run(id, { trigger: TRIGGER, destination: TRIGGER });

		test('what is waiting at the moment, also again', async (t) => {
			const service = await serviceFor(t, getN8n);
			const [old, young] = [await service.add(2 * DAY), await service.add(DAY)];
			const id = await service.importWorkflow();
			for (let turn = 0; turn < 2; turn++) {
				const execution = await byHand(id);
				assert.equal(execution.status, 'success', execution.error?.message);
				assert.deepEqual(
					execution.items(TRIGGER).map(({ json }) => [json.sessionGuid, json.attempt]),
					[
						[old, 1],
						[young, 1],
					],
				);
			}
		});

		test('none: says so', async (t) => {
			const service = await serviceFor(t, getN8n);
			const execution = await byHand(await service.importWorkflow());
			assert.equal(execution.status, 'error');
			assert.equal(execution.error?.message, 'No recording is waiting');
			assert.match(String(execution.error?.description), /lists no recordings/);
		});

		test('only young ones: names the option', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.add(0);
			const execution = await byHand(await service.importWorkflow({ minimumAge: 15 }));
			assert.match(String(execution.error?.description), /'Minimum Age \(Minutes\)' to 0/);
		});

		test('the end of the call is not shown: names the option', async (t) => {
			const service = await serviceFor(t, getN8n);
			service.control.setShapes({ recordDetail: 'guidOnly' });
			const guid = await service.add(DAY);
			const execution = await byHand(await service.importWorkflow({ minimumAge: 15 }));
			assert.match(String(execution.error?.description), /does not say when the call ended/);
			const anyAge = await byHand(await service.importWorkflow());
			assert.equal(anyAge.items(TRIGGER)[0]?.json.sessionGuid, guid);
		});

		for (const [options, message] of [
			[{ mostPerCheck: 0 }, /^'Max per Check' must be a whole number of 1 or more$/],
			[{ tryAgainAfter: 0 }, /^'Try Again After \(Hours\)' must be a number of 0\.01 or more$/],
			[{ callEndField: '={{ null }}' }, /^'Call End Field' must be text$/],
			[{ minimumAge: 'soon' }, /^'Minimum Age \(Minutes\)' must be a number of 0 or more$/],
		] as const) {
			test(`an invalid option: ${Object.keys(options).join()}`, async (t) => {
				const service = await serviceFor(t, getN8n);
				const execution = await byHand(await service.importWorkflow(options));
				assert.match(String(execution.error?.message), message);
			});
		}

		test('a wrong key: the same text as everywhere', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.setKey('wrong-key');
			const execution = await byHand(await service.importWorkflow()).finally(() =>
				service.setKey(API_KEY),
			);
			assert.match(String(execution.error?.message), /does not accept the API key \(401\)/);
		});
	});
}
