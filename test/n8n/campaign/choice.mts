/** Whom a campaign calls now, later and never: what a test run shows, and what is dialed. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { similarTable, succeeded } from '../suite.mts';
import { DO_NOT_CALL, type Campaign } from './campaign.mts';

const HOUR = 3_600_000;
const ROW = { number: '+15550100', zone: 'UTC' };

export function choiceSuite(getCampaign: () => Campaign): void {
	suite('whom it calls', { concurrency: 1 }, () => {
		test('as imported, it dials nobody, and calls from 9 to 20 on weekdays', () => {
			const { assignments } = nodeOf(readWorkflow('call-campaign'), 'Settings').parameters
				.assignments as { assignments: Array<{ name: string; value: unknown }> };
			const settings = Object.fromEntries(assignments.map(({ name, value }) => [name, value]));
			assert.deepEqual(settings, {
				testRun: true,
				callFrom: '09:00',
				callUntil: '20:00',
				callDays: '1,2,3,4,5',
				callsPerMinute: 5,
				callsAtOnce: 3,
				callsPerNumberAndDay: 1,
				callMinutes: 30,
				doNotCallMayBeEmpty: false,
			});
		});

		test('a test run says what it would do, dials nobody and changes nothing', async (t) => {
			const campaign = await getCampaign().setUp(
				t,
				[
					{ number: '+1 (555) 01-00', zone: 'UTC' },
					{ number: '0301234567' },
					{ number: '+15550101' },
					{ number: '+9990000000' },
					{ number: '+49 30 123456-0' },
					{ number: '+26876123456' },
					{ number: '+15550102', zone: 'Mars/Olympus' },
					{ number: '+4915550103' },
					{ number: '' },
					{ number: '+15550104', zone: 'UTC' },
				],
				{ testRun: true, callsPerMinute: 2 },
			);
			await campaign.doNotCall('+1 555 0101', '0049 (0)155-50103');
			const before = await campaign.rows();
			const decisions = await campaign.decisions();
			assert.deepEqual(
				decisions.map(({ number, decision, why }) => [number, decision, why]),
				[
					['+1 (555) 01-00', 'now', undefined],
					['0301234567', 'never', 'not a number in international form, such as +15550100'],
					['+15550101', 'never', 'on the do-not-call list'],
					['+9990000000', 'never', 'not a number in international form, such as +15550100'],
					['+49 30 123456-0', 'never', 'not a number in international form, such as +15550100'],
					['+26876123456', 'never', 'unknown time zone: enter it in the column zone'],
					['+15550102', 'never', 'unknown time zone: enter it in the column zone'],
					['+4915550103', 'never', 'on the do-not-call list'],
					['+15550104', 'now', undefined],
				],
			);
			assert.deepEqual(await campaign.rows(), before);
			assert.deepEqual(campaign.dialed, []);
		});

		test('a number of a country with several zones is called only if it is day in all of them', async (t) => {
			const clock = { timeZone: 'America/St_Johns', hour: 'numeric', hourCycle: 'h23' } as const;
			const hour = Number(new Intl.DateTimeFormat('en', clock).format());
			// It is this hour in Newfoundland, and some hours earlier in Hawaii.
			const callFrom = `${Math.min(hour, 22)}:00`;
			const callUntil = `${Math.min(hour, 22) + 2}:00`;
			const campaign = await getCampaign().setUp(
				t,
				[{ number: '+15550100' }, { number: '+15550101', zone: 'America/St_Johns' }],
				{ testRun: true, callFrom, callUntil },
			);
			const [first, second] = await campaign.decisions();
			assert.match(String(first?.why), /^quiet hours: /);
			assert.equal(second?.decision, 'now');
		});

		test('the days on which it calls are those in the time zone of the number', async (t) => {
			const today = ((new Date().getUTCDay() + 6) % 7) + 1;
			const others = [1, 2, 3, 4, 5, 6, 7].filter((day) => day !== today).join(',');
			const campaign = await getCampaign().setUp(t, [ROW], { testRun: true, callDays: others });
			assert.match(String((await campaign.decisions())[0]?.why), /^quiet hours: /);
		});

		test('a number is called as often per day as allowed, whatever row and execution it is in', async (t) => {
			const former = { ...ROW, status: 'called', endedAt: ago(3 * HOUR) };
			const campaign = await getCampaign().setUp(
				t,
				[{ ...former, calledAt: ago(40 * HOUR) }, ROW, { ...ROW, number: '+1 555 01 00' }, ROW],
				{ callsPerNumberAndDay: 2 },
			);
			await campaign.turn();
			assert.deepEqual(campaign.dialed, ['+15550100'], 'two calls to one number at the same time');
			await campaign.turn();
			assert.equal(campaign.dialed.length, 1, 'the first call may still be going on');
			for (const _turn of [1, 2]) {
				await campaign.endCalls();
				await campaign.turn();
			}
			assert.deepEqual(campaign.dialed, ['+15550100', '+15550100']);
		});

		test('two numbers of one telephone are one, on the do-not-call list and in the campaign', async (t) => {
			const numbers = ['+525512345678', '+541123456789', '+55 11 91234-5678', '+5215587654321'];
			const campaign = await getCampaign().setUp(
				t,
				[...numbers, '+525587654321'].map((number) => ({ number, zone: 'UTC' })),
				{ callsPerNumberAndDay: 1 },
			);
			await campaign.doNotCall('+52 1 55 1234 5678', '+54 9 11 2345 6789', '+55 11 1234 5678');
			await campaign.turn();
			await campaign.endCalls();
			await campaign.turn();
			assert.deepEqual(campaign.dialed, ['+5215587654321'], 'as it was given, and once');
		});

		test('it dials nobody if a row of the do-not-call list has no number, or another one too', async (t) => {
			const campaign = await getCampaign().setUp(t, [ROW], {}, (workflow) => {
				const { columns } = nodeOf(workflow, 'Create the do-not-call list').parameters;
				const column = ['number', 'phone'].map((name) => ({ name, type: 'string' }));
				Object.assign(columns as object, { column });
			});
			const refusal = async () => String((await campaign.turn()).error?.message);
			await campaign.doNotCall('+442079460958', { number: '+442079460959', phone: '+15550100' });
			assert.match(await refusal(), /entry 2 may have another number, in the column 'phone'$/);
			await (
				await campaign.table(DO_NOT_CALL)
			).update({ column: 'number', value: '+442079460959' }, { number: '', phone: '' });
			assert.match(await refusal(), /entry 2 is empty$/);
			assert.deepEqual(campaign.dialed, []);
		});

		test('it places no more calls at the same time than allowed', async (t) => {
			const rows = [0, 1, 2, 3].map((digit) => ({ number: `+155501${digit}0`, zone: 'UTC' }));
			const going = { ...rows[0], number: '+15550199', status: 'called' };
			const campaign = await getCampaign().setUp(
				t,
				[
					{ ...going, calledAt: ago(HOUR / 6) },
					// Over, refused, and too long ago to be going on.
					{ ...going, calledAt: ago(HOUR / 6), endedAt: ago(0) },
					{ ...going, calledAt: ago(HOUR / 6), status: 'refused' },
					{ ...going, calledAt: ago(HOUR) },
					...rows,
				],
				{ callsAtOnce: 3 },
			);
			await campaign.turn();
			assert.deepEqual(campaign.dialed, ['+15550100', '+15550110']);
			await campaign.turn();
			assert.equal(campaign.dialed.length, 2);
		});

		test('it dials nobody if a row stops it, or if it cannot read the do-not-call list', async (t) => {
			const campaign = await getCampaign().setUp(t, [ROW, { number: 'Stop' }]);
			assert.equal((await campaign.turn()).status, 'success');
			await campaign.doNotCall('011 49 30 123457');
			const execution = await campaign.turn();
			assert.match(
				String(execution.error?.message),
				/^No call was placed: 'Do Not Call' cannot be used: '011 49 30 123457'/,
			);
			assert.deepEqual(campaign.dialed, []);
		});

		test('it dials nobody if the do-not-call list is empty, or its column has another name', async (t) => {
			const settings = { doNotCallMayBeEmpty: false };
			const campaign = await getCampaign().setUp(t, [ROW], settings, (workflow) => {
				const { columns } = nodeOf(workflow, 'Create the do-not-call list').parameters;
				Object.assign(columns as object, { column: [{ name: 'phone', type: 'string' }] });
			});
			assert.match(String((await campaign.turn()).error?.message), /: it is empty$/);
			await campaign.doNotCall({ phone: '+15550100' });
			assert.match(String((await campaign.turn()).error?.message), /: it has no such column$/);
			assert.deepEqual(campaign.dialed, []);
		});

		test('another table with a similar name is neither the do-not-call list nor the campaign', async (t) => {
			const campaign = await getCampaign().setUp(t, [ROW, { number: '+15550101', zone: 'UTC' }]);
			await campaign.doNotCall(ROW.number);
			const { n8n } = campaign;
			const columns = { number: 'string', zone: 'string', calledAt: 'date' } as const;
			for (const name of [
				'VoiceAgent do not call (old)',
				'VOICEAGENT DO NOT CALL',
				'VoiceAgent campaign backup',
				'A VoiceAgent campaign',
			]) {
				const other = await similarTable(t, n8n, name, columns);
				await other.insert({ number: '+15550199', zone: 'UTC' });
			}
			succeeded(await campaign.turn());
			assert.deepEqual(campaign.dialed, ['+15550101']);
			await campaign.endCalls();
			// Later executions do not start anew with what was called.
			succeeded(await campaign.turn());
			assert.deepEqual(campaign.dialed, ['+15550101']);
			const [listed, called] = await campaign.rows();
			assert.deepEqual([listed?.status, called?.status], [null, 'called']);
		});

		test('without a table of just that name, nobody is called', async (t) => {
			const campaign = await getCampaign().setUp(t, [ROW], {}, (workflow) => {
				const { parameters } = nodeOf(workflow, 'Create the do-not-call list');
				parameters.tableName = `${DO_NOT_CALL} list`;
			});
			const { n8n } = campaign;
			const execution = await campaign.turn();
			assert.match(
				String(execution.error?.message),
				/VoiceAgent do not call \(execute this workflow/,
			);
			assert.deepEqual(campaign.dialed, []);
			await (await n8n.dataTable(`${DO_NOT_CALL} list`))?.remove();
			await similarTable(t, n8n, DO_NOT_CALL.toLowerCase(), { number: 'string' });
			assert.equal((await campaign.turn()).status, 'error');
			assert.deepEqual(campaign.dialed, []);
		});

		test('it dials nobody with settings that contradict each other', async (t) => {
			const settings = { callFrom: '09:00', callUntil: '08:00' };
			const campaign = await getCampaign().setUp(t, [ROW], settings);
			const execution = await campaign.turn();
			assert.match(String(execution.error?.message), /Settings: call/);
			assert.deepEqual(campaign.dialed, []);
		});
	});
}

function ago(ms: number): string {
	return new Date(Date.now() - ms).toISOString();
}
