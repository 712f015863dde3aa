/** call-campaign: whom it calls, and that nobody is called twice. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Row } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';
import { sendCallEndsTo } from '../archived.mts';
import { retry, similarTable, succeeded } from '../suite.mts';
import { CHECK, DO_NOT_CALL, type Campaign } from './campaign.mts';

const endpoint = { match: { endpoint: 'makeCall' } } as const;
const UNCLEAR = 'the number is not clear: enter + and all digits, such as +15550100';

export function campaignSuite(
	getCampaign: () => Campaign,
	killAndStart: () => Promise<void>,
): void {
	suite('workflow: call-campaign', { concurrency: 1 }, () => {
		test('by hand, it says whom it would call and why not the others, and dials nobody', async (t) => {
			const campaign = await getCampaign().setUp(t, [
				{ number: '+1 (555) 01-00', zone: 'UTC' },
				{ number: '0301234567' },
				{ number: '+15550101' },
				{ number: '+15550102', zone: 'Mars/Olympus' },
				{ number: '001 555 0100' },
				{ number: '' },
				{ number: '+15550103', zone: 'UTC', status: 'called' },
			]);
			await campaign.doNotCall('+1 555 0101');
			const before = await campaign.rows();
			const execution = succeeded(await campaign.preview());
			assert.deepEqual(
				execution.items(CHECK).map(({ json }) => [json.number, json.status, json.reason]),
				[
					['+1 (555) 01-00', null, null],
					['0301234567', null, UNCLEAR],
					['+15550101', null, 'the number is on the do-not-call list'],
					['+15550102', null, "'Time Zone' has 'Mars/Olympus': enter one such as Europe/Berlin"],
					['001 555 0100', null, 'an earlier number reaches the same telephone'],
					['', null, UNCLEAR],
					['+15550103', 'called', null],
				],
			);
			assert.deepEqual(await campaign.rows(), before);
			assert.deepEqual(campaign.dialed, []);
		});

		test('published, it calls each number once, and notes what became of the call', async (t) => {
			const rows: Row[] = [
				{ number: '+1 (555) 010-0', zone: 'UTC' },
				{ number: '+52 1 55 1234 5678' },
				{ number: '+525512345678' },
				{ number: '+15550101' },
			];
			const campaign = await getCampaign().setUp(t, rows);
			await campaign.doNotCall('+1 555 0199');
			campaign.control.setShapes({ sessionGuid: 'upperCase' });
			// The first call is refused by the service, and placed later.
			campaign.control.addFault({ ...endpoint, fault: { kind: 'status', status: 429 } });
			await campaign.publish();
			await sendCallEndsTo(campaign.stack, campaign.id);
			await until(
				async () => (await campaign.rows()).filter(({ outcome }) => outcome).length === 3,
			);
			await campaign.unpublish();
			assert.deepEqual(campaign.dialed.sort(), ['+15550100', '+15550101', '+5215512345678']);
			const noted = await campaign.rows();
			assert.deepEqual(
				noted.map(({ status }) => status),
				['called', 'called', null, 'called'],
			);
			const [row] = noted;
			const call = campaign.control.calls().find(({ to }) => to === '+15550100');
			assert.equal(row?.recordingKey, call?.sessionGuid.toLowerCase());
			assert.equal(row?.lastError, null);
			const { durationSeconds } = JSON.parse(String(row?.outcome)) as Record<string, unknown>;
			assert.equal(durationSeconds, call?.durationSeconds);
		});

		test('a number that the service refuses is not tried again, and the execution fails', async (t) => {
			const rows = [{ number: '+15550100' }, { number: '+15550101' }];
			const campaign = await getCampaign().setUp(t, rows);
			await campaign.doNotCall('+1 555 0199');
			const fault = { kind: 'status', status: 422 } as const;
			campaign.control.addFault({ ...endpoint, times: 'always', fault });
			for (const { status, lastError } of await campaign.finish()) {
				assert.equal(status, 'refused');
				assert.match(String(lastError), /^The service rejected the request/);
			}
			assert.deepEqual(campaign.dialed, []);
			const failed = (await campaign.executions(['error'])).at(-1);
			const { error } = await campaign.n8n.execution(String(failed));
			assert.match(String(error?.message), /^\+15550100: The service rejected the request/);
		});

		test('an empty list, another table, or the wrong hours: nobody is called', async (t) => {
			const rows = [{ number: '+15550100', zone: 'UTC' }];
			const today = new Date().toUTCString().slice(0, 3);
			const others = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].filter(
				(day) => day !== today,
			);
			const hours = others.map((day) => `${day} 00:00-24:00`).join(', ');
			const campaign = await getCampaign().setUp(t, rows, { hours });
			assert.match(String((await campaign.preview()).error?.message), /: it is empty$/);
			await campaign.doNotCall('+1 555 0199');
			const [item] = succeeded(await campaign.preview()).items(CHECK);
			assert.match(String(item?.json.reason), /^it is \w+ \d\d:\d\d in UTC$/);

			// n8n would take the newest table whose name contains the one that it looks for.
			const other = await similarTable(t, campaign.n8n, `${DO_NOT_CALL} (old)`, {
				number: 'string',
			});
			await other.insert({ number: '+15550199' });
			const { error } = await campaign.preview();
			assert.match(String(error?.message), new RegExp(DO_NOT_CALL));
			assert.deepEqual(campaign.dialed, []);
		});

		test('killed in the middle of a call, it calls nobody twice, nor does Retry [promise 4]', async (t) => {
			const rows = ['+15550100', '+15550101', '+15550102'].map((number) => ({ number }));
			const campaign = await getCampaign().setUp(t, rows, {
				change: (workflow) => {
					workflow.settings = { ...workflow.settings, saveExecutionProgress: true };
				},
			});
			await campaign.doNotCall('+1 555 0199');
			// The call is placed, but n8n does not live to see the answer.
			campaign.control.addFault({ ...endpoint, carryOut: true, fault: { kind: 'silent' } });
			await campaign.publish();
			await until(() => campaign.dialed.length === 1);
			await killAndStart();
			await until(async () => (await campaign.rows()).every(({ status }) => status !== null));
			await campaign.unpublish();
			const numbers = rows.map(({ number }) => number);
			assert.deepEqual(campaign.dialed.sort(), numbers);
			const [first, ...others] = (await campaign.rows()).map(({ status }) => status);
			assert.deepEqual([first, others], ['unclear', ['called', 'called']]);

			const [killed] = (await campaign.executions(['crashed'])).slice(-1);
			const retried = await campaign.n8n.execution(await retry(campaign.n8n, killed));
			assert.equal(retried.mode, 'retry');
			assert.deepEqual(campaign.dialed.sort(), numbers);
		});
	});
}
