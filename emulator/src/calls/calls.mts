import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { synthesize } from '../audio/audio.mts';
import { type Clock, isoTime } from '../clock.mts';
import { messageOf, ServiceError } from '../errors.mts';
import type { Log } from '../logs/log.mts';
import type { Recordings } from '../recordings/recordings.mts';
import type { ShapeBoard } from '../shapes/shapes.mts';
import { newSessionGuid } from '../shapes/spelling.mts';
import type { Store } from '../store.mts';
import { callEndBody, callStartBody, webhookPayload } from '../webhooks/payload.mts';
import type { Webhooks } from '../webhooks/webhooks.mts';
import {
	type Instructions,
	parseCallStartReply,
	parseInstructions,
	unrecorded,
} from './instructions.mts';
import type { Call, MakeCallRequest } from './schemas.mts';

export interface CallOptions {
	/** How much faster than real time a call runs. Infinity skips every wait. */
	callSpeed: number;
	/** How long it rings, in seconds of the call's time. */
	ringSeconds: number;
	/** How long a recipient talks when the request does not say, in seconds. */
	defaultDurationSeconds: number;
	/**
	 * True time from CallEnd to the stored recording, in milliseconds. 0 stores it before CallEnd, so
	 * that it can be downloaded immediately.
	 */
	recordingDelayMs: number;
}

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

export function createCalls(
	{
		store,
		clock,
		webhooks,
		recordings,
		log,
		shapes,
	}: {
		store: Store;
		clock: Clock;
		webhooks: Webhooks;
		recordings: Recordings;
		log: Log;
		shapes: ShapeBoard;
	},
	settings: CallOptions,
): Calls {
	const running = new Map<string, RunningCall>();
	const calls = new Map(store.calls().map((call) => [call.sessionGuid, call]));
	const stopping = new AbortController();
	let defaultInstructions: Record<string, unknown> | null = null;
	let { recordingDelayMs } = settings;

	for (const call of calls.values()) {
		// These were running when the emulator was killed.
		if (call.state !== 'completed' && call.state !== 'aborted') update(call, { state: 'aborted' });
	}

	function update(call: Call, change: Partial<Call>): void {
		Object.assign(call, change);
		store.saveCall(call);
	}

	/**
	 * Waits in the call's time.
	 *
	 * @returns false if the call is hung up or the emulator stops
	 */
	function pass(seconds: number, signal: AbortSignal): Promise<boolean> {
		return pause((seconds * 1000) / settings.callSpeed, signal);
	}

	/**
	 * Waits in true time.
	 *
	 * @returns false if the signal aborts or the emulator stops
	 */
	async function pause(ms: number, signal: AbortSignal = stopping.signal): Promise<boolean> {
		try {
			await wait(ms, undefined, { signal: AbortSignal.any([signal, stopping.signal]) });
			return true;
		} catch {
			return false;
		}
	}

	async function askForInstructions(call: Call): Promise<Instructions> {
		const payload = webhookPayload(callStartBody(call), shapes.current());
		const delivery = await webhooks.deliver('CallStart', call.sessionGuid, payload);
		if (delivery?.error) return unrecorded('none', `CallStart failed: ${delivery.error}`);
		if (delivery) return parseCallStartReply(delivery.replyBody ?? '');
		if (defaultInstructions) return parseInstructions(defaultInstructions, 'default');
		return unrecorded('none', 'no CallStart target and no default instructions are set');
	}

	function describe({ understood }: Instructions): string {
		if (!understood.record) {
			const reason = understood.problems.join('; ') || 'recordCall is not true';
			return `the call goes on unrecorded: ${reason}`;
		}
		const secrecy = understood.encrypted ? 'encrypted' : 'unencrypted';
		return `the call is recorded as ${understood.format}, ${secrecy}`;
	}

	async function record(call: Call, instructions: Instructions, endedAt: number, seconds: number) {
		const { format } = instructions.understood;
		try {
			const sound = synthesize(format, call.sessionGuid, { durationSeconds: seconds });
			const row = await recordings.add({
				sessionGuid: call.sessionGuid,
				to: call.to,
				from: call.from,
				startedAt: Date.parse(call.startedAt),
				endedAt,
				durationSeconds: sound.durationSeconds,
				format,
				password: instructions.password,
				content: sound.chunks,
			});
			update(call, { recorded: true });
			log.write('info', `recording stored, ${row.storedBytes} bytes`, call.sessionGuid);
		} catch (error) {
			if (stopping.signal.aborted) return;
			log.write('error', `recording failed: ${messageOf(error)}`, call.sessionGuid);
		}
	}

	/** Takes a call through its life: ringing, answered, ended, recording stored, CallEnd. */
	async function live(call: Call, hangUp: AbortSignal): Promise<void> {
		update(call, { state: 'ringing' });
		const [instructions, rang] = await Promise.all([
			askForInstructions(call),
			pass(settings.ringSeconds, hangUp),
		]);
		if (stopping.signal.aborted) return;
		const { understood } = instructions;
		update(call, { instructions: understood });
		const level = understood.problems.length > 0 ? 'warn' : 'info';
		log.write(level, describe(instructions), call.sessionGuid);

		let seconds = 0;
		if (rang && !hangUp.aborted) {
			update(call, { state: 'answered', answeredAt: isoTime(clock.now()) });
			log.write('info', 'answered', call.sessionGuid);
			const planned = Math.min(call.plannedSeconds, understood.maxSeconds ?? Infinity);
			const start = performance.now();
			const talkedToTheEnd = await pass(planned, hangUp);
			if (stopping.signal.aborted) return;
			const elapsed = ((performance.now() - start) / 1000) * settings.callSpeed;
			seconds = talkedToTheEnd ? planned : Math.min(planned, Math.round(elapsed * 1000) / 1000);
		}
		const endedAt = clock.now();
		update(call, { state: 'ended', endedAt: isoTime(endedAt), durationSeconds: seconds });
		log.write('info', `ended after ${seconds} s`, call.sessionGuid);

		const isRecorded = understood.record && seconds > 0;
		if (isRecorded && recordingDelayMs === 0) await record(call, instructions, endedAt, seconds);
		if (stopping.signal.aborted) return;
		const lateRecording =
			isRecorded && recordingDelayMs > 0
				? pause(recordingDelayMs).then(async (isTime) => {
						if (isTime) await record(call, instructions, endedAt, seconds);
					})
				: undefined;
		const event = callEndBody({
			...call,
			recorded: lateRecording ? true : call.recorded,
			endedAt: isoTime(endedAt),
		});
		const payload = webhookPayload(event, shapes.current());
		const delivery = await webhooks.deliver('CallEnd', call.sessionGuid, payload);
		await lateRecording;
		if (stopping.signal.aborted) return;
		if (delivery?.error) log.write('warn', `CallEnd failed: ${delivery.error}`, call.sessionGuid);
		update(call, { state: 'completed' });
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
				plannedSeconds: request.durationSeconds ?? settings.defaultDurationSeconds,
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
			defaultInstructions = block;
		},
		setRecordingDelay(ms) {
			recordingDelayMs = ms;
		},
		recordingDelay: () => recordingDelayMs,
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
