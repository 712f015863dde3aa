import type { IDataObject, IRun, ITriggerFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { keepChecking } from '../../nodes/VoiceAgentRecordingTrigger/checks';
import type { Settings } from '../../nodes/VoiceAgentRecordingTrigger/settings';
import { VoiceAgentError } from '../../nodes/errors';
import { recordingPages } from '../../nodes/service/recordings';
import { guid, HOUR, listed, NOW } from './listed';
import { CLOCKS, SEED } from './seed';

/**
 * The whole Recording Trigger on a simulated clock: lists that fail, lack recordings or come in another order; kills of
 * n8n, whose last changes of the static data are lost; clocks that are set; executions that begin late, end late, fail
 * or cannot be started. Each story is repeated by its seed: PROPERTIES_SEED=1 PROPERTIES_CLOCKS=1.
 */
jest.mock('../../nodes/service/recordings');

const MINUTE = 60_000;
const RETENTION = 168 * HOUR;
const NOT_STARTED = 'not started';
const settings: Settings = {
	intervalMs: 30 * MINUTE,
	minimumAgeMs: HOUR,
	tryAgainAfterMs: 6 * HOUR,
	mostPerCheck: 3,
	alarmAfterMs: 120 * HOUR,
	untilSuccess: false,
};

interface Recording {
	sessionGuid: string;
	endedMs: number;
	showsEnd: boolean;
	isThere: boolean;
	/** When its executions began, as time really passes. */
	begun: number[];
	losses: number;
}

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

function createDeferredPromise() {
	let settle = {};
	const promise = new Promise((resolve, reject) => (settle = { resolve, reject }));
	return { promise, ...settle };
}

class Story {
	readonly #random: () => number;
	/** Time that has really passed, whatever the clocks say. */
	realMs = NOW;
	#serviceBackMs = 0;
	#isCalm = false;
	readonly recordings: Recording[] = [];
	readonly violations: Error[] = [];
	/** De-duplication keys, which n8n keeps in its database. */
	readonly #keys = new Set<string>();
	/** The static data in the database, and in the running process. */
	#saved = '{}';
	#data: IDataObject = {};
	#process = 0;
	#tick = () => {};
	#close: () => Promise<void> = async () => {};
	#startedInCheck = 0;

	constructor(seed: number) {
		this.#random = randomOf(seed);
		jest.mocked(recordingPages).mockImplementation(() => this.#pages());
	}

	get serviceMs() {
		return this.realMs - this.#serviceBackMs;
	}

	#happens(chance: number): boolean {
		return !this.#isCalm && this.#random() < chance;
	}

	async *#pages(): ReturnType<typeof recordingPages> {
		this.#startedInCheck = 0;
		if (this.#happens(0.1)) throw new VoiceAgentError('serverError');
		const isPart = this.#happens(0.1);
		const recordings = this.recordings
			.filter((one) => one.isThere && !(isPart && this.#random() < 0.3))
			.map((one) => listed(one.sessionGuid, one.showsEnd ? one.endedMs : null));
		if (this.#happens(0.3)) recordings.reverse();
		const incomplete = isPart ? new VoiceAgentError('incompleteList') : undefined;
		const page = { recordings, listField: '', elsewhere: [], incomplete };
		yield { ...page, serviceTimeMs: this.serviceMs };
	}

	start(): void {
		const mine = ++this.#process;
		this.#data = JSON.parse(this.#saved) as IDataObject;
		const data = this.#data;
		const context = {
			getNode: () => ({ id: 'trigger', name: 'Trigger' }),
			getWorkflow: () => ({ id: 'sweep' }),
			getWorkflowStaticData: () => data,
			logger: { warn: () => undefined },
			saveFailedExecution: () => undefined,
			emit: (...[items, , done, key]: Parameters<ITriggerFunctions['emit']>) => {
				const { sessionGuid } = (items[0]?.[0]?.json ?? {}) as { sessionGuid: string };
				void this.#execute(mine, sessionGuid, String(key)).then(
					(run) => done?.resolve(run as IRun),
					(error: Error) => {
						// What this test expects is no failure of n8n.
						if (error.message !== NOT_STARTED) this.violations.push(error);
						done?.reject(error);
					},
				);
			},
			helpers: {
				registerCron: (_cron: unknown, onTick: () => void) => {
					if (mine === this.#process) this.#tick = onTick;
				},
				createDeferredPromise,
			},
		};
		const { closeFunction } = keepChecking(context as unknown as ITriggerFunctions, settings);
		this.#close = async () => await closeFunction?.();
	}

	async #execute(mine: number, sessionGuid: string, key: string): Promise<IRun | undefined> {
		if (mine !== this.#process) return await new Promise(() => {});
		// Such as a database that is locked.
		if (this.#happens(0.05)) throw new Error(NOT_STARTED);
		if (this.#keys.has(key)) return undefined;
		this.#keys.add(key);
		this.#startedInCheck += 1;
		expect(this.#startedInCheck).toBeLessThanOrEqual(settings.mostPerCheck);
		if (!this.#happens(0.2)) this.#saved = JSON.stringify(this.#data);
		const one = this.recordings.find((other) => other.sessionGuid === sessionGuid) as Recording;
		if (!one.isThere) {
			one.losses += 1;
			expect(this.serviceMs - one.endedMs).toBeGreaterThanOrEqual(RETENTION);
			return { status: 'success' } as IRun;
		}
		const last = one.begun.at(-1);
		if (last !== undefined) {
			expect(this.realMs - last).toBeGreaterThanOrEqual(settings.tryAgainAfterMs);
		}
		expect(this.realMs - one.endedMs).toBeGreaterThanOrEqual(settings.minimumAgeMs);
		one.begun.push(this.realMs);
		const fails = this.#isCalm || this.#random() < 0.6;
		await sleep(this.#random() * 3 * HOUR);
		if (mine !== this.#process) return await new Promise(() => {});
		if (!fails) one.isThere = false;
		this.#saved = JSON.stringify(this.#data);
		return { status: fails ? 'error' : 'success' } as IRun;
	}

	async step(): Promise<void> {
		if (this.#happens(0.15)) {
			const sessionGuid = guid(this.recordings.length);
			const showsEnd = this.#random() < 0.8;
			const call = { endedMs: this.serviceMs, showsEnd, isThere: true, begun: [], losses: 0 };
			this.recordings.push({ sessionGuid, ...call });
		}
		for (const one of this.recordings) {
			if (this.serviceMs - one.endedMs >= RETENTION) one.isThere = false;
		}
		if (this.#happens(0.03)) {
			if (this.#random() < 0.5) await this.#close();
			this.start();
			await jest.advanceTimersByTimeAsync(10_000);
		}
		if (this.#happens(0.02)) this.#serviceBackMs += this.#random() * HOUR;
		if (this.#happens(0.02)) jest.setSystemTime(Date.now() + (this.#random() - 0.5) * 6 * HOUR);
		this.realMs += settings.intervalMs;
		await jest.advanceTimersByTimeAsync(settings.intervalMs);
		this.#tick();
		await jest.advanceTimersByTimeAsync(10_000);
		for (const violation of this.violations) throw violation;
	}

	/** From now on, nothing goes wrong but each execution fails. */
	calmDown(): void {
		this.#isCalm = true;
	}
}

beforeAll(() => jest.useFakeTimers());
afterAll(() => jest.useRealTimers());

test(`whatever happens, each recording has its turns, and none too early (${CLOCKS} cases)`, async () => {
	for (let seed = SEED; seed < SEED + CLOCKS; seed++) {
		jest.setSystemTime(NOW);
		const story = new Story(seed);
		story.start();
		try {
			for (let steps = 0; steps < 200; steps++) await story.step();
			story.calmDown();
			const before = story.realMs;
			const count = story.recordings.filter(({ isThere }) => isThere).length;
			// Time for all, Max per Check at a time, after the longest pause.
			for (let steps = 0; steps < 26 + count; steps++) await story.step();
			for (const { isThere, begun, losses } of story.recordings) {
				if (isThere) expect(begun.at(-1) ?? 0).toBeGreaterThanOrEqual(before);
				expect(losses).toBeLessThanOrEqual(1);
			}
		} catch (error) {
			const message = `PROPERTIES_SEED=${seed} PROPERTIES_CLOCKS=1: ${(error as Error).message}`;
			throw Object.assign(error as Error, { message });
		}
		jest.clearAllTimers();
	}
});
