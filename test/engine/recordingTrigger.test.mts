import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { IRun } from 'n8n-workflow';
import { loadModules } from '../../harness/engine/modules.mts';
import type { Json } from '../../harness/n8n/n8n.mts';
import { API_KEY } from '../../harness/stack.mts';
import { assertAsShown } from '../docs/shownOutput.mts';
import { ownEngine } from './engines.mts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const LIST = '/api/customer/recordings';

const succeeded = { status: 'success' } as IRun;
const failed = { status: 'error' } as IRun;

/** A service, and a trigger that checks it whenever the test says so. */
async function waiting(
	t: TestContext,
	options: Record<string, unknown> = {},
	end: () => Promise<IRun | undefined> = async () => succeeded,
) {
	const { emulator, recordingTrigger } = await ownEngine(t);
	const { control } = emulator;
	const trigger = recordingTrigger({
		parameters: { minutesBetweenChecks: 1, options: { minimumAge: 0, ...options } },
	});
	const checks = () =>
		control
			.requests()
			.filter(({ method, path, status }) => method === 'GET' && path === LIST && status !== null)
			.length;
	const guids = () => trigger.started.map(({ items }) => items[0]?.json.sessionGuid);
	/** Stores a recording whose call ended that long ago. */
	const add = async (ageMs: number) => {
		const endedAt = new Date(control.now() - ageMs).toISOString();
		return (await control.addRecording({ endedAt, durationSeconds: 1 })).sessionGuid;
	};
	const publish = async () => {
		const published = await trigger.publish(end);
		t.after(async () => await published.close());
		return published;
	};
	/** Lets a whole check pass: the first may have begun before, and the last may not have ended. */
	const check = async () => {
		const before = checks();
		await until(() => {
			if (checks() < before + 3) trigger.tick();
			return checks() >= before + 3;
		});
	};
	return {
		control,
		trigger,
		checks,
		guids,
		add,
		publish,
		check,
		/** Lets a check find recordings of these ages. */
		checked: async (...agesMs: number[]) => {
			const added: string[] = [];
			for (const ageMs of agesMs) added.push(await add(ageMs));
			await publish();
			await check();
			return added;
		},
		remove: async (sessionGuid: string) => {
			const headers = { Token: API_KEY };
			await fetch(`${emulator.url}${LIST}/${sessionGuid}`, { method: 'DELETE', headers });
		},
	};
}

async function until(isTrue: () => boolean): Promise<void> {
	const deadline = Date.now() + 60_000;
	while (!isTrue()) {
		assert.ok(Date.now() < deadline, 'waited for a minute');
		await sleep(20);
	}
}

suite('Recording Trigger, published', () => {
	test('starts an execution with its own key for each, oldest first [fault 49] [promise 2]', async (t) => {
		const { add, control, publish, check, trigger, guids } = await waiting(t);
		// The clock of the service is a day behind.
		await control.advanceClock(-DAY);
		const young = await add(HOUR);
		const old = await add(6 * DAY);
		await publish();
		await until(() => trigger.started.length === 2);
		assert.deepEqual(guids(), [old, young]);
		const [first, second] = trigger.started;
		assert.match(String(first?.key), new RegExp(`^workflow-\\d+:recording:${old}:1$`));
		assert.match(String(second?.key), new RegExp(`^workflow-\\d+:recording:${young}:1$`));
		assertAsShown('Output of the Recording Trigger', first?.items[0]?.json);
		const { recording, endedAt, keptUntil, hoursLeft, ...json } = first?.items[0]?.json ?? {};
		const numbers = { to: null, from: null, direction: null };
		assert.deepEqual(json, {
			event: 'recordingWaiting',
			sessionGuid: old,
			recordingKey: old,
			...numbers,
			ageHours: 144,
			alarm: true,
			attempt: 1,
		});
		assert.equal((recording as Record<string, Json>).sessionGuid, old);
		assert.equal(Date.parse(String(keptUntil)) - Date.parse(String(endedAt)), 7 * DAY);
		assert.equal(hoursLeft, 24);
		assert.equal(second?.items[0]?.json.alarm, false);
		await check();
		assert.equal(trigger.started.length, 2, 'nothing is started again');
		// By the id of the node, so that the history is still found when the node gets another name.
		const stored = trigger.staticData.voiceAgentRecordingTrigger as Record<string, object>;
		const histories = Object.entries(stored).map(([id, history]) => [id, Object.keys(history)]);
		assert.deepEqual(histories, [[trigger.nodeId, [old, young]]]);
		const later = await add(MINUTE);
		await check();
		assert.deepEqual(guids(), [old, young, later]);
		assert.deepEqual(trigger.failures, []);
	});

	test('checks immediately, and then by the interval', async (t) => {
		const { emulator, recordingTrigger } = await ownEngine(t);
		const trigger = recordingTrigger({ parameters: { minutesBetweenChecks: 3 } });
		const { expression, close } = await trigger.publish(async () => succeeded);
		t.after(close);
		assert.match(expression, /^\d+ \* \* \* \* \*$/);
		const lists = () => emulator.control.requests().filter(({ path }) => path === LIST).length;
		await until(() => lists() === 1);
		for (const count of [1, 1, 2, 2, 2, 3]) {
			await sleep(100);
			trigger.tick();
			await until(() => lists() >= count);
			assert.equal(lists(), count);
		}
	});

	test('does not begin a check before the one before has ended', async (t) => {
		const { control, publish, check, trigger } = await waiting(t);
		control.addFault({ fault: { kind: 'delay', ms: 500 } });
		await publish();
		await until(() => control.requests().length === 1);
		for (let turn = 0; turn < 3; turn++) trigger.tick();
		await sleep(200);
		assert.equal(control.requests().length, 1);
		await check();
	});

	test('reports once that n8n cannot start an execution, and tries again at the next check', async (t) => {
		const reject = async () => {
			throw new Error('the database is full');
		};
		const { checked, trigger } = await waiting(t, {}, reject);
		await checked(HOUR);
		const keys = new Set(trigger.started.map(({ key }) => key));
		assert.ok(trigger.started.length >= 2);
		// n8n refuses it if there is an execution after all.
		assert.equal(keys.size, 1, 'the same key');
		assert.deepEqual(trigger.failures, [
			{
				message: 'n8n could not start the workflow for a recording: the database is full',
				description: 'The next check tries again. If it fails too, look at the log of n8n.',
			},
		]);
		assert.deepEqual(trigger.errors, [], 'an error would end the trigger');
	});

	const cancelled = async () => {
		const { ManualExecutionCancelledError } = (await loadModules()).workflow;
		throw new ManualExecutionCancelledError('1');
	};
	for (const [name, options, end, hours, count] of [
		['fails', { tryAgainAfter: 0.5 }, async () => failed, 0.5, 2],
		['succeeds, but leaves the recording', {}, async () => succeeded, 6, 2],
		['succeeds, if that is enough', { startRunsUntil: 'success' }, async () => succeeded, 6, 1],
		// Because another process has started it.
		['is refused by n8n', {}, async () => undefined, 6, 2],
		['is canceled', {}, cancelled, 6, 2],
	] as const) {
		test(`after an execution that ${name}, ${count} are started in ${hours} hours`, async (t) => {
			const { checked, control, check, trigger } = await waiting(t, options, end);
			await checked(HOUR);
			assert.equal(trigger.started.length, 1);
			await control.advanceClock(hours * HOUR);
			await check();
			const attempts = trigger.started.map(({ items }) => items[0]?.json.attempt);
			assert.deepEqual(attempts, [1, 2].slice(0, count));
			assert.equal(new Set(trigger.started.map(({ key }) => key)).size, count);
			assert.deepEqual(trigger.failures, []);
		});
	}

	for (const [name, end, leastMs, mostMs] of [
		['begun', async () => await new Promise<IRun>(() => {}), 100, 900],
		['ended', async () => succeeded, 0, 900],
		['been refused, because another process has begun it', async () => undefined, 1_000, 9_000],
	] as const) {
		test(`starts the next execution once the one before has ${name}`, async (t) => {
			const times: number[] = [];
			const { add, publish, trigger } = await waiting(t, {}, async () => {
				times.push(Date.now());
				return await end();
			});
			await add(HOUR);
			await add(DAY);
			await publish();
			await until(() => trigger.started.length === 2);
			const [first = 0, second = 0] = times;
			// A timer may be a millisecond early.
			assert.ok(second - first >= leastMs - 2, `${second - first} ms`);
			assert.ok(second - first < mostMs, `${second - first} ms`);
		});
	}

	test('starts and checks nothing once the workflow is closed', async (t) => {
		const { add, publish, checks, trigger } = await waiting(t, {}, async () => {
			void close();
			return succeeded;
		});
		await add(HOUR);
		await add(DAY);
		const { close } = await publish();
		await until(() => trigger.started.length > 0);
		await sleep(300);
		const before = checks();
		trigger.tick();
		await sleep(100);
		assert.equal(checks(), before);
		assert.equal(trigger.started.length, 1);
	});

	test('leaves recordings of less than 60 minutes alone by default', async (t) => {
		const { checked, guids } = await waiting(t, { minimumAge: undefined });
		const [old] = await checked(60 * MINUTE + 1_000, 58 * MINUTE);
		assert.deepEqual(guids(), [old]);
	});

	test('reports a failure once while it lasts, and again when it comes back', async (t) => {
		const { control, checked, check, trigger } = await waiting(t);
		const fail = () =>
			control.addFault({ times: 'always', fault: { kind: 'status', status: 400 } });
		fail();
		await checked();
		assert.equal(trigger.failures.length, 1);
		control.clearFaults();
		await check();
		fail();
		await check();
		assert.equal(trigger.failures.length, 2);
		assert.equal(new Set(trigger.failures.map(({ message }) => message)).size, 1);
		assert.deepEqual(trigger.errors, [], 'an error would end the trigger');
	});

	test('reports recordings without a session GUID, and hands the others out', async (t) => {
		const { control, checked, trigger, guids } = await waiting(t);
		const endedAt = new Date(control.now() - HOUR).toISOString();
		const body = [{ number: 1 }, { number: 2 }, { sessionGuid: 'call-0001', endedAt }];
		control.addFault({ times: 'always', fault: { kind: 'status', status: 200, body } });
		await checked();
		assert.deepEqual(guids(), ['call-0001']);
		assert.deepEqual(
			trigger.failures.map(({ message }) => message),
			['The service lists recordings in which no session GUID is found: 2 of them'],
		);
	});

	test('reports a list that it reads in part, hands that part out, and later the rest', async (t) => {
		const { remove, control, checked, check, trigger, guids } = await waiting(t);
		control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		const [first = '', ...others] = await checked(3 * HOUR, 2 * HOUR, HOUR);
		assert.deepEqual(guids(), [first, others[0]]);
		assert.match(String(trigger.failures[0]?.message), /incomplete: 2 were read/);
		await remove(first);
		await check();
		assert.deepEqual(guids(), [first, ...others]);
		assert.equal(trigger.failures.length, 1);
	});

	test('cannot be published with an option that cannot be used', async (t) => {
		const { recordingTrigger } = await ownEngine(t);
		const trigger = recordingTrigger({ parameters: { options: { mostPerCheck: 0 } } });
		const message = /^'Max per Check' must be a whole number of 1 or more$/;
		await assert.rejects(
			trigger.publish(async () => succeeded),
			{ message },
		);
	});
});

suite('Recording Trigger, by hand', () => {
	test('outputs all that are waiting, and leaves the history as it is', async (t) => {
		const { add, trigger } = await waiting(t);
		const young = await add(HOUR);
		const old = await add(DAY);
		for (let turn = 0; turn < 2; turn++) {
			assert.deepEqual(
				(await trigger.run()).map(({ json }) => [json.sessionGuid, json.attempt]),
				[
					[old, 1],
					[young, 1],
				],
			);
		}
		assert.deepEqual(trigger.staticData, {});
	});

	test('says so if none is waiting', async (t) => {
		const { trigger } = await waiting(t);
		const description = /^Place a call that is recorded/;
		await assert.rejects(trigger.run(), { message: 'No recording is waiting', description });
	});

	test('names the option if the only one is too young', async (t) => {
		const { add, trigger } = await waiting(t, { minimumAge: 15 });
		await add(0);
		const description = /less than 15 minutes ago is passed over: .*'Minimum Age \(Minutes\)' to 0/;
		await assert.rejects(trigger.run(), { description });
	});

	test('names the field of the credential if none has a session GUID', async (t) => {
		const { control, trigger } = await waiting(t);
		const fault = { kind: 'status', status: 200, body: [{ number: 1 }, { number: 2 }] } as const;
		control.addFault({ times: 'always', fault });
		await assert.rejects(trigger.run(), {
			message: 'The service lists recordings in which no session GUID is found: 2 of them',
			description: /'Session GUID Field'/,
		});
	});
});
