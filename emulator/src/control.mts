import { randomUUID } from 'node:crypto';
import type { AudioSource } from './audio/audio.mts';
import type { ApiKey, Keyring } from './auth.mts';
import type { Calls } from './calls.mts';
import type { Clock } from './clock.mts';
import { ServiceError } from './errors.mts';
import type { Faults } from './faults.mts';
import type { Log } from './log.mts';
import * as present from './presentation.mts';
import type { Recordings } from './recordings.mts';
import type { RequestLog } from './requestLog.mts';
import {
	type AddedFault,
	type AddedRecording,
	type AddRecordingRequest,
	ApiKeysRequest,
	type Call,
	CallSettingsRequest,
	type Delivery,
	DeliveryOptions,
	type FaultRule,
	type LedgerEntry,
	type LogEntry,
	type MakeCallRequest,
	type RequestEntry,
	ShapesRequest,
	type TamperRequest,
	type WebhookTargets,
} from './schemas.mts';
import type { Store } from './store.mts';
import type { ShapeBoard, Shapes } from './unknowns.mts';
import { requireValid } from './validation.mts';
import type { Webhooks } from './webhooks.mts';

/** Options of `addRecording`; give at most one of content, sizeBytes and durationSeconds. */
export interface AddRecordingOptions extends Omit<AddRecordingRequest, 'contentBase64'> {
	/** Exact bytes to store, instead of synthetic audio. */
	content?: Uint8Array;
}

/**
 * What a test or a demo can do to a running emulator, beyond what the service's API offers. The
 * same is offered over HTTP below `/control`, except for `storedFile`.
 */
export interface EmulatorControl {
	/** Sets where webhooks go. An omitted target stays as it is, null switches it off. */
	setWebhooks(targets: WebhookTargets): void;
	webhooks(): Required<WebhookTargets>;
	/** Sets how webhooks are delivered. An omitted option stays as it is. */
	setWebhookDelivery(options: DeliveryOptions): void;
	webhookDelivery(): Required<DeliveryOptions>;
	/** Chooses the shapes of what the specification leaves open. An omitted one stays as it is. */
	setShapes(shapes: Partial<Shapes>): void;
	/** Back to what is assumed. */
	resetShapes(): void;
	shapes(): Readonly<Shapes>;
	/**
	 * Orders a fault for requests to come: once, unless the rule says otherwise.
	 * @throws ServiceError 400 that names the fields
	 */
	addFault(rule: FaultRule): AddedFault;
	/** Every fault that was ordered, also those that are spent. */
	faults(): AddedFault[];
	/** @throws ServiceError 404 */
	removeFault(id: number): void;
	clearFaults(): void;
	/** Exchanges the API keys, also while requests are running. */
	setApiKeys(keys: readonly ApiKey[]): void;
	apiKeys(): readonly ApiKey[];
	/** Milliseconds from CallEnd to the stored recording, for calls that end from now on. */
	setRecordingDelay(ms: number): void;
	recordingDelay(): number;
	/**
	 * The `Service_Instructions` block for calls while no CallStart target is set. It is judged when
	 * a call starts, so that wrong blocks can be tried.
	 */
	setDefaultInstructions(block: Record<string, unknown> | null): void;
	/** Places a call without an API key. */
	placeCall(request: MakeCallRequest): Call;
	/** Hangs up and resolves when the call's life is over. */
	endCall(sessionGuid: string): Promise<Call>;
	/** Resolves when the call's life is over: recording stored, CallEnd delivered or given up. */
	completedCall(sessionGuid: string): Promise<Call>;
	call(sessionGuid: string): Call;
	/** Every call, oldest first. */
	calls(): Call[];
	/**
	 * Stores a recording of a call that never was: given bytes, or synthetic audio of a given length
	 * (default 5 s) or of about a given size.
	 * @throws ServiceError 400 for contradicting options, 409 for a session GUID that is stored
	 */
	addRecording(options?: AddRecordingOptions): Promise<AddedRecording>;
	/** The ledger: everything ever recorded, also what was deleted or purged since. */
	recordings(): LedgerEntry[];
	/** Path of the stored file. */
	storedFile(sessionGuid: string): Promise<string>;
	/** Damages the stored file. */
	tamper(sessionGuid: string, change: TamperRequest): Promise<AddedRecording>;
	/**
	 * Sends the CallEnd webhook for a stored recording at once.
	 * @param overrideBody replaces the whole body
	 * @throws ServiceError 404 for an unknown recording when there is no `overrideBody`, 409 when no
	 * CallEnd target is set
	 */
	sendCallEnd(sessionGuid: string, overrideBody?: Record<string, unknown>): Promise<Delivery>;
	/** Webhooks that were sent, oldest first. */
	deliveries(): Delivery[];
	/** Requests to the service, oldest first, with raw headers. */
	requests(): RequestEntry[];
	/** What happened, oldest first. */
	log(): LogEntry[];
	/** Empties `deliveries`, `requests` and `log`. */
	clearLogs(): void;
	/** Emulator time in milliseconds since 1970-01-01 UTC. */
	now(): number;
	/** Moves the clock and purges what is over 7 days old then. */
	advanceClock(ms: number): Promise<void>;
}

const DEFAULT_SECONDS = 5;

async function* once(content: Uint8Array) {
	yield content;
}

function refuse(message: string, ...fields: string[]): ServiceError {
	return new ServiceError(400, 'invalid_request', message, fields);
}

export function createControl({
	store,
	clock,
	webhooks,
	recordings,
	audio,
	calls,
	log,
	requestLog,
	shapes,
	faults,
	keyring,
}: {
	store: Store;
	clock: Clock;
	webhooks: Webhooks;
	recordings: Recordings;
	audio: AudioSource;
	calls: Calls;
	log: Log;
	requestLog: RequestLog;
	shapes: ShapeBoard;
	faults: Faults;
	keyring: Keyring;
}): EmulatorControl {
	return {
		setWebhooks: (targets) => webhooks.setTargets(targets),
		webhooks: () => webhooks.targets(),
		setWebhookDelivery(options) {
			requireValid(DeliveryOptions, options);
			webhooks.setOptions(options);
		},
		webhookDelivery: () => webhooks.options(),
		setShapes(change) {
			requireValid(ShapesRequest, change);
			shapes.set(change);
		},
		resetShapes: () => shapes.reset(),
		shapes: () => ({ ...shapes.current() }),
		addFault: (rule) => faults.add(rule),
		faults: () => faults.all(),
		removeFault: (id) => faults.remove(id),
		clearFaults: () => faults.clear(),
		setApiKeys(apiKeys) {
			requireValid(ApiKeysRequest, { apiKeys });
			keyring.replace(apiKeys);
		},
		apiKeys: () => keyring.all(),
		setRecordingDelay(recordingDelayMs) {
			requireValid(CallSettingsRequest, { recordingDelayMs });
			calls.setRecordingDelay(recordingDelayMs);
		},
		recordingDelay: () => calls.recordingDelay(),
		setDefaultInstructions: (block) => calls.setDefaultInstructions(block),
		placeCall: (request) => calls.place(request),
		endCall: (sessionGuid) => calls.end(sessionGuid),
		completedCall: (sessionGuid) => calls.completed(sessionGuid),
		call: (sessionGuid) => calls.get(sessionGuid),
		calls: () => calls.all(),
		async addRecording(options = {}) {
			const { content, sizeBytes, format = 'opus', onTheFly = false } = options;
			const sessionGuid =
				options.sessionGuid ?? present.sessionGuid(randomUUID(), shapes.current().sessionGuid);
			if (content && sizeBytes !== undefined) {
				throw refuse('Give either content or sizeBytes', 'content', 'sizeBytes');
			}
			if (onTheFly && (content || options.password !== undefined)) {
				const message = 'Only unencrypted synthetic audio can be made on the fly';
				throw refuse(message, 'onTheFly', content ? 'content' : 'password');
			}
			if (sizeBytes !== undefined && options.durationSeconds !== undefined) {
				throw refuse('Give either sizeBytes or durationSeconds', 'sizeBytes', 'durationSeconds');
			}
			const endedAt = options.endedAt === undefined ? clock.now() : Date.parse(options.endedAt);
			if (!Number.isFinite(endedAt)) throw refuse('endedAt is not a date', 'endedAt');
			const durationSeconds = options.durationSeconds ?? DEFAULT_SECONDS;
			const sound = content
				? { durationSeconds, chunks: once(content) }
				: audio.synthesize(
						format,
						sessionGuid,
						sizeBytes === undefined ? { durationSeconds } : { sizeBytes },
					);
			const row = await recordings.add({
				sessionGuid,
				to: options.to ?? null,
				from: options.from ?? null,
				startedAt: endedAt - Math.round(sound.durationSeconds * 1000),
				endedAt,
				durationSeconds: sound.durationSeconds,
				format,
				password: options.password ?? null,
				content: sound.chunks,
				onTheFly,
			});
			log.write('info', `recording added, ${row.storedBytes} bytes`, sessionGuid);
			return present.addedRecording(row);
		},
		recordings: () => store.ledger().map(present.ledgerEntry),
		storedFile: async (sessionGuid) => recordings.pathOf(await recordings.get(sessionGuid)),
		async tamper(sessionGuid, change) {
			const row = await recordings.tamper(sessionGuid, change);
			log.write('info', 'stored file altered on purpose', sessionGuid);
			return present.addedRecording(row);
		},
		async sendCallEnd(sessionGuid, overrideBody) {
			const { webhookBody } = shapes.current();
			const payload = overrideBody
				? present.givenPayload(overrideBody, webhookBody)
				: present.webhookPayload(
						present.callEndBodyOfRecording(await recordings.get(sessionGuid)),
						webhookBody,
					);
			const delivery = await webhooks.deliver('CallEnd', sessionGuid, payload);
			if (!delivery) {
				throw new ServiceError(409, 'no_webhook_target', 'No CallEnd target is set', ['callEnd']);
			}
			return delivery;
		},
		deliveries: () => webhooks.deliveries(),
		requests: () => requestLog.all(),
		log: () => log.all(),
		clearLogs() {
			webhooks.clear();
			requestLog.clear();
			log.clear();
		},
		now: () => clock.now(),
		async advanceClock(ms) {
			if (!Number.isFinite(ms)) throw refuse('ms is not a number of milliseconds', 'ms');
			clock.advance(ms);
			store.saveClockOffset(clock.offset());
			log.write('info', `clock moved by ${ms} ms`);
			await recordings.purgeExpired();
		},
	};
}
