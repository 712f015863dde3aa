import { setTimeout as wait } from 'node:timers/promises';
import { synthesize } from '../audio/audio.mts';
import { type Clock, isoTime } from '../clock.mts';
import { messageOf } from '../errors.mts';
import type { Log } from '../logs/log.mts';
import type { Recordings } from '../recordings/recordings.mts';
import type { ShapeBoard } from '../shapes/shapes.mts';
import type { Store } from '../store.mts';
import { callEndBody, callStartBody, webhookPayload } from '../webhooks/payload.mts';
import type { Webhooks } from '../webhooks/webhooks.mts';
import {
	type Instructions,
	parseCallStartReply,
	parseInstructions,
	unrecorded,
} from './instructions.mts';
import type { Call } from './schemas.mts';

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

/** What all calls follow. Some of it changes while calls are running. */
export interface CallRules extends CallOptions {
	/** Instructions for calls while no CallStart target is set. */
	defaultInstructions: Record<string, unknown> | null;
}

export interface CallParts {
	store: Store;
	clock: Clock;
	webhooks: Webhooks;
	recordings: Recordings;
	log: Log;
	shapes: ShapeBoard;
}

export interface CallLife {
	/** Changes a call, and stores it. */
	update(call: Call, change: Partial<Call>): void;
	/** Takes a call through its life: ringing, answered, ended, recording stored, CallEnd. */
	live(call: Call, hangUp: AbortSignal): Promise<void>;
}

/** @param stopping aborts when the emulator stops */
export function createCallLife(
	{ store, clock, webhooks, recordings, log, shapes }: CallParts,
	rules: CallRules,
	stopping: AbortSignal,
): CallLife {
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
		return pause((seconds * 1000) / rules.callSpeed, signal);
	}

	/**
	 * Waits in true time.
	 *
	 * @returns false if the signal aborts or the emulator stops
	 */
	async function pause(ms: number, signal: AbortSignal = stopping): Promise<boolean> {
		try {
			await wait(ms, undefined, { signal: AbortSignal.any([signal, stopping]) });
			return true;
		} catch {
			return false;
		}
	}

	async function askForInstructions(call: Call): Promise<Instructions> {
		const payload = webhookPayload(callStartBody(call), shapes.current(), shapes.profile);
		const delivery = await webhooks.deliver('CallStart', call.sessionGuid, payload);
		if (delivery?.error) return unrecorded('none', `CallStart failed: ${delivery.error}`);
		if (delivery) return parseCallStartReply(delivery.replyBody ?? '');
		const { defaultInstructions } = rules;
		if (defaultInstructions) return parseInstructions(defaultInstructions, 'default');
		return unrecorded('none', 'no CallStart target and no default instructions are set');
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
			if (stopping.aborted) return;
			log.write('error', `recording failed: ${messageOf(error)}`, call.sessionGuid);
		}
	}

	async function recordLater(delayMs: number, ...recording: Parameters<typeof record>) {
		if (await pause(delayMs)) await record(...recording);
	}

	/**
	 * Lets the recipient talk to the planned end, unless the call is hung up or the emulator stops.
	 *
	 * @returns for how many seconds of the call's time
	 */
	async function talk(call: Call, maxSeconds: number | null, hangUp: AbortSignal) {
		update(call, { state: 'answered', answeredAt: isoTime(clock.now()) });
		log.write('info', 'answered', call.sessionGuid);
		const planned = Math.min(call.plannedSeconds, maxSeconds ?? Infinity);
		const start = performance.now();
		if (await pass(planned, hangUp)) return planned;
		const elapsed = ((performance.now() - start) / 1000) * rules.callSpeed;
		return Math.min(planned, Math.round(elapsed * 1000) / 1000);
	}

	async function live(call: Call, hangUp: AbortSignal): Promise<void> {
		update(call, { state: 'ringing' });
		const [instructions, rang] = await Promise.all([
			askForInstructions(call),
			pass(rules.ringSeconds, hangUp),
		]);
		if (stopping.aborted) return;
		const { understood } = instructions;
		update(call, { instructions: understood });
		const level = understood.problems.length > 0 ? 'warn' : 'info';
		log.write(level, describe(instructions), call.sessionGuid);

		const isAnswered = rang && !hangUp.aborted;
		const seconds = isAnswered ? await talk(call, understood.maxSeconds, hangUp) : 0;
		if (stopping.aborted) return;
		const endedAt = clock.now();
		update(call, { state: 'ended', endedAt: isoTime(endedAt), durationSeconds: seconds });
		log.write('info', `ended after ${seconds} s`, call.sessionGuid);

		const isRecorded = understood.record && seconds > 0;
		const { recordingDelayMs } = rules;
		const isLate = isRecorded && recordingDelayMs > 0;
		if (isRecorded && !isLate) await record(call, instructions, endedAt, seconds);
		if (stopping.aborted) return;
		// CallEnd does not wait for a late recording, but the call does.
		const lateRecording =
			isLate && recordLater(recordingDelayMs, call, instructions, endedAt, seconds);
		const event = callEndBody({
			...call,
			recorded: isLate || call.recorded,
			endedAt: isoTime(endedAt),
		});
		const payload = webhookPayload(event, shapes.current(), shapes.profile);
		const delivery = await webhooks.deliver('CallEnd', call.sessionGuid, payload);
		await lateRecording;
		if (stopping.aborted) return;
		if (delivery?.error) log.write('warn', `CallEnd failed: ${delivery.error}`, call.sessionGuid);
		update(call, { state: 'completed' });
	}

	return { update, live };
}

function describe({ understood }: Instructions): string {
	if (!understood.record) {
		const reason = understood.problems.join('; ') || 'recordCall is not true';
		return `the call goes on unrecorded: ${reason}`;
	}
	const secrecy = understood.encrypted ? 'encrypted' : 'unencrypted';
	return `the call is recorded as ${understood.format}, ${secrecy}`;
}
