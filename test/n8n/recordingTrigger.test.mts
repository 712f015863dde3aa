import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
	createEmulator,
	type AddRecordingOptions,
	type Emulator,
} from '../../emulator/src/index.mts';
import {
	packedPackage,
	startN8n,
	type Credential,
	type Execution,
	type Json,
	type N8n,
	type N8nOptions,
	type Workflow,
} from '../../harness/n8n/n8n.mts';
import { missingServer, ownDatabase, type OwnData } from '../../harness/standIns/servers.mts';
import { API_KEY, API_KEY_WITHOUT_PERMISSION, byGuid, chain } from '../../harness/stack.mts';

const TRIGGER = 'Recordings waiting';
const LIST = '/api/customer/recordings';
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const EVERY_SECOND: Record<string, Json> = {
	checkInterval: 'cronExpression',
	cronExpression: '* * * * * *',
};

const failing = {
	name: 'Fail',
	type: 'n8n-nodes-base.stopAndError',
	typeVersion: 1,
	parameters: { errorMessage: 'The archive is full' },
};
const recordingNode = (operation: string) => ({
	name: operation,
	type: 'n8n-nodes-voiceagent.voiceAgent',
	typeVersion: 1,
	parameters: { resource: 'recording', operation, recording: byGuid(), decrypt: 'never' },
});

/** A workflow of the trigger, looking every second unless told otherwise, and of nodes behind it. */
function workflow(
	options: Record<string, unknown> = {},
	{ schedule = EVERY_SECOND, nodes = [] as Array<Workflow['nodes'][number]> } = {},
): Workflow {
	const all = [
		{
			name: TRIGGER,
			type: 'n8n-nodes-voiceagent.voiceAgentRecordingTrigger',
			typeVersion: 1,
			parameters: { ...schedule, options: { minimumAge: 0, ...options } },
		},
		...nodes,
	].map((node, index) => ({ ...node, id: randomUUID(), position: [index * 220, 0] }));
	return { name: 'Recordings', nodes: all, connections: chain(all.map(({ name }) => name)) };
}

const outputOf = (execution: Execution) => {
	const items = execution.items(TRIGGER);
	assert.equal(items.length, 1, execution.error?.message);
	return items[0]?.json as Record<string, Json>;
};
const guidsOf = (executions: Execution[]) =>
	executions.map((execution) => outputOf(execution).sessionGuid);

/** An emulator, and ways to fill it and to watch what is asked of it. */
async function startService() {
	const emulator: Emulator = await createEmulator({ callSpeed: 50 });
	const { control } = emulator;
	const checks = () =>
		control.requests().filter(({ method, path }) => method === 'GET' && path === LIST);
	return {
		emulator,
		control,
		checks,
		/** Stores a recording whose call ended so long ago. */
		async add(ageMs: number, options: AddRecordingOptions = {}): Promise<string> {
			const endedAt = new Date(control.now() - ageMs).toISOString();
			const { sessionGuid } = await control.addRecording({
				endedAt,
				content: Buffer.from('OggS, not really'),
				...options,
			});
			return sessionGuid;
		},
		/** Waits until so many more checks have been answered, and what they start has begun. */
		async nextChecks(count = 3, timeoutMs = 60_000): Promise<void> {
			const answered = () => checks().filter(({ status }) => status !== null).length;
			const wanted = answered() + count;
			const deadline = Date.now() + timeoutMs;
			while (answered() < wanted) {
				assert.ok(Date.now() < deadline, 'the node does not look any more');
				await sleep(50);
			}
			await sleep(300);
		},
		async remove(sessionGuid: string): Promise<void> {
			const path = `${LIST}/${encodeURIComponent(sessionGuid)}`;
			await fetch(`${emulator.url}${path}`, { method: 'DELETE', headers: { Token: API_KEY } });
		},
		/** Takes everything away that a test has left. */
		async clear(): Promise<void> {
			control.clearFaults();
			control.resetShapes();
			control.setRecordingDelay(0);
			for (const { sessionGuid, state } of control.recordings()) {
				if (state === 'stored') await this.remove(sessionGuid);
			}
			control.clearLogs();
		},
	};
}
type Service = Awaited<ReturnType<typeof startService>>;

suite('trigger: recordings waiting', () => {
	let service: Service;
	let n8n: N8n;
	let userFolder: string;
	let credential: Credential;
	const active = new Set<string>();
	const options = (): N8nOptions => ({ packages: [packedPackage()], userFolder });

	before(async () => {
		userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-recordings-'));
		service = await startService();
		n8n = await startN8n(options());
		credential = await n8n.createCredential({
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: { baseUrl: service.emulator.url, apiKey: API_KEY },
		});
	});
	after(async () => {
		await n8n?.stop();
		await service?.emulator.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});
	afterEach(async () => {
		for (const id of active) await n8n.deactivate(id);
		active.clear();
		await service.clear();
	});

	async function importWorkflow(...parameters: Parameters<typeof workflow>): Promise<string> {
		return await n8n.importWorkflow(workflow(...parameters), { voiceAgentApi: credential });
	}
	async function activate(...parameters: Parameters<typeof workflow>): Promise<string> {
		const id = await importWorkflow(...parameters);
		active.add(id);
		await n8n.activate(id);
		return id;
	}
	/** All runs, which must be so many, also after some more checks. */
	async function runs(workflowId: string, count: number): Promise<Execution[]> {
		if (count > 0) await n8n.waitForExecutions({ workflowId, count });
		await service.nextChecks();
		const executions = await n8n.waitForExecutions({ workflowId, count });
		assert.equal(executions.length, count, 'runs that should not be');
		return executions;
	}
	const setKey = async (apiKey: string) =>
		await n8n.updateCredential(credential.id, {
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: { baseUrl: service.emulator.url, apiKey },
		});

	test('47: each waiting recording starts one run, the oldest first', async () => {
		service.control.setShapes({ listOrder: 'newestFirst' });
		const [young, old, middle] = [
			await service.add(HOUR),
			await service.add(6 * DAY),
			await service.add(3 * DAY),
		];
		const id = await activate();
		const executions = await runs(id, 3);
		assert.deepEqual(guidsOf(executions), [old, middle, young]);
		assert.ok(executions.every(({ status, mode }) => status === 'success' && mode === 'trigger'));

		const later = await service.add(0);
		assert.equal(guidsOf(await runs(id, 4))[3], later);
	});

	test('48: what comes out: ages by the clock of the service, alarm from day 5, the record', async () => {
		const six = await service.add(6 * DAY);
		const four = await service.add(4 * DAY);
		const id = await activate();
		const [alarming, calm] = (await runs(id, 2)).map(outputOf);
		assert.ok(alarming && calm);
		const { recording, callEndedAt, retentionEndsAt, hoursLeft, ...rest } = alarming;
		assert.deepEqual(rest, { sessionGuid: six, ageHours: 144, alarm: true, attempt: 1 });
		assert.equal((recording as { sessionGuid: string }).sessionGuid, six);
		assert.equal((recording as { endedAt: string }).endedAt, callEndedAt);
		assert.equal(Date.parse(String(retentionEndsAt)) - Date.parse(String(callEndedAt)), 7 * DAY);
		assert.ok(Math.abs(Number(hoursLeft) - 24) <= 0.1);
		assert.equal(calm.sessionGuid, four);
		assert.equal(calm.alarm, false);
	});

	test('48: the alarm from another day', async () => {
		await service.add(3 * DAY);
		const id = await activate({ alarmFromDay: 2 });
		assert.equal(outputOf((await runs(id, 1))[0] as Execution).alarm, true);
	});

	test('49: a service whose clock is a day behind: ages are the same', async () => {
		await service.control.advanceClock(-DAY);
		try {
			await service.add(2 * HOUR);
			const id = await activate({ minimumAge: 60 });
			assert.equal(outputOf((await runs(id, 1))[0] as Execution).ageHours, 2);
		} finally {
			await service.control.advanceClock(DAY);
		}
	});

	test('a failed run is repeated, but not before its time', async () => {
		const guid = await service.add(HOUR);
		const id = await activate({}, { nodes: [failing] });
		const [first] = await runs(id, 1);
		assert.equal(first?.status, 'error');
		await service.control.advanceClock(6 * HOUR - MINUTE);
		await runs(id, 1);
		await service.control.advanceClock(MINUTE);
		const executions = await runs(id, 2);
		assert.deepEqual(guidsOf(executions), [guid, guid]);
		assert.deepEqual(
			executions.map((execution) => outputOf(execution).attempt),
			[1, 2],
		);
	});

	test('Try Again After as set', async () => {
		await service.add(HOUR);
		const id = await activate({ tryAgainAfter: 0.5 });
		await runs(id, 1);
		await service.control.advanceClock(30 * MINUTE);
		await runs(id, 2);
	});

	test('Minimum Age leaves a call that has just ended to the webhook; 15 minutes unless set', async () => {
		const guid = await service.add(0);
		const id = await activate({ minimumAge: undefined });
		await runs(id, 0);
		await service.control.advanceClock(15 * MINUTE);
		assert.deepEqual(guidsOf(await runs(id, 1)), [guid]);
	});

	test('Minimum Age where the end of the call is not shown: handed out', async () => {
		service.control.setShapes({ recordDetail: 'guidOnly' });
		const guid = await service.add(0);
		const id = await activate({ minimumAge: 60 });
		const { recording, ...rest } = outputOf((await runs(id, 1))[0] as Execution);
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

	test('Most per Check: the others come with the next checks, still the oldest first', async () => {
		const guids: string[] = [];
		for (const days of [6, 5, 4, 3, 2]) guids.push(await service.add(days * DAY));
		const id = await activate({ mostPerCheck: 2 });
		const executions = await runs(id, 5);
		assert.deepEqual(guidsOf(executions), guids);
		const checksOf = executions.map(({ startedAt }) => Math.round(startedAt.getTime() / 1000));
		assert.ok(Number(checksOf[4]) - Number(checksOf[0]) >= 1, 'all of them in one check');
	});

	for (const shape of [
		{ list: 'paged', paging: 'cursor', pageSize: 2, recordFields: 'snake_case' },
		{ list: 'paged', paging: 'linkHeader', pageSize: 2, listOrder: 'newestFirst' },
		{ list: 'data', recordFields: 'PascalCase', sessionGuid: 'braces' },
	] as const) {
		test(`a list of another shape: ${Object.values(shape).join(', ')}`, async () => {
			service.control.setShapes(shape);
			const guids: string[] = [];
			for (const days of [6, 5, 4, 3, 2]) guids.push(await service.add(days * DAY));
			const id = await activate();
			await n8n.waitForExecutions({ workflowId: id, count: 5 });
			await sleep(2500);
			const executions = await n8n.waitForExecutions({ workflowId: id, count: 5 });
			assert.deepEqual(guidsOf(executions), guids);
		});
	}

	test('a list of which only a part can be read: it is handed out, a failed execution tells, and the rest follows', async () => {
		service.control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		const guids: string[] = [];
		for (const days of [6, 5, 4]) guids.push(await service.add(days * DAY));
		const id = await activate();
		const failed = (await runs(id, 3)).filter(({ status }) => status === 'error');
		assert.equal(failed.length, 1);
		assert.match(
			String(failed[0]?.error?.message),
			/list of recordings is incomplete: 2 were read/,
		);
		await service.remove(String(guids[0]));
		const done = (await runs(id, 4)).filter(({ status }) => status === 'success');
		assert.deepEqual(guidsOf(done), guids);
	});

	test('fields that the user names', async () => {
		const guid = await service.add(2 * DAY, { to: 'reference-0001' });
		const id = await activate({ sessionGuidField: 'to', callEndField: 'startedAt' });
		const output = outputOf((await runs(id, 1))[0] as Execution);
		const record = output.recording as { sessionGuid: string; startedAt: string };
		assert.equal(record.sessionGuid, guid);
		assert.equal(output.sessionGuid, 'reference-0001');
		assert.equal(output.callEndedAt, record.startedAt);
	});

	test('records without a session GUID: the others are handed out, and a failed execution tells', async () => {
		const guid = await service.add(DAY, { to: 'reference-0001' });
		await service.add(DAY, { to: '+15550100' });
		const id = await activate({ sessionGuidField: 'to' });
		const executions = await runs(id, 2);
		const failed = executions.find(({ status }) => status === 'error');
		assert.match(
			String(failed?.error?.message),
			/lists recordings in which no session GUID is found: 1 recording/,
		);
		assert.match(String(failed?.error?.description), /'Session GUID Field'/);
		const done = executions.filter(({ status }) => status === 'success');
		const { recording } = outputOf(done[0] as Execution);
		assert.equal((recording as { sessionGuid: string }).sessionGuid, guid);
	});

	for (const { name, fail, mend, message } of [
		{
			name: 'answers 401',
			fail: async () => await setKey('wrong-key'),
			mend: async () => await setKey(API_KEY),
			message: /does not accept the API key \(401\)/,
		},
		{
			name: 'answers 403',
			fail: async () => await setKey(API_KEY_WITHOUT_PERMISSION),
			mend: async () => await setKey(API_KEY),
			message: /lacks permission for this action \(403\)/,
		},
		{
			name: 'answers 500',
			fail: async () => {
				service.control.addFault({
					match: { endpoint: 'listRecordings' },
					times: 'always',
					fault: { kind: 'status', status: 500 },
				});
			},
			mend: async () => service.control.clearFaults(),
			message: /failed to process the request/,
		},
		{
			name: 'answers with a web page',
			fail: async () => {
				service.control.addFault({ times: 'always', fault: { kind: 'html' } });
			},
			mend: async () => service.control.clearFaults(),
			message: /web page instead of data/,
		},
	]) {
		test(`the service ${name}: one failed execution tells, and then it goes on`, async () => {
			await fail();
			const id = await activate();
			const [failed] = await n8n.waitForExecutions({ workflowId: id, count: 1 });
			assert.equal(failed?.status, 'error');
			assert.match(String(failed.error?.message), message);
			assert.ok(String(failed.error?.description).length > 20, 'what to do');
			assert.ok(!failed.raw.includes(API_KEY) && !failed.raw.includes('wrong-key'));
			const guid = await service.add(DAY);
			// The same failure is not told again and again.
			await service.nextChecks(2);
			assert.equal((await n8n.waitForExecutions({ workflowId: id, count: 1 })).length, 1);
			await mend();
			const executions = await runs(id, 2);
			assert.equal(outputOf(executions[1] as Execution).sessionGuid, guid);
		});
	}

	test('a check never overlaps itself, and one slow answer does not stop it', async () => {
		await service.add(DAY);
		service.control.addFault({ times: 3, fault: { kind: 'delay', ms: 2500 } });
		const id = await activate();
		await runs(id, 1);
		const checks = service.checks();
		for (const [index, { time, durationMs }] of checks.slice(0, -1).entries()) {
			const end = Date.parse(time) + Number(durationMs);
			assert.ok(Date.parse(String(checks[index + 1]?.time)) >= end - 50, 'two at a time');
		}
	});

	test('every minute by the interval, and once at the start', async () => {
		const guid = await service.add(DAY);
		const id = await activate(
			{},
			{ schedule: { checkInterval: 'minutes', minutesBetweenChecks: 1 } },
		);
		const [first] = await n8n.waitForExecutions({ workflowId: id, count: 1, timeoutMs: 10_000 });
		assert.equal(outputOf(first as Execution).sessionGuid, guid);
		const start = Date.parse(String(service.checks()[0]?.time));
		const later = await service.add(DAY);
		const executions = await n8n.waitForExecutions({ workflowId: id, count: 2 });
		assert.equal(outputOf(executions[1] as Execution).sessionGuid, later);
		const next = Date.parse(String(service.checks()[1]?.time));
		assert.ok(next - start >= 30_000 && next - start <= 95_000, `${next - start} ms`);
	});

	test('publishing again, with another name of the node, does not start anything again', async () => {
		await service.add(DAY);
		const id = await activate();
		await runs(id, 1);
		await n8n.deactivate(id);
		type Stored = { versionId: string; nodes: Workflow['nodes']; connections: object };
		const { versionId, nodes } = await n8n.rest<Stored>('GET', `/rest/workflows/${id}`);
		await n8n.rest('PATCH', `/rest/workflows/${id}`, {
			versionId,
			nodes: nodes.map((node) => ({ ...node, name: 'Another name' })),
			connections: {},
		});
		await n8n.activate(id);
		await runs(id, 1);
		await service.control.advanceClock(6 * HOUR);
		const executions = await runs(id, 2);
		assert.equal(executions[1]?.items('Another name')[0]?.json.attempt, 2);
	});

	suite('by hand', () => {
		const byHand = async (id: string) =>
			await n8n.run(id, { trigger: TRIGGER, destination: TRIGGER });

		test('what is waiting at the moment, also again', async () => {
			const [old, young] = [await service.add(2 * DAY), await service.add(DAY)];
			const id = await importWorkflow();
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

		test('none: says so', async () => {
			const execution = await byHand(await importWorkflow());
			assert.equal(execution.status, 'error');
			assert.equal(execution.error?.message, 'No recording is waiting');
			assert.match(String(execution.error?.description), /lists no recordings/);
		});

		test('only young ones: names the option', async () => {
			await service.add(0);
			const execution = await byHand(await importWorkflow({ minimumAge: 15 }));
			assert.match(String(execution.error?.description), /'Minimum Age \(Minutes\)' to 0/);
		});

		for (const [options, message] of [
			[{ mostPerCheck: 0 }, /: 'Most per Check' must be a whole number from 1$/],
			[{ tryAgainAfter: 0 }, /: 'Try Again After \(Hours\)' must be a number from 0\.01$/],
			[{ callEndField: '={{ null }}' }, /: 'Call End Field' must be text$/],
			[{ minimumAge: 'soon' }, /: 'Minimum Age \(Minutes\)' must be a number from 0$/],
		] as const) {
			test(`an option that cannot be: ${Object.keys(options).join()}`, async () => {
				const execution = await byHand(await importWorkflow(options));
				assert.match(String(execution.error?.message), message);
			});
		}

		test('a wrong key: the same text as everywhere', async () => {
			await setKey('wrong-key');
			const execution = await byHand(await importWorkflow()).finally(() => setKey(API_KEY));
			assert.match(String(execution.error?.message), /does not accept the API key \(401\)/);
		});
	});

	test('a cron expression that is none: the workflow cannot be published', async () => {
		const id = await importWorkflow(
			{},
			{ schedule: { ...EVERY_SECOND, cronExpression: 'now and then' } },
		);
		await assert.rejects(n8n.activate(id), /cron expression cannot be used/);
		await n8n.deactivate(id);
	});

	test('47: an n8n that was down catches up, the oldest first, and repeats nothing', async () => {
		const known = await service.add(DAY);
		const id = await activate();
		await runs(id, 1);
		await n8n.stop();
		// Two days: the call before it went down, and those meanwhile.
		await service.control.advanceClock(3 * HOUR);
		const missed = [await service.add(3 * HOUR), await service.add(2 * HOUR)];
		n8n = await startN8n(options());
		const executions = await runs(id, 3);
		assert.deepEqual(guidsOf(executions), [known, ...missed]);
		// The history is there too: the next attempt is the second one, in time.
		await service.control.advanceClock(3 * HOUR);
		const again = (await runs(id, 4)).at(-1) as Execution;
		assert.deepEqual([outputOf(again).sessionGuid, outputOf(again).attempt], [known, 2]);
	});

	test('45, 46: n8n is killed during a download: the run is made again and nothing is lost', async () => {
		const guid = await service.add(DAY, { content: Buffer.alloc(200_000, 'OggS') });
		service.control.addFault({
			match: { endpoint: 'downloadRecording' },
			fault: { kind: 'slow', bytesPerInterval: 1000, intervalMs: 500 },
		});
		const id = await activate({}, { nodes: [recordingNode('download'), recordingNode('delete')] });
		const deadline = Date.now() + 30_000;
		const isDownloading = () => service.control.requests().some(({ path }) => path.endsWith(guid));
		while (!isDownloading() && Date.now() < deadline) await sleep(50);
		assert.ok(isDownloading());
		await n8n.stop({ kill: true });
		n8n = await startN8n(options());
		await service.nextChecks();
		const stored = () =>
			service.control.recordings().find(({ sessionGuid }) => sessionGuid === guid)?.state;
		assert.equal(stored(), 'stored');
		await service.control.advanceClock(6 * HOUR);
		const executions = await n8n.waitForExecutions({ workflowId: id, count: 2 });
		const last = executions.at(-1);
		assert.equal(last?.status, 'success', last?.error?.message);
		assert.equal(stored(), 'deleted');
		assert.equal(executions.length, 2);
	});
});

suite(
	'50: two processes of n8n on one database',
	{ skip: await missingServer('PostgreSQL') },
	() => {
		let service: Service;
		let database: OwnData;
		const processes: N8n[] = [];

		before(async () => {
			service = await startService();
			database = await ownDatabase(`voiceagent_recordings_${process.pid}`);
		});
		after(async () => {
			for (const n8n of processes) await n8n.stop();
			await service?.emulator.close();
			await database?.remove();
		});

		test('each recording is handed out once, whichever process sees it first', async () => {
			const refused: string[] = [];
			const log = (line: string) => {
				if (line.includes('duplicate deduplication key')) refused.push(line);
			};
			const env = { ...database.env, N8N_ENCRYPTION_KEY: 'the same in both processes' };
			const first = await startN8n({ packages: [packedPackage()], env, log });
			processes.push(first);
			const credential = await first.createCredential({
				name: 'VoiceAgent',
				type: 'voiceAgentApi',
				data: { baseUrl: service.emulator.url, apiKey: API_KEY },
			});
			const id = await first.importWorkflow(
				workflow(
					{},
					{
						schedule: { checkInterval: 'minutes', minutesBetweenChecks: 1 },
						nodes: [recordingNode('download')],
					},
				),
				{ voiceAgentApi: credential },
			);
			await first.activate(id);
			processes.push(await startN8n({ packages: [packedPackage()], env, log }));

			const guids: Json[] = [];
			for (let days = 0; days < 20; days++) guids.push(await service.add(days * 8 * HOUR));
			// Each of them looks once a minute, at a second of its own.
			await service.nextChecks(3, 150_000);
			await sleep(2_000);
			const executions = await first.waitForExecutions({ workflowId: id, count: guids.length });
			assert.deepEqual(guidsOf(executions).toReversed(), guids);
			// Not only by what n8n has recorded, but by what the runs did.
			const downloads = service.control
				.requests()
				.flatMap(({ path }) => (path.startsWith(`${LIST}/`) ? [path.slice(LIST.length + 1)] : []));
			assert.deepEqual(downloads.toSorted(), guids.toSorted());
			assert.ok(refused.length > 0, 'the other process tried nothing');
		});
	},
);
