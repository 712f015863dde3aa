import { setTimeout as wait } from 'node:timers/promises';
import { synthesize } from '../audio/audio.mts';
import { type Clock, isoTime } from '../clock.mts';
import { messageOf } from '../errors.mts';
import type { Log } from '../logs/log.mts';
import type { Recordings } from '../recordings/recordings.mts';
import type { ShapeBoard } from '../profile/board.mts';
import type { Store } from '../store.mts';
import { callEndBody, callStartBody, webhookPayload } from '../webhooks/payload.mts';
import type { Webhooks } from '../webhooks/webhooks.mts';
import {
	type Instructions,
	parseCallStartReply,
	parseInstructions,
	unrecorded,
} from './instructions.mts';
import { type CallOutcome, courses } from './outcomes.mts';
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

/** Takes calls through their life: ringing, answered, ended, recording stored, CallEnd. */
export class CallLife {
	readonly #parts: CallParts;
	readonly #rules: CallRules;
	readonly #stopping: AbortSignal;

	/** @param stopping aborts when the emulator stops */
	constructor(parts: CallParts, rules: CallRules, stopping: AbortSignal) {
		this.#parts = parts;
		this.#rules = rules;
		this.#stopping = stopping;
	}

	/** Changes a call, and stores it. */
	update(call: Call, change: Partial<Call>): void {
		Object.assign(call, change);
		this.#parts.store.saveCall(call);
	}

	async live(call: Call, hangUp: AbortSignal): Promise<void> {
		const instructions = await this.#connect(call, hangUp);
		if (this.#stopping.aborted) return;
		const seconds = await this.#talk(call, instructions.understood.maxSeconds, hangUp);
		if (this.#stopping.aborted) return;
		const endedAt = this.#end(call, seconds, hangUp);

		const isRecorded = instructions.understood.record && seconds > 0;
		const { recordingDelayMs } = this.#rules;
		const isLate = isRecorded && recordingDelayMs > 0;
		const record = () => this.#record(call, instructions, endedAt, seconds);
		if (isRecorded && !isLate) await record();
		if (this.#stopping.aborted) return;
		// CallEnd does not wait for a late recording, but the call does.
		const recordLater = async () => {
			if (await this.#pause(recordingDelayMs)) await record();
		};
		const lateRecording = isLate && recordLater();
		await this.#sendCallEnd(call, { recorded: isLate || call.recorded, endedAt });
		await lateRecording;
		if (!this.#stopping.aborted) this.update(call, { state: 'completed' });
	}

	/** Rings, and asks meanwhile what to do with the call. */
	async #connect(call: Call, hangUp: AbortSignal): Promise<Instructions> {
		this.update(call, { state: 'ringing' });
		const rings = courses[call.plannedOutcome].ringSeconds(this.#rules.ringSeconds);
		const [instructions] = await Promise.all([
			this.#askForInstructions(call),
			this.#pass(rings, hangUp),
		]);
		if (this.#stopping.aborted) return instructions;
		const { understood } = instructions;
		this.update(call, { instructions: understood });
		const level = understood.problems.length > 0 ? 'warn' : 'info';
		this.#parts.log.write(level, describe(instructions), call.sessionGuid);
		return instructions;
	}

	async #askForInstructions(call: Call): Promise<Instructions> {
		const { shapes, webhooks } = this.#parts;
		const payload = webhookPayload(callStartBody(call), shapes.profile);
		const delivery = await webhooks.deliver('CallStart', call.sessionGuid, payload);
		if (delivery?.error) return unrecorded('none', `CallStart failed: ${delivery.error}`);
		if (delivery) return parseCallStartReply(delivery.replyBody ?? '');
		const { defaultInstructions } = this.#rules;
		if (defaultInstructions) return parseInstructions(defaultInstructions, 'default');
		return unrecorded('none', 'no CallStart target and no default instructions are set');
	}

	/**
	 * Lets the recipient talk to the planned end, unless the call is hung up or the emulator stops.
	 *
	 * @returns for how many seconds of the call's time; 0 if nobody answers
	 */
	async #talk(call: Call, maxSeconds: number | null, hangUp: AbortSignal): Promise<number> {
		if (hangUp.aborted || !courses[call.plannedOutcome].isConnected) return 0;
		this.update(call, { state: 'answered', answeredAt: isoTime(this.#parts.clock.now()) });
		const by = call.plannedOutcome === 'voicemail' ? ' by a voicemail' : '';
		this.#parts.log.write('info', `answered${by}`, call.sessionGuid);
		const planned = Math.min(call.plannedSeconds, maxSeconds ?? Infinity);
		const start = performance.now();
		if (await this.#pass(planned, hangUp)) return planned;
		const elapsed = ((performance.now() - start) / 1000) * this.#rules.callSpeed;
		return Math.min(planned, Math.round(elapsed * 1000) / 1000);
	}

	/** @returns when the call has ended */
	#end(call: Call, seconds: number, hangUp: AbortSignal): number {
		const endedAt = this.#parts.clock.now();
		const isCanceled = hangUp.aborted && call.answeredAt === null;
		const outcome: CallOutcome = isCanceled ? 'canceled' : call.plannedOutcome;
		this.update(call, {
			state: 'ended',
			endedAt: isoTime(endedAt),
			outcome,
			durationSeconds: seconds,
		});
		const why = endings[outcome];
		this.#parts.log.write('info', `ended after ${seconds} s${why}`, call.sessionGuid);
		return endedAt;
	}

	async #record(call: Call, instructions: Instructions, endedAt: number, seconds: number) {
		const { log, recordings } = this.#parts;
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
			this.update(call, { recorded: true });
			log.write('info', `recording stored, ${row.storedBytes} bytes`, call.sessionGuid);
		} catch (error) {
			if (this.#stopping.aborted) return;
			log.write('error', `recording failed: ${messageOf(error)}`, call.sessionGuid);
		}
	}

	async #sendCallEnd(
		call: Call,
		{ recorded, endedAt }: { recorded: boolean; endedAt: number },
	): Promise<void> {
		const { log, shapes, webhooks } = this.#parts;
		const event = callEndBody({ ...call, recorded, endedAt: isoTime(endedAt) });
		const payload = webhookPayload(event, shapes.profile);
		const delivery = await webhooks.deliver('CallEnd', call.sessionGuid, payload);
		if (this.#stopping.aborted || !delivery?.error) return;
		log.write('warn', `CallEnd failed: ${delivery.error}`, call.sessionGuid);
	}

	/**
	 * Waits in the call's time.
	 *
	 * @returns false if the call is hung up or the emulator stops
	 */
	#pass(seconds: number, signal: AbortSignal): Promise<boolean> {
		return this.#pause((seconds * 1000) / this.#rules.callSpeed, signal);
	}

	/**
	 * Waits in true time.
	 *
	 * @returns false if the signal aborts or the emulator stops
	 */
	async #pause(ms: number, signal: AbortSignal = this.#stopping): Promise<boolean> {
		try {
			await wait(ms, undefined, { signal: AbortSignal.any([signal, this.#stopping]) });
			return true;
		} catch {
			return false;
		}
	}
}

/** What the log adds to the end of a call. */
const endings: Record<CallOutcome, string> = {
	answered: '',
	voicemail: '',
	busy: ': busy',
	noAnswer: ': no answer',
	canceled: ': hung up before anybody answered',
};

function describe({ understood }: Instructions): string {
	if (!understood.record) {
		const reason = understood.problems.join('; ') || 'recordCall is not true';
		return `the call goes on unrecorded: ${reason}`;
	}
	const secrecy = understood.encrypted ? 'encrypted' : 'unencrypted';
	return `the call is recorded as ${understood.format}, ${secrecy}`;
}
