import fc from 'fast-check';
import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { keepChecking } from '../../nodes/VoiceAgentRecordingTrigger/checks';
import type { Settings } from '../../nodes/VoiceAgentRecordingTrigger/settings';
import { property } from './property';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22);
const PAUSE = 60 * MINUTE;
const INTERVAL = 10 * MINUTE;
const TICK = 5 * MINUTE;
const MINIMUM_AGE = 15 * MINUTE;

const settings: Settings = {
	schedule: { intervalMs: INTERVAL },
	rules: {
		minimumAgeMs: MINIMUM_AGE,
		minimumAgeWithoutEndMs: MINIMUM_AGE,
		tryAgainAfterMs: PAUSE,
		mostPerCheck: 3,
		alarmAfterMs: 5 * 24 * 60 * MINUTE,
	},
	sessionGuidField: '',
	callEndField: '',
};

type Command =
	| { kind: 'call ends'; minutesAgo: number; isEndShown: boolean }
	| { kind: 'recording is deleted'; which: number }
	| { kind: 'time passes'; minutes: number }
	| { kind: "service's clock jumps"; minutes: number }
	| { kind: 'list'; answer: 'fails' | 'is garbage' | 'lacks one' | 'is right' }
	| { kind: 'executions'; start: 'always' | 'never' | 'but n8n reports a failure' }
	| { kind: 'restart' }
	| { kind: 'history is lost' }
	| { kind: 'second process' };

const commands: fc.Arbitrary<Command> = fc.oneof(
	fc.record({
		kind: fc.constant('call ends' as const),
		minutesAgo: fc.integer({ min: -5, max: 200 }),
		isEndShown: fc.boolean(),
	}),
	fc.record({ kind: fc.constant('recording is deleted' as const), which: fc.nat() }),
	{
		arbitrary: fc.record({
			kind: fc.constant('time passes' as const),
			minutes: fc.integer({ min: 1, max: 80 }),
		}),
		weight: 3,
	},
	fc.record({
		kind: fc.constant("service's clock jumps" as const),
		minutes: fc.integer({ min: -300, max: 300 }),
	}),
	fc.record({
		kind: fc.constant('list' as const),
		answer: fc.constantFrom('fails', 'is garbage', 'lacks one', 'is right'),
	}),
	fc.record({
		kind: fc.constant('executions' as const),
		start: fc.constantFrom('always', 'never', 'but n8n reports a failure'),
	}),
	...(['restart', 'history is lost', 'second process'] as const).map((kind) =>
		fc.record({ kind: fc.constant(kind) }),
	),
);

interface Recording {
	sessionGuid: string;
	endMs: number;
	isEndShown: boolean;
}

/** A process of n8n. */
interface Process {
	/** Its copy of the static data. */
	data: IDataObject;
	tick: () => void;
	close?: () => Promise<void>;
	/** `forwardMs` when it last read the list. */
	readMs: number;
}

/** The service and n8n, as far as the trigger sees them. */
class World {
	recordings: Recording[] = [];
	created = 0;
	/** How far the service's clock is ahead of n8n's. */
	aheadMs = 0;
	/** How far the service's clock has gone forward altogether, and backward not counted. */
	forwardMs = 0;
	list: Extract<Command, { kind: 'list' }>['answer'] = 'is right';
	start: Extract<Command, { kind: 'executions' }>['start'] = 'always';
	/** The keys of executions in n8n's database. */
	keys = new Set<string>();
	/** What n8n has saved of the static data. */
	saved: IDataObject = {};
	processes: Process[] = [];
	executions: Array<{ sessionGuid: string; attempt: number; forwardMs: number }> = [];
	problems: string[] = [];

	get serviceMs() {
		return Date.now() + this.aheadMs;
	}

	begin(data: IDataObject): void {
		const process: Process = { data, tick: () => {}, readMs: 0 };
		const { closeFunction } = keepChecking(this.context(process), settings);
		process.close = closeFunction;
		this.processes.push(process);
	}

	async restart(): Promise<void> {
		for (const { close } of this.processes.splice(0)) await close?.();
		await jest.advanceTimersByTimeAsync(MINUTE);
		this.forwardMs += MINUTE;
		this.begin(structuredClone(this.saved));
	}

	/** n8n's schedule ticks each minute, but checks are due every ten. */
	async pass(minutes: number): Promise<void> {
		for (let minute = 0; minute < minutes; minute += TICK / MINUTE) {
			await jest.advanceTimersByTimeAsync(TICK);
			this.forwardMs += TICK;
			for (const { tick } of this.processes) tick();
		}
		await jest.advanceTimersByTimeAsync(MINUTE);
		this.forwardMs += MINUTE;
	}

	private context(process: Process): ITriggerFunctions {
		const node = {
			id: 'node',
			name: 'Recording Trigger',
			type: 't',
			typeVersion: 1,
			position: [0, 0],
			parameters: {},
		};
		return {
			getNode: () => node,
			getWorkflow: () => ({ id: 'workflow', active: true }),
			getCredentials: async () => ({ baseUrl: 'https://service.example', apiKey: 'key' }),
			getWorkflowStaticData: () => process.data,
			logger: { warn: () => {}, info: () => {} },
			saveFailedExecution: (error: unknown) => {
				if (
					!(error instanceof NodeOperationError) ||
					/undefined|not a function/.test(error.message)
				) {
					this.problems.push(`reported: ${String(error)}`);
				}
			},
			helpers: {
				createDeferredPromise,
				registerCron: (_: unknown, onTick: () => void) => (process.tick = onTick),
				httpRequestWithAuthentication: async () => await this.answer(process),
			},
			emit: (items: unknown, _: unknown, done: Deferred, key: string) =>
				this.execute(items, done, key, process),
		} as unknown as ITriggerFunctions;
	}

	private async answer(process: Process) {
		process.readMs = this.forwardMs;
		if (this.list === 'fails') throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
		const listed = this.list === 'lacks one' ? this.recordings.slice(1) : this.recordings;
		const text =
			this.list === 'is garbage'
				? '"maintenance"'
				: JSON.stringify({
						recordings: listed.map(({ sessionGuid, endMs, isEndShown }) => ({
							sessionGuid,
							...(isEndShown && { callEndedAt: new Date(endMs).toISOString() }),
						})),
					});
		const body = Object.assign([Buffer.from(text)], { destroy() {} });
		const date = new Date(this.serviceMs).toUTCString();
		return { statusCode: 200, headers: { date, 'content-type': 'application/json' }, body };
	}

	private execute(items: unknown, done: Deferred, key: string, { data, readMs }: Process): void {
		if (this.start === 'never') return done.reject(new Error('the database is gone'));
		if (this.keys.has(key)) return done.resolve(undefined);
		this.keys.add(key);
		// n8n saves the static data with the execution.
		this.saved = structuredClone(data);
		const [[{ json }]] = items as [
			[{ json: { sessionGuid: string; attempt: number; callEndedAt: string | null } }],
		];
		const recording = this.recordings.find(({ sessionGuid }) => sessionGuid === json.sessionGuid);
		if (!recording) this.problems.push(`${json.sessionGuid} is not at the service`);
		else if (recording.isEndShown && this.serviceMs - recording.endMs < MINIMUM_AGE - 1000) {
			this.problems.push(`${json.sessionGuid} is younger than the minimum age`);
		}
		this.executions.push({ ...json, forwardMs: readMs });
		if (this.start === 'but n8n reports a failure')
			done.reject(new Error('no answer from the worker'));
		else done.resolve({} as IRun);
	}
}

interface Deferred {
	resolve(run: IRun | undefined): void;
	reject(error: Error): void;
}

function createDeferredPromise(): Deferred & { promise: Promise<IRun | undefined> } {
	let deferred: Deferred | undefined;
	const promise = new Promise<IRun | undefined>((resolve, reject) => {
		deferred = { resolve, reject };
	});
	return { ...(deferred as unknown as Deferred), promise };
}

async function play(world: World, command: Command): Promise<void> {
	switch (command.kind) {
		case 'call ends': {
			world.created += 1;
			const sessionGuid = `00000000-0000-4000-8000-${String(world.created).padStart(12, '0')}`;
			const endMs = world.serviceMs - command.minutesAgo * MINUTE;
			world.recordings.push({ sessionGuid, endMs, isEndShown: command.isEndShown });
			return;
		}
		case 'recording is deleted':
			world.recordings.splice(command.which % Math.max(1, world.recordings.length), 1);
			return;
		case 'time passes':
			return await world.pass(command.minutes);
		case "service's clock jumps":
			world.aheadMs += command.minutes * MINUTE;
			world.forwardMs += Math.max(0, command.minutes * MINUTE);
			return;
		case 'list':
			world.list = command.answer;
			return;
		case 'executions':
			world.start = command.start;
			return;
		case 'restart':
			return await world.restart();
		case 'history is lost':
			for (const { data } of world.processes)
				for (const name of Object.keys(data)) delete data[name];
			world.saved = {};
			return;
		case 'second process':
			if (world.processes.length < 2) world.begin(structuredClone(world.saved));
	}
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }));
afterEach(() => jest.useRealTimers());

property(
	'whatever happens, each recording is handed out until it is gone, and never twice within the pause',
	200,
	[fc.array(commands, { maxLength: 24 })],
	async (story) => {
		jest.setSystemTime(START);
		const world = new World();
		world.begin({});
		for (const command of story) await play(world, command);

		// From now on, everything is well again: all of them are handed out within two pauses.
		Object.assign(world, { list: 'is right', start: 'always' });
		const before = world.executions.length;
		await world.pass((2 * PAUSE + MINIMUM_AGE) / MINUTE + 2 * world.recordings.length * 10);
		const handedOut = new Set(world.executions.slice(before).map(({ sessionGuid }) => sessionGuid));
		const forgotten = world.recordings.filter(({ sessionGuid }) => !handedOut.has(sessionGuid));
		for (const { close } of world.processes) await close?.();
		jest.clearAllTimers();

		expect(world.problems).toEqual([]);
		expect(forgotten).toEqual([]);
		const pauses = world.executions.flatMap(({ sessionGuid, forwardMs }, index) => {
			const last = world.executions
				.slice(0, index)
				.filter((one) => one.sessionGuid === sessionGuid)
				.at(-1);
			return last ? [forwardMs - last.forwardMs] : [];
		});
		// Two processes that check at different times may disagree about the pause in which the last attempt was made.
		if (story.some(({ kind }) => kind === 'second process')) return;
		// The service's clock has seconds.
		expect(Math.min(PAUSE, ...pauses)).toBeGreaterThanOrEqual(PAUSE - MINUTE);
	},
	{ isLong: true },
);
