import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';

import { keepChecking } from '../../nodes/VoiceAgentRecordingTrigger/checks';
import type { Settings } from '../../nodes/VoiceAgentRecordingTrigger/settings';
import { VoiceAgentError } from '../../nodes/errors';
import type { RecordingsPage } from '../../nodes/service/recordings';
import { guid, HOUR, listed, NOW } from './listed';
import { nextTurn } from './node';
import { FIRST_STORY, STORIES } from './seed';

/**
 * The whole Recording Trigger on a simulated clock. A story is what happens to it: lists fail, lack
 * recordings, break off between two pages or come in another order. n8n is killed, and loses its
 * last changes of the static data, or a process goes on beside a new one. Clocks are set.
 * Executions begin late, end late, fail or cannot be started.
 *
 * A seed repeats its story: `npm run fuzz -- recordingTriggerClock --stories 1 --seed 1`.
 */
jest.mock('../../nodes/service/recordings', () => ({
	recordingPages: (context: object) => processes.get(context)?.pages(),
}));
jest.mock<object>('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (ms: number) => await clock.sleep(ms),
}));

const MINUTE = 60_000;
const RETENTION = 168 * HOUR;
const NOT_STARTED = 'not started';
/** How many stories are one test. */
const AT_ONCE = 100;
const settings: Settings = {
	intervalMs: 30 * MINUTE,
	minimumAgeMs: HOUR,
	tryAgainAfterMs: 6 * HOUR,
	mostPerCheck: 3,
	untilSuccess: false,
};

interface Recording {
	sessionGuid: string;
	endedMs: number;
	showsEnd: boolean;
	isThere: boolean;
	/** When n8n began its executions, as time really passes. */
	begun: number[];
	/** Whether the trigger has tried to start an execution for it, even in vain. */
	wasTried: boolean;
	losses: number;
}

/** The trigger in a process of n8n. */
class Process {
	isKilled = false;
	isClosed = false;
	tick = () => {};
	close: () => Promise<void> = async () => {};
	pages = (): AsyncGenerator<RecordingsPage> | undefined => undefined;
	/** What the list showed at its last check. */
	shown: Recording[] = [];
	/** When that was, by the service's clock. */
	shownMs = 0;
	/** What that check has handed out. */
	handedOut: Array<{ one: Recording; isGone: boolean }> = [];

	/** @param data its copy of the static data */
	constructor(readonly data: IDataObject) {}
}

/** The processes by the contexts that their triggers get from n8n. */
const processes = new WeakMap<object, Process>();

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomOf(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** What the trigger puts out. */
interface Item {
	sessionGuid: string;
	alarm: boolean;
	/** Known only of a recording that is gone: the list of these stories shows none. */
	keptUntil: string | null;
}

/** Time as it passes in the stories, thousands of times quicker than with jest's timers. */
const clock = {
	nowMs: 0,
	/** How far n8n's clock is off. */
	offMs: 0,
	sleepers: [] as Array<{ untilMs: number; wake: () => void }>,
	reset(): void {
		Object.assign(clock, { nowMs: NOW, offMs: 0, sleepers: [] });
	},
	async sleep(ms: number): Promise<void> {
		await new Promise<void>((wake) => clock.sleepers.push({ untilMs: clock.nowMs + ms, wake }));
	},
	async pass(ms: number): Promise<void> {
		const endMs = clock.nowMs + ms;
		for (;;) {
			await nextTurn();
			const [next] = clock.sleepers.sort((one, other) => one.untilMs - other.untilMs);
			if (!next || next.untilMs > endMs) break;
			clock.sleepers.shift();
			clock.nowMs = next.untilMs;
			next.wake();
		}
		clock.nowMs = endMs;
	},
};

/** Asserts a rule, more quickly than `expect`. */
function must(what: string, isTrue: boolean): void {
	if (!isTrue) throw new Error(`violated: ${what}`);
}

function createDeferredPromise() {
	let settle = {};
	const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
	return { promise, ...settle };
}

class Story {
	readonly #random: () => number;
	readonly #settings: Settings;
	/** Time that has really passed, whatever the clocks say. */
	realMs = NOW;
	#serviceBackMs = 0;
	#isCalm = false;
	readonly recordings: Recording[] = [];
	readonly #violations: Error[] = [];
	/** De-duplication keys, which n8n keeps in its database, as it does the static data. */
	readonly #keys = new Set<string>();
	#saved = '{}';
	/** When two processes last ran at once. */
	#besideMs = -Infinity;
	/** When a process last ended before n8n had saved its static data. */
	#forgotMs = -Infinity;
	/** How many executions began before the pause was over, after such an end. */
	early = 0;
	/** Those that run; the newest is the last. */
	#running: Process[] = [];

	constructor(seed: number) {
		this.#random = randomOf(seed);
		this.#settings = { ...settings, mostPerCheck: 3 + Math.floor(this.#random() * 3) };
		this.#start();
	}

	get serviceMs() {
		return this.realMs - this.#serviceBackMs;
	}

	/** How many recordings the running processes remember. */
	get remembered(): number {
		const histories = this.#running.map(
			({ data }) => data.voiceAgentRecordingTrigger as IDataObject,
		);
		return histories.flatMap(({ trigger }) => Object.keys(trigger as IDataObject)).length;
	}

	#happens(chance: number): boolean {
		return !this.#isCalm && this.#random() < chance;
	}

	async *#pages(process: Process): AsyncGenerator<RecordingsPage> {
		Object.assign(process, { shown: [], handedOut: [], shownMs: this.serviceMs });
		if (this.#happens(0.1)) throw new VoiceAgentError('serverError');
		const isPart = this.#happens(0.1);
		const shown = this.recordings.filter(
			({ isThere }) => isThere && !(isPart && this.#random() < 0.3),
		);
		if (this.#happens(0.3)) shown.reverse();
		const perPage = this.#happens(0.5) ? 2 : 100;
		for (let first = 0; first === 0 || first < shown.length; first += perPage) {
			if (first > 0 && this.#happens(0.03)) throw new VoiceAgentError('serverError');
			const recordings = shown
				.slice(first, first + perPage)
				.map((one) => listed(one.sessionGuid, one.showsEnd ? one.endedMs : null));
			const incomplete = isPart ? new VoiceAgentError('incompleteList') : undefined;
			const page = { recordings, listField: '', elsewhere: [], incomplete };
			yield { ...page, serviceTimeMs: process.shownMs };
		}
		process.shown = shown;
	}

	#start(): void {
		const process = new Process(JSON.parse(this.#saved) as IDataObject);
		const context = {
			getNode: () => ({ id: 'trigger', name: 'Trigger', type: 'voiceAgentRecordingTrigger' }),
			getWorkflow: () => ({ id: 'sweep' }),
			getWorkflowStaticData: () => process.data,
			logger: { warn: () => undefined },
			saveFailedExecution: () => undefined,
			emit: (...[items, , done, key]: Parameters<ITriggerFunctions['emit']>) => {
				const json = (items[0]?.[0]?.json ?? {}) as unknown as Item;
				void this.#execute(process, json, String(key)).then(
					(run) => done?.resolve(run as IRun),
					(error: Error) => {
						// What this test expects is no failure of n8n.
						if (error.message !== NOT_STARTED) this.#violations.push(error);
						done?.reject(error);
					},
				);
			},
			helpers: {
				registerCron: (_cron: unknown, onTick: () => void) => (process.tick = onTick),
				createDeferredPromise,
			},
		};
		process.pages = () => this.#pages(process);
		processes.set(context, process);
		this.#running.push(process);
		const { closeFunction } = keepChecking(context as unknown as ITriggerFunctions, this.#settings);
		process.close = async () => await closeFunction?.();
	}

	async #execute(process: Process, item: Item, key: string): Promise<IRun | undefined> {
		const never = async () => await new Promise<undefined>(() => {});
		if (process.isKilled) return await never();
		const one = this.recordings.find(
			({ sessionGuid }) => sessionGuid === item.sessionGuid,
		) as Recording;
		process.handedOut.push({ one, isGone: item.keptUntil !== null });
		one.wasTried = true;
		// If its end is unknown, its age counts from when it was first seen.
		const endedAgoMs = (one.showsEnd ? process.shownMs : this.realMs) - one.endedMs;
		const isOld = endedAgoMs >= 120 * HOUR;
		must('an alarm from its age on', one.showsEnd ? item.alarm === isOld : isOld || !item.alarm);
		// Such as a database that is locked.
		if (this.#happens(0.05)) throw new Error(NOT_STARTED);
		if (this.#keys.has(key)) return undefined;
		this.#keys.add(key);
		if (!this.#happens(0.2)) this.#saved = JSON.stringify(process.data);
		if (!one.isThere) {
			one.losses += 1;
			must('lost only once it is purged', this.serviceMs - one.endedMs >= RETENTION);
			return { status: 'success' } as IRun;
		}
		const last = one.begun.at(-1) ?? -Infinity;
		// Two processes at once can take a moment for different attempts, but not twice.
		const isBeside =
			this.#running.length > 1 || this.realMs - this.#besideMs < 2 * settings.tryAgainAfterMs;
		const isEarly = !isBeside && this.realMs - last < settings.tryAgainAfterMs;
		const hasForgotten = this.#forgotMs >= last;
		must('a pause between two executions', !isEarly || hasForgotten);
		if (isEarly) this.early += 1;
		must('the minimum age', this.realMs - one.endedMs >= settings.minimumAgeMs);
		one.begun.push(this.realMs);
		const fails = this.#isCalm || this.#random() < 0.6;
		// It may have to wait for others before it begins.
		await clock.sleep(this.#random() * (this.#happens(0.1) ? 9 : 3) * HOUR);
		if (process.isKilled) return await never();
		if (!fails) one.isThere = false;
		if (!process.isClosed) this.#saved = JSON.stringify(process.data);
		return { status: fails ? 'error' : 'success' } as IRun;
	}

	/** n8n may be busy, or down. */
	#pauseMs(): number {
		return settings.intervalMs * (this.#happens(0.5) ? 1 + Math.floor(this.#random() * 6) : 1);
	}

	/** @param ms how much later the next checks are */
	async step(ms = this.#pauseMs()): Promise<void> {
		if (this.#happens(0.15)) {
			const sessionGuid = guid(this.recordings.length);
			const showsEnd = this.#random() < 0.8;
			const call = { endedMs: this.serviceMs, showsEnd, isThere: true };
			this.recordings.push({ sessionGuid, ...call, begun: [], wasTried: false, losses: 0 });
		}
		for (const one of this.recordings) {
			if (this.serviceMs - one.endedMs >= RETENTION) one.isThere = false;
		}
		if (this.#happens(0.03)) await this.#restart();
		if (this.#happens(0.02)) this.#serviceBackMs += this.#random() * HOUR;
		if (this.#happens(0.02)) clock.offMs = (this.#random() - 0.5) * 6 * HOUR;
		this.realMs += ms;
		if (this.#running.length > 1) this.#besideMs = this.realMs;
		await clock.pass(ms);
		for (const process of this.#running) {
			process.tick();
			await clock.pass(10_000);
			this.#judge(process);
		}
		for (const violation of this.#violations) throw violation;
	}

	/**
	 * Another process starts. Those that run are killed or end, but sometimes one of them goes on
	 * beside it for a while.
	 */
	async #restart(): Promise<void> {
		const staying = this.#random() < 0.3 ? this.#running.slice(-1) : [];
		for (const process of this.#running) {
			if (staying.includes(process)) continue;
			if (JSON.stringify(process.data) !== this.#saved) this.#forgotMs = this.realMs;
			if (this.#random() < 0.5) process.isKilled = true;
			else process.isClosed = true;
			await process.close();
		}
		this.#running = staying;
		this.#start();
		await clock.pass(10_000);
	}

	/** What the last check of a process has handed out. */
	#judge({ shown, shownMs, handedOut }: Process): void {
		const { mostPerCheck, minimumAgeMs } = this.#settings;
		must('Max per Check', handedOut.length <= mostPerCheck);
		const ranks = handedOut.map(({ one, isGone }) => {
			if (isGone) return Infinity;
			return one.showsEnd ? one.endedMs : Number.MAX_VALUE;
		});
		must(
			'the oldest first',
			ranks.every((one, index) => index === 0 || one >= Number(ranks[index - 1])),
		);
		const newest = handedOut.length < mostPerCheck ? Infinity : (ranks.at(-1) ?? Infinity);
		const forgotten = shown.filter(
			(one) =>
				one.showsEnd &&
				!one.wasTried &&
				shownMs - one.endedMs >= minimumAgeMs &&
				one.endedMs < newest,
		);
		must('the oldest are chosen', forgotten.length === 0);
	}

	/** From now on, nothing goes wrong but each execution fails. */
	calmDown(): void {
		this.#isCalm = true;
	}
}

const realNow = Date.now;
beforeAll(() => void (Date.now = () => clock.nowMs + clock.offMs));
afterAll(() => void (Date.now = realNow));

/** Executions in all stories that began before the pause was over. */
let early = 0;

async function tell(seed: number): Promise<void> {
	clock.reset();
	const story = new Story(seed);
	for (let steps = 0; steps < 150; steps++) await story.step();
	story.calmDown();
	const calmMs = story.realMs;
	const waiting = () => story.recordings.filter(({ isThere }) => isThere);
	// Time for all, Max per Check at a time, after the longest pause.
	for (let steps = 26 + waiting().length; steps > 0; steps--) await story.step();
	for (const { begun } of waiting()) must('its turn', (begun.at(-1) ?? 0) >= calmMs);
	// Time for the service to purge them all, and for the trigger to report and forget them.
	const lost = waiting();
	const endMs = story.realMs + RETENTION + 10 * settings.tryAgainAfterMs;
	while (story.realMs < endMs) await story.step(settings.tryAgainAfterMs);
	for (const { losses } of story.recordings) must('lost at most once', losses <= 1);
	for (const { showsEnd, losses } of lost) must('lost once', losses === Number(showsEnd));
	must('nothing is remembered of what is gone', story.remembered === 0);
	early += story.early;
}

for (let first = FIRST_STORY; first < FIRST_STORY + STORIES; first += AT_ONCE) {
	const last = Math.min(first + AT_ONCE, FIRST_STORY + STORIES) - 1;
	test(`whatever happens, each recording has its turns, from seed ${first} on (${last - first + 1} cases)`, async () => {
		for (let seed = first; seed <= last; seed++) {
			await tell(seed).catch((error: Error) => {
				const message = `--stories 1 --seed ${seed}: ${error.message}`;
				throw Object.assign(error, { message });
			});
		}
	});
}

// n8n refuses the key of an attempt that a lost history has forgotten. That cannot hold if an
// earlier history was lost too, or if the service's clock was set back: the attempt then had
// another name.
test('after n8n has lost the history, hardly any execution begins before the pause is over', () => {
	expect(early).toBeLessThanOrEqual(Math.ceil(STORIES / 1_000));
});
