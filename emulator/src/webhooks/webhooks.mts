import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type Clock, isoTime } from '../clock.mts';
import { BoundedList, type EmulatorEvent, type Log, type LogBounds } from '../logs/log.mts';
import type { LogState } from '../logs/schemas.mts';
import { DeliverySettings } from './deliverySettings.mts';
import type { WebhookPayload } from './payload.mts';
import { createReversingQueue } from './reversingQueue.mts';
import type { Delivery, DeliveryOptions, WebhookTargets } from './schemas.mts';
import { createSender, type Sender } from './sender.mts';
import { seenHeaders, signatureHeaders } from './signing.mts';
import { Targets, type WebhookEvent } from './targets.mts';

export type { WebhookEvent } from './targets.mts';

/** What every attempt to deliver one webhook has in common. */
interface Order {
	event: WebhookEvent;
	sessionGuid: string;
	payload: WebhookPayload;
	/** The same for each attempt. */
	id: string;
}

interface WebhookRules {
	/** Longest time from connecting to the end of the reply. */
	timeoutMs: number;
	/** How much faster than real time the pauses of a preset pass. */
	speed: number;
	logBounds: LogBounds;
}

/** Sends the webhooks, and keeps what was sent. */
export class Webhooks {
	readonly #clock: Clock;
	readonly #log: Log;
	readonly #rules: WebhookRules;
	readonly #onEvent: (event: EmulatorEvent) => void;
	readonly #targets = new Targets();
	readonly #settings = new DeliverySettings();
	readonly #deliveries: BoundedList<Delivery>;
	readonly #closing = new AbortController();
	readonly #sender: Sender;
	readonly #queue = createReversingQueue(this.#closing.signal);
	/** Aborts when what waits for a retry is given up. */
	#givingUp = new AbortController();
	#lastId = 0;

	constructor(
		{ clock, log }: { clock: Clock; log: Log },
		rules: WebhookRules,
		onEvent: (event: EmulatorEvent) => void,
	) {
		this.#clock = clock;
		this.#log = log;
		this.#rules = rules;
		this.#onEvent = onEvent;
		this.#deliveries = new BoundedList<Delivery>(rules.logBounds);
		this.#sender = createSender(rules.timeoutMs, this.#closing.signal);
	}

	targets(): Required<WebhookTargets> {
		return this.#targets.all();
	}

	setTargets(targets: WebhookTargets): void {
		this.#targets.set(targets);
	}

	/** How webhooks are delivered. The specification does not show the service's rules. */
	options(): Required<DeliveryOptions> {
		return this.#settings.all();
	}

	/** An omitted option stays as it is. */
	setOptions(options: DeliveryOptions): void {
		this.#settings.set(options);
	}

	/** Goes back to one attempt without a secret. */
	resetOptions(): void {
		this.#settings.reset();
	}

	/**
	 * Sends one webhook, with the retries, copies and delays that are set, and records each attempt.
	 * Never rejects: what went wrong is in `error` of the delivery. Resolves with the last attempt
	 * of the first copy, or with null when the event has no target.
	 */
	async deliver(
		event: WebhookEvent,
		sessionGuid: string,
		payload: WebhookPayload,
	): Promise<Delivery | null> {
		const target = this.#targets.urlOf(event);
		if (target === null) return null;
		const order = { event, sessionGuid, payload, id: `msg_${randomUUID()}` };
		const { delayMs, reorder, reorderWaitMs } = this.options();
		await pause(delayMs, this.#closing.signal);
		const job = () => this.#deliverCopies(order, target);
		// A call waits for the reply to its CallStart, so that is never held back.
		if (event === 'CallStart' || reorder === 1) return job();
		return this.#queue.run(reorder, reorderWaitMs, job);
	}

	/** Retries nothing that has failed up to now. */
	giveUp(): void {
		this.#givingUp.abort();
		this.#givingUp = new AbortController();
	}

	deliveries(): Delivery[] {
		return this.#deliveries.all();
	}

	deliveriesState(): LogState {
		return this.#deliveries.state();
	}

	clear(): void {
		this.#deliveries.clear();
	}

	async close(): Promise<void> {
		this.#closing.abort();
		await this.#sender.close();
	}

	async #deliverCopies(order: Order, target: string): Promise<Delivery> {
		const others = Array.from({ length: this.options().copies - 1 }, (_, index) => index + 2);
		const first = this.#attemptUntilDone(order, target, 1);
		await Promise.all(others.map((copy) => this.#attemptUntilDone(order, target, copy)));
		return first;
	}

	/** A retry goes where the event goes by then, and nowhere if that is switched off. */
	async #attemptUntilDone(order: Order, target: string, copy: number): Promise<Delivery> {
		const signal = AbortSignal.any([this.#closing.signal, this.#givingUp.signal]);
		const speeds = { real: 1, emulated: this.#rules.speed };
		let number = 1;
		let delivery = await this.#attempt(order, target, { number, copy });
		for (const { ms, time } of this.#settings.pausesFor(order.event)) {
			if (!delivery.error) break;
			if (!(await this.#clock.pass(ms, speeds[time], signal))) break;
			const url = this.#targets.urlOf(order.event);
			if (url === null) break;
			number += 1;
			delivery = await this.#attempt(order, url, { number, copy });
		}
		return delivery;
	}

	async #attempt(
		order: Order,
		target: string,
		{ number, copy }: { number: number; copy: number },
	): Promise<Delivery> {
		const delivery: Delivery = {
			id: (this.#lastId += 1),
			event: order.event,
			sessionGuid: order.sessionGuid,
			url: withQuery(target, this.#queryOf(order)),
			startedAt: isoTime(this.#clock.now()),
			durationMs: 0,
			attempt: number,
			copy,
			requestHeaders: this.#headersOf(order, target),
			requestBody: order.payload.fields,
			status: null,
			replyBody: null,
			error: null,
		};
		const start = performance.now();
		await this.#sender.send(delivery, order.payload);
		delivery.durationMs = Math.round(performance.now() - start);
		this.#deliveries.push(delivery);
		this.#onEvent({ type: 'delivery', entry: delivery });
		this.#note(delivery);
		return delivery;
	}

	#queryOf({ payload }: Order): Record<string, string> {
		const { secret } = this.options();
		return { ...payload.query, ...(secret?.in === 'query' && { [secret.name]: secret.value }) };
	}

	#headersOf(order: Order, target: string): Record<string, string> {
		const { payload, id } = order;
		const { secret, signing } = this.options();
		const nowMs = this.#clock.now();
		return {
			...(payload.contentType !== undefined && { 'content-type': payload.contentType }),
			accept: 'application/json',
			'user-agent': 'voiceagent-emulator',
			...(secret?.in === 'header' && { [secret.name]: secret.value }),
			...(signing?.scheme === 'profile'
				? this.#seenHeaders(order, target, { secret: signing.secret, id, nowMs })
				: signing && signatureHeaders(payload.text, signing, { id, nowMs })),
		};
	}

	/** Nothing if the profile does not have this webhook. */
	#seenHeaders(
		order: Order,
		target: string,
		when: { secret: string; id: string; nowMs: number },
	): Record<string, string> {
		const { text: body, fields, query, seen } = order.payload;
		const isForm = order.payload.contentType?.startsWith('application/x-www-form-urlencoded');
		const parameters = query ?? (isForm ? (fields as Record<string, string>) : {});
		const url = withQuery(target, this.#queryOf(order));
		return seen ? seenHeaders({ body, url, parameters }, seen, when) : {};
	}

	/** Switches the webhook off if the preset says so. */
	#note({ event, error }: Delivery): void {
		const { switchOff } = this.#settings;
		const hasFailed = error !== null;
		if (!this.#targets.note(event, hasFailed, this.#clock.now(), switchOff)) return;
		const failures = `${switchOff?.failures} attempts in a row have failed`;
		this.#log.write('warn', `${event} is switched off: ${failures}. Set its target again.`);
	}
}

/** @returns false if the emulator stops first */
async function pause(ms: number, signal: AbortSignal): Promise<boolean> {
	if (ms === 0) return !signal.aborted;
	try {
		await wait(ms, undefined, { signal });
		return true;
	} catch {
		return false;
	}
}

function withQuery(url: string, query: Record<string, string>): string {
	const entries = Object.entries(query);
	if (entries.length === 0) return url;
	const changed = new URL(url);
	for (const [name, value] of entries) changed.searchParams.append(name, value);
	return changed.href;
}
