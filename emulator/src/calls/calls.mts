import { randomUUID } from 'node:crypto';
import { isoTime } from '../clock.mts';
import { messageOf, ServiceError } from '../errors.mts';
import { newSessionGuid } from '../shapes/spelling.mts';
import { type CallOptions, type CallParts, type CallRules, createCallLife } from './life.mts';
import type { Call, MakeCallRequest } from './schemas.mts';

export interface Calls {
	/** Starts a call and returns without waiting for its end. */
	place(request: MakeCallRequest): Call;
	/**
	 * Hangs up. A call that was not answered yet ends with 0 seconds and without a recording.
	 * Resolves when its life is over (CallEnd delivered or given up).
	 *
	 * @throws ServiceError 404 for an unknown call, 409 for one that has ended
	 */
	end(sessionGuid: string): Promise<Call>;
	/**
	 * Resolves when the call's life is over.
	 *
	 * @throws ServiceError 404 for an unknown call
	 */
	completed(sessionGuid: string): Promise<Call>;
	/** @throws ServiceError 404 for an unknown call */
	get(sessionGuid: string): Call;
	/** Every call, oldest first. */
	all(): Call[];
	/** Instructions for calls while no CallStart target is set; an emulator convenience. */
	setDefaultInstructions(block: Record<string, unknown> | null): void;
	/** Milliseconds from CallEnd to the stored recording, for calls that end from now on. */
	setRecordingDelay(ms: number): void;
	recordingDelay(): number;
	/** Hangs up all calls, waits for their ends and forgets them. */
	reset(): Promise<void>;
	/** Aborts the calls that are running. */
	close(): Promise<void>;
}

interface RunningCall {
	hangUp: AbortController;
	life: Promise<void>;
}

export function createCalls(parts: CallParts, options: CallOptions): Calls {
	const { store, clock, log, shapes } = parts;
	const running = new Map<string, RunningCall>();
	const calls = new Map(store.calls().map((call) => [call.sessionGuid, call]));
	const stopping = new AbortController();
	const rules: CallRules = { ...options, defaultInstructions: null };
	const { update, live } = createCallLife(parts, rules, stopping.signal);

	for (const call of calls.values()) {
		// These were running when the emulator was killed.
		if (call.state !== 'completed' && call.state !== 'aborted') update(call, { state: 'aborted' });
	}

	function start(call: Call): void {
		const hangUp = new AbortController();
		const life = live(call, hangUp.signal)
			.catch((error: unknown) => {
				log.write('error', `the call broke off: ${messageOf(error)}`, call.sessionGuid);
			})
			.finally(() => {
				if (call.state !== 'completed') update(call, { state: 'aborted' });
				running.delete(call.sessionGuid);
			});
		running.set(call.sessionGuid, { hangUp, life });
	}

	function get(guid: string): Call {
		const call = calls.get(guid);
		if (!call) {
			throw new ServiceError(404, 'call_not_found', 'No call has this sessionGuid');
		}
		return call;
	}

	return {
		place(request) {
			const call: Call = {
				sessionGuid: newSessionGuid(randomUUID(), shapes.current().sessionGuid),
				to: request.to,
				from: request.from ?? null,
				metadata: request.metadata ?? null,
				state: 'queued',
				startedAt: isoTime(clock.now()),
				answeredAt: null,
				endedAt: null,
				plannedSeconds: request.durationSeconds ?? rules.defaultDurationSeconds,
				durationSeconds: null,
				instructions: null,
				recorded: false,
			};
			calls.set(call.sessionGuid, call);
			store.saveCall(call);
			log.write('info', `call to ${call.to} placed`, call.sessionGuid);
			const placed = { ...call };
			start(call);
			return placed;
		},
		async end(guid) {
			const call = get(guid);
			const run = running.get(guid);
			if (!run || call.endedAt !== null) {
				throw new ServiceError(409, 'call_has_ended', 'The call has ended already');
			}
			run.hangUp.abort();
			await run.life;
			return { ...call };
		},
		async completed(guid) {
			const call = get(guid);
			await running.get(guid)?.life;
			return { ...call };
		},
		get: (guid) => ({ ...get(guid) }),
		all: () => [...calls.values()].map((call) => ({ ...call })),
		setDefaultInstructions(block) {
			rules.defaultInstructions = block;
		},
		setRecordingDelay(ms) {
			rules.recordingDelayMs = ms;
		},
		recordingDelay: () => rules.recordingDelayMs,
		async reset() {
			// Some may be placed meanwhile.
			while (running.size > 0) {
				for (const { hangUp } of running.values()) hangUp.abort();
				await Promise.all([...running.values()].map(({ life }) => life));
			}
			calls.clear();
		},
		async close() {
			stopping.abort();
			await Promise.all([...running.values()].map(({ life }) => life));
		},
	};
}
