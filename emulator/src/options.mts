import { ApiKeys } from './auth/auth.mts';
import { API_KEY_PATTERN, type ApiKey } from './auth/permissions.mts';
import { type OutcomeRule, OutcomeRules } from './calls/outcomes.mts';
import { type CertificateKind, certificateKinds } from './certificates.mts';
import { defaults } from './defaults.mts';
import { StartError } from './errors.mts';
import { type FaultRule, requireFaultRule } from './faults/rule.mts';
import { isLoopbackHost } from './http/listen.mts';
import type { EmulatorEvent } from './logs/log.mts';
import { ShapesSchema } from './profile/board.mts';
import { seenIn } from './profile/profile.mts';
import type { Shapes } from './profile/unknowns.mts';
import { Seed } from './recordings/schemas.mts';
import { asStartOption, requireValid } from './validation.mts';
import { requireDeliveryOptions, requireSeenSignature } from './webhooks/deliverySettings.mts';
import { type DeliveryOptions, WebhookTargets } from './webhooks/schemas.mts';

export interface HttpsOptions {
	/** 0, the default, picks a free port. */
	port?: number;
	/** `valid` by default. A client that trusts {@link Emulator.caPem} accepts it. */
	certificate?: CertificateKind;
	/** More names of this machine in the certificate, such as that of its container. */
	hostNames?: readonly string[];
}

export interface EmulatorOptions {
	/** 0, the default, picks a free port. */
	port?: number;
	/** Address to listen on; `127.0.0.1` by default. */
	host?: string;
	/** Allows a `host` that other machines can reach. Anyone there can then place calls. */
	allowRemote?: boolean;
	/** Listens on a second port with HTTPS and a new certificate. */
	https?: boolean | HttpsOptions;
	/** Folder that keeps the state across restarts. Without it, nothing outlives `close()`. */
	dataDir?: string;
	/** Replaces the default keys `demo-key` and `demo-key-no-permission`. */
	apiKeys?: readonly ApiKey[];
	webhooks?: WebhookTargets;
	/** How webhooks are delivered: retries, copies, delays, order, a shared secret, a signature. */
	webhookDelivery?: DeliveryOptions;
	/** Shapes of what the specification leaves open; the assumed ones by default. */
	shapes?: Partial<Shapes>;
	/** A service profile, which Connection: Explore has written: answers as that service does. */
	profile?: object;
	/** Faults that wait for the first requests. */
	faults?: readonly FaultRule[];
	/** `Service_Instructions` for calls while no CallStart target is set. */
	defaultInstructions?: Record<string, unknown> | null;
	/** How much faster than real calls run, 0.01 to Infinity; 1 by default. It shortens no audio. */
	callSpeed?: number;
	/** How long a call rings, in seconds of its time; 1 by default. */
	ringSeconds?: number;
	/** Length of a call that does not say its own, in seconds; 5 by default. */
	defaultDurationSeconds?: number;
	/** How calls go, by number; answered by default. The first rule that fits counts. */
	outcomes?: readonly OutcomeRule[];
	/** Milliseconds from CallEnd to the stored recording; 0 by default: stored before CallEnd. */
	recordingDelayMs?: number;
	/** Longest time for one webhook from connecting to the end of the reply; 10,000 ms by default. */
	webhookTimeoutMs?: number;
	/** How many entries each of log, requests and deliveries keeps; 10,000 by default. */
	maxLogEntries?: number;
	/** How many bytes each of them keeps, counted as JSON; 50,000,000 by default. */
	maxLogBytes?: number;
	/** Opens `/control` to other machines that send it as `Authorization: Bearer <token>`. */
	controlToken?: string;
	/** What an emulator without state begins with, and again after `reset`. */
	seed?: Seed;
	/** Called for everything that happens. */
	onEvent?: (event: EmulatorEvent) => void;
}

const isObject = (value: unknown) =>
	typeof value === 'object' && value !== null && !Array.isArray(value);
const kind = {
	number: ['a number', (value: unknown) => typeof value === 'number'],
	text: ['text', (value: unknown) => typeof value === 'string'],
	boolean: ['true or false', (value: unknown) => typeof value === 'boolean'],
	object: ['an object', isObject],
	list: ['a list', Array.isArray],
	function: ['a function', (value: unknown) => typeof value === 'function'],
	objectOrNull: ['an object or null', (value: unknown) => value === null || isObject(value)],
	https: [
		'true, false or an object',
		(value: unknown) => typeof value === 'boolean' || isObject(value),
	],
} satisfies Record<string, [accepted: string, test: (value: unknown) => boolean]>;

const httpsKinds: Record<keyof HttpsOptions, keyof typeof kind> = {
	port: 'number',
	certificate: 'text',
	hostNames: 'list',
};

const kinds: Record<keyof EmulatorOptions, keyof typeof kind> = {
	port: 'number',
	host: 'text',
	allowRemote: 'boolean',
	https: 'https',
	dataDir: 'text',
	apiKeys: 'list',
	webhooks: 'object',
	webhookDelivery: 'object',
	shapes: 'object',
	profile: 'object',
	faults: 'list',
	defaultInstructions: 'objectOrNull',
	callSpeed: 'number',
	ringSeconds: 'number',
	defaultDurationSeconds: 'number',
	outcomes: 'list',
	recordingDelayMs: 'number',
	webhookTimeoutMs: 'number',
	maxLogEntries: 'number',
	maxLogBytes: 'number',
	controlToken: 'text',
	seed: 'object',
	onEvent: 'function',
};

/**
 * Checks what TypeScript cannot: options may come from JSON or from JavaScript.
 *
 * @throws StartError that names an unknown or wrong option, and says what is accepted
 */
function checkKinds(options: unknown, known: Record<string, keyof typeof kind>, prefix = ''): void {
	if (!isObject(options)) throw new StartError('The options must be an object');
	for (const [name, value] of Object.entries(options as object)) {
		const option = `${prefix}${name}`;
		const of = Object.hasOwn(known, name) ? known[name] : undefined;
		if (of === undefined) {
			const names = Object.keys(known).map((one) => prefix + one);
			throw new StartError(`${option} is not an option. The options are ${names.join(', ')}`);
		}
		const [accepted, test] = kind[of];
		if (value !== undefined && !test(value)) {
			throw new StartError(`${option} must be ${accepted}`);
		}
	}
}

export function httpsOptions({ https }: Pick<EmulatorOptions, 'https'>): HttpsOptions | undefined {
	return https === true ? {} : https || undefined;
}

/** @throws StartError for options that cannot be used */
export function checkOptions(given: EmulatorOptions): void {
	checkKinds(given, kinds);
	const { host = defaults.host, allowRemote, ...options } = given;
	checkKinds(httpsOptions(options) ?? {}, httpsKinds, 'https.');
	if (!isLoopbackHost(host) && !allowRemote) {
		throw new StartError(
			`The host ${host} can be reached from other machines; allow it with allowRemote (--allow-remote) if you mean that`,
		);
	}
	const numbers: [string, number | undefined, number, number, 'whole'?][] = [
		['port', options.port, 0, 65_535, 'whole'],
		// Below 0.01 the longest call would outlast what a timer can hold.
		['callSpeed', options.callSpeed, 0.01, Infinity],
		['ringSeconds', options.ringSeconds, 0, 3600],
		['defaultDurationSeconds', options.defaultDurationSeconds, 0.1, 14_400],
		['recordingDelayMs', options.recordingDelayMs, 0, 600_000],
		['webhookTimeoutMs', options.webhookTimeoutMs, 1, 600_000],
		['https.port', httpsOptions(options)?.port, 0, 65_535, 'whole'],
		['maxLogEntries', options.maxLogEntries, 1, 1_000_000, 'whole'],
		['maxLogBytes', options.maxLogBytes, 1, 1_000_000_000, 'whole'],
	];
	for (const [name, value, low, high, whole] of numbers) {
		if (value === undefined) continue;
		const isNumber = whole ? Number.isInteger(value) : typeof value === 'number';
		if (!isNumber || !(value >= low && value <= high)) {
			throw new StartError(
				`${name} must be a ${whole ? 'whole number' : 'number'} from ${low} to ${high}`,
			);
		}
	}
	const certificate = httpsOptions(options)?.certificate;
	if (certificate !== undefined && !certificateKinds.includes(certificate)) {
		throw new StartError(`https.certificate must be one of ${certificateKinds.join(', ')}`);
	}
	for (const name of httpsOptions(options)?.hostNames ?? []) {
		if (/^[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?$/i.test(name)) continue;
		throw new StartError(`https.hostNames (--host-name) must be host names, and '${name}' is not`);
	}
	const { controlToken } = options;
	if (controlToken !== undefined && !/^[\x21-\x7e]{16,200}$/.test(controlToken)) {
		throw new StartError(
			'controlToken must have 16 to 200 visible ASCII characters without spaces',
		);
	}
	asStartOption('seed', () => requireValid(Seed, options.seed ?? { recordings: [] }));
	asStartOption('shapes', () => requireValid(ShapesSchema, options.shapes ?? {}));
	asStartOption('profile', () => options.profile && seenIn(options.profile));
	asStartOption('webhookDelivery', () => {
		requireDeliveryOptions(options.webhookDelivery ?? {});
		const seen = options.profile && seenIn(options.profile);
		requireSeenSignature(options.webhookDelivery ?? {}, seen);
	});
	asStartOption('faults', () => options.faults?.forEach(requireFaultRule));
	asStartOption('webhooks', () => requireValid(WebhookTargets, options.webhooks ?? {}));
	asStartOption('outcomes', () => requireValid(OutcomeRules, { outcomes: options.outcomes ?? [] }));
	for (const one of options.apiKeys ?? []) {
		const key: unknown = Reflect.get(Object(one), 'key');
		if (typeof key === 'string' && !new RegExp(API_KEY_PATTERN).test(key)) {
			throw new StartError('An API key must be visible ASCII characters without spaces');
		}
	}
	asStartOption('apiKeys', () => requireValid(ApiKeys, { apiKeys: options.apiKeys ?? [] }));
}
