/** What the Recording Trigger hands out: which recordings, in which order, with which data. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { assertAsShown } from '../../docs/shownOutput.mts';
import { DAY, guidsOf, HOUR, MINUTE, outputOf, recordingNode, serviceFor } from './waiting.mts';

export function outputSuite(getN8n: () => N8n): void {
	suite('output', { concurrency: 3 }, () => {
		test('each waiting recording starts one execution, the oldest first', async (t) => {
			const service = await serviceFor(t, getN8n);
			service.control.setShapes({ listOrder: 'newestFirst' });
			const [young, old, middle] = [
				await service.add(HOUR),
				await service.add(6 * DAY),
				await service.add(3 * DAY),
			];
			const id = await service.activate();
			const executions = await service.executions(id, 3);
			assert.deepEqual(guidsOf(executions), [old, middle, young]);
			assert.ok(executions.every(({ status, mode }) => status === 'success' && mode === 'trigger'));

			const later = await service.add(0);
			assert.equal(guidsOf(await service.executions(id, 4))[3], later);
		});

		test('what comes out: ages by the clock of the service, alarm from day 5, the record', async (t) => {
			const service = await serviceFor(t, getN8n);
			const six = await service.add(6 * DAY);
			const four = await service.add(4 * DAY);
			const id = await service.activate();
			const [alarming, calm] = (await service.executions(id, 2)).map(outputOf);
			assert.ok(alarming && calm);
			assertAsShown('VoiceAgent Recording Trigger', alarming);
			const { recording, callEndedAt, retentionEndsAt, hoursLeft, ...rest } = alarming;
			assert.deepEqual(rest, { sessionGuid: six, ageHours: 144, alarm: true, attempt: 1 });
			assert.equal((recording as { sessionGuid: string }).sessionGuid, six);
			assert.equal((recording as { endedAt: string }).endedAt, callEndedAt);
			assert.equal(Date.parse(String(retentionEndsAt)) - Date.parse(String(callEndedAt)), 7 * DAY);
			assert.ok(Math.abs(Number(hoursLeft) - 24) <= 0.1);
			assert.equal(calm.sessionGuid, four);
			assert.equal(calm.alarm, false);
		});

		test('the alarm from another day', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.add(3 * DAY);
			const id = await service.activate({ alarmFromDay: 2 });
			assert.equal(outputOf((await service.executions(id, 1))[0]).alarm, true);
		});

		test('a service whose clock is a day behind: ages are the same [fault 49]', async (t) => {
			const service = await serviceFor(t, getN8n);
			await service.control.advanceClock(-DAY);
			try {
				await service.add(2 * HOUR);
				const id = await service.activate({ minimumAge: 60 });
				assert.equal(outputOf((await service.executions(id, 1))[0]).ageHours, 2);
			} finally {
				await service.control.advanceClock(DAY);
			}
		});

		test('Minimum Age leaves a call that has just ended to the webhook; 15 minutes unless set', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(0);
			const id = await service.activate({ minimumAge: undefined });
			await service.executions(id, 0);
			await service.control.advanceClock(15 * MINUTE);
			assert.deepEqual(guidsOf(await service.executions(id, 1)), [guid]);
		});

		test('without an end of the call, Minimum Age counts from when it was first seen; 60 minutes unless set', async (t) => {
			const service = await serviceFor(t, getN8n);
			service.control.setShapes({ recordDetail: 'guidOnly' });
			const guid = await service.add(0);
			const id = await service.activate({ minimumAge: undefined });
			await service.executions(id, 0);
			await service.control.advanceClock(30 * MINUTE);
			await service.executions(id, 0);
			await service.control.advanceClock(30 * MINUTE);
			const { recording, ...rest } = outputOf((await service.executions(id, 1))[0]);
			assert.deepEqual(rest, {
				sessionGuid: guid,
				callEndedAt: null,
				ageHours: null,
				retentionEndsAt: null,
				hoursLeft: null,
				alarm: false,
				attempt: 1,
			});
			assert.ok(recording);
		});

		test('Max per Check: the others come with the next checks, still the oldest first', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guids: string[] = [];
			for (const days of [6, 5, 4, 3, 2]) guids.push(await service.add(days * DAY));
			const id = await service.activate({ mostPerCheck: 2 });
			const executions = await service.executions(id, 5);
			assert.deepEqual(guidsOf(executions), guids);
			const checksOf = executions.map(({ startedAt }) => Math.round(startedAt.getTime() / 1000));
			assert.ok(Number(checksOf[4]) - Number(checksOf[0]) >= 1, 'all of them in one check');
		});

		test('Start Executions Until a run succeeds: only one that has failed starts another run', async (t) => {
			const service = await serviceFor(t, getN8n);
			const sizeBytes = 5_000;
			const spoilt = await service.add(2 * DAY, { sizeBytes });
			const good = await service.add(DAY, { sizeBytes });
			service.control.addFault({
				match: { endpoint: 'downloadRecording', sessionGuid: spoilt },
				fault: { kind: 'status', status: 401 },
			});
			const id = await service.activate(
				{ startRunsUntil: 'success' },
				{ nodes: [recordingNode('download')] },
			);
			const first = await service.executions(id, 2);
			assert.deepEqual(
				first.map(({ status }) => status),
				['error', 'success'],
			);
			await service.control.advanceClock(6 * HOUR);
			const second = await service.executions(id, 3);
			assert.deepEqual(guidsOf(second), [spoilt, good, spoilt]);
			assert.equal(second.at(-1)?.status, 'success');
			await service.control.advanceClock(6 * HOUR);
			await service.executions(id, 3);
			// n8n still knows it after the workflow was published again.
			const another = await service.add(0, { sizeBytes });
			await service.executions(id, 4);
			await service.remove(another);
			await getN8n().deactivate(id);
			await getN8n().activate(id);
			await service.control.advanceClock(6 * HOUR);
			await service.executions(id, 4);
		});

		for (const shape of [
			{ list: 'paged', paging: 'cursor', pageSize: 2, recordFields: 'snake_case' },
			{ list: 'paged', paging: 'linkHeader', pageSize: 2, listOrder: 'newestFirst' },
			{ list: 'data', recordFields: 'PascalCase', sessionGuid: 'braces' },
		] as const) {
			test(`a list of another shape: ${Object.values(shape).join(', ')}`, async (t) => {
				const service = await serviceFor(t, getN8n);
				service.control.setShapes(shape);
				const guids: string[] = [];
				for (const days of [6, 5, 4, 3, 2]) guids.push(await service.add(days * DAY));
				const id = await service.activate();
				await getN8n().waitForExecutions({ workflowId: id, count: 5 });
				await sleep(2500);
				const executions = await getN8n().waitForExecutions({ workflowId: id, count: 5 });
				assert.deepEqual(guidsOf(executions), guids);
			});
		}

		test('fields that the user names', async (t) => {
			const service = await serviceFor(t, getN8n);
			const guid = await service.add(2 * DAY, { to: 'reference-0001' });
			const id = await service.activate({ sessionGuidField: 'to', callEndField: 'startedAt' });
			const output = outputOf((await service.executions(id, 1))[0]);
			const record = output.recording as { sessionGuid: string; startedAt: string };
			assert.equal(record.sessionGuid, guid);
			assert.equal(output.sessionGuid, 'reference-0001');
			assert.equal(output.callEndedAt, record.startedAt);
		});
	});
}
