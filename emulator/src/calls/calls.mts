import { randomUUID } from 'node:crypto';
import { isoTime } from '../clock.mts';
import { messageOf, ServiceError } from '../errors.mts';
import { CallLife, type CallOptions, type CallParts, type CallRules } from './life.mts';
import { type OutcomeRule, outcomeOf } from './outcomes.mts';
import type { Call, MakeCallRequest } from './schemas.mts';

interface RunningCall {
	hangUp: AbortController;
	life: Promise<void>;
}

export class Calls {
	readonly #parts: CallParts;
	readonly #rules: CallRules;
	readonly #running = new Map<string, RunningCall>();
	readonly #calls: Map<string, Call>;
	readonly #stopping = new AbortController();
	readonly #life: CallLife;
	#outcomes: readonly OutcomeRule[] = [];

	constructor(parts: CallParts, options: CallOptions) {
		this.#parts = parts;
		this.#rules = { ...options, defaultInstructions: null };
		this.#life = new CallLife(parts, this.#rules, this.#stopping.signal);
		this.#calls = new Map(parts.store.calls().map((call) => [call.sessionGuid, call]));
		for (const call of this.#calls.values()) {
			// These were running when the emulator was killed.
			const isOver = call.state === 'completed' || call.state === 'aborted';
			if (!isOver) this.#life.update(call, { state: 'aborted' });
		}
	}

	/** Starts a call and returns without waiting for its end. */
	place(request: MakeCallRequest): Call {
		const { clock, log, shapes, store } = this.#parts;
		const call: Call = {
			sessionGuid: shapes.profile.spelled(randomUUID()),
			to: request.to,
			from: request.from ?? null,
			metadata: request.metadata ?? null,
			state: 'queued',
			startedAt: isoTime(clock.now()),
			answeredAt: null,
			endedAt: null,
			plannedOutcome: request.outcome ?? outcomeOf(request.to, this.#outcomes),
			outcome: null,
			plannedSeconds: request.durationSeconds ?? this.#rules.defaultDurationSeconds,
			durationSeconds: null,
			instructions: null,
			recorded: false,
		};
		this.#calls.set(call.sessionGuid, call);
		store.saveCall(call);
		log.write('info', `call to ${call.to} placed`, call.sessionGuid);
		const placed = { ...call };
		this.#start(call);
		return placed;
	}

	/**
	 * Hangs up. A call that was not answered yet ends with 0 seconds and without a recording.
	 * Resolves when its life is over (CallEnd delivered or given up).
	 *
	 * @throws ServiceError 404 for an unknown call, 409 for one that has ended
	 */
	async end(sessionGuid: string): Promise<Call> {
		const call = this.#find(sessionGuid);
		const run = this.#running.get(sessionGuid);
		if (!run || call.endedAt !== null) {
			throw new ServiceError(409, 'call_has_ended', 'The call has ended already');
		}
		run.hangUp.abort();
		await run.life;
		return { ...call };
	}

	/**
	 * Resolves when the call's life is over.
	 *
	 * @throws ServiceError 404 for an unknown call
	 */
	async completed(sessionGuid: string): Promise<Call> {
		const call = this.#find(sessionGuid);
		await this.#running.get(sessionGuid)?.life;
		return { ...call };
	}

	/** @throws ServiceError 404 for an unknown call */
	get(sessionGuid: string): Call {
		return { ...this.#find(sessionGuid) };
	}

	/** Every call, oldest first. */
	all(): Call[] {
		return [...this.#calls.values()].map((call) => ({ ...call }));
	}

	/** Instructions for calls while no CallStart target is set; an emulator convenience. */
	setDefaultInstructions(block: Record<string, unknown> | null): void {
		this.#rules.defaultInstructions = block;
	}

	/** How calls go that are placed from now on. */
	setOutcomes(rules: readonly OutcomeRule[]): void {
		this.#outcomes = rules;
	}

	outcomes(): OutcomeRule[] {
		return this.#outcomes.map((rule) => ({ ...rule }));
	}

	/** Milliseconds from CallEnd to the stored recording, for calls that end from now on. */
	setRecordingDelay(ms: number): void {
		this.#rules.recordingDelayMs = ms;
	}

	recordingDelay(): number {
		return this.#rules.recordingDelayMs;
	}

	/** Hangs up all calls, waits for their ends and forgets them. */
	async reset(): Promise<void> {
		// Some may be placed meanwhile.
		while (this.#running.size > 0) {
			for (const { hangUp } of this.#running.values()) hangUp.abort();
			await this.#ends();
		}
		this.#calls.clear();
	}

	/** Aborts the calls that are running. */
	async close(): Promise<void> {
		this.#stopping.abort();
		await this.#ends();
	}

	#start(call: Call): void {
		const hangUp = new AbortController();
		const life = this.#life
			.live(call, hangUp.signal)
			.catch((error: unknown) => {
				const message = `the call broke off: ${messageOf(error)}`;
				this.#parts.log.write('error', message, call.sessionGuid);
			})
			.finally(() => {
				if (call.state !== 'completed') this.#life.update(call, { state: 'aborted' });
				this.#running.delete(call.sessionGuid);
			});
		this.#running.set(call.sessionGuid, { hangUp, life });
	}

	#find(sessionGuid: string): Call {
		const call = this.#calls.get(sessionGuid);
		if (!call) throw new ServiceError(404, 'call_not_found', 'No call has this sessionGuid');
		return call;
	}

	async #ends(): Promise<void> {
		await Promise.all([...this.#running.values()].map(({ life }) => life));
	}
}
