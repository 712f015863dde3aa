import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { type AddressInfo, createServer as createProbe, type Socket } from 'node:net';
import { createAudioSource } from './audio/audio.mts';
import { type ApiKey, createKeyring, defaultApiKeys } from './auth.mts';
import { type CertificateKind, certificateKinds, createCertificate } from './certificates.mts';
import { createCalls } from './calls.mts';
import { createClock } from './clock.mts';
import { createControl, type EmulatorControl } from './control.mts';
import { messageOf, StartError } from './errors.mts';
import { createFaults, requireFaultRule } from './faults.mts';
import { createLog, type EmulatorEvent } from './log.mts';
import { isLoopbackHost } from './loopback.mts';
import { createRecordings } from './recordings.mts';
import { createRequestLog } from './requestLog.mts';
import { startRetention } from './retention.mts';
import { DeliveryOptions, type FaultRule, ShapesRequest, type WebhookTargets } from './schemas.mts';
import { buildServer, refuseBrokenRequest, REQUEST_TIMEOUT_MS } from './server.mts';
import { openStore } from './store.mts';
import { createShapeBoard, type Shapes } from './unknowns.mts';
import { asStartOption, requireValid } from './validation.mts';
import { createWebhooks } from './webhooks.mts';

export { type ApiKey, defaultApiKeys, type Permission, permissions } from './auth.mts';
export { type CertificateKind, certificateKinds } from './certificates.mts';
export type { AddRecordingOptions, EmulatorControl } from './control.mts';
export { ServiceError, StartError } from './errors.mts';
export type { EmulatorEvent } from './log.mts';
export { RETENTION_MS } from './retention.mts';
export type {
	AddedFault,
	AddedRecording,
	Call,
	CallEndBody,
	CallStartBody,
	Delivery,
	DeliveryOptions,
	Fault,
	FaultRule,
	LedgerEntry,
	LogEntry,
	MakeCallRequest,
	Recording,
	RecordingFormat,
	RequestEntry,
	ServiceInstructions,
	TamperRequest,
	WebhookTargets,
} from './schemas.mts';
export { assumedShapes, type Shapes, type UnknownName, unknowns } from './unknowns.mts';

export interface HttpsOptions {
	/** 0, the default, picks a free port. */
	port?: number;
	/** `valid` by default, which a client accepts that trusts {@link Emulator.caPem}. */
	certificate?: CertificateKind;
}

export interface EmulatorOptions {
	/** 0, the default, picks a free port. */
	port?: number;
	/** Address to listen on; `127.0.0.1` by default. */
	host?: string;
	/** Needed for a `host` that other machines can reach. Anybody there can place calls then. */
	allowRemote?: boolean;
	/** Listens on a second port with HTTPS and a new certificate. */
	https?: boolean | HttpsOptions;
	/** Folder that keeps the state over restarts; without it nothing outlives `close()`. */
	dataDir?: string;
	/** Replaces the default keys `demo-key` and `demo-key-no-permission`. */
	apiKeys?: readonly ApiKey[];
	webhooks?: WebhookTargets;
	/** How webhooks are delivered: retries, copies, delays, order, a shared secret. */
	webhookDelivery?: DeliveryOptions;
	/** Shapes of what the specification leaves open; the assumed ones by default. */
	shapes?: Partial<Shapes>;
	/** Faults that wait for the first requests. */
	faults?: readonly FaultRule[];
	/** `Service_Instructions` for calls while no CallStart target is set. */
	defaultInstructions?: Record<string, unknown> | null;
	/** How much faster than real calls run, 0.01 to Infinity; 1 by default. Audio is not shortened. */
	callSpeed?: number;
	/** How long a call rings, in seconds of its time; 1 by default. */
	ringSeconds?: number;
	/** How long a call lasts that does not say so, in seconds; 5 by default. */
	defaultDurationSeconds?: number;
	/** Milliseconds from CallEnd to the stored recording; 0 by default: stored before CallEnd. */
	recordingDelayMs?: number;
	/** Longest time for one webhook from connecting to the end of the reply; 10,000 ms by default. */
	webhookTimeoutMs?: number;
	/** How many entries each of log, requests and deliveries keeps; 10,000 by default. */
	maxLogEntries?: number;
	/** Called for everything that happens. */
	onEvent?: (event: EmulatorEvent) => void;
}

export interface Emulator {
	/** `http://host:port`, the `{base_url}` of the service specification. */
	readonly url: string;
	/** `https://host:port` of the same service, with the `https` option. */
	readonly httpsUrl: string | undefined;
	/** The authority that signed the HTTPS certificate, PEM, for clients that should trust it. */
	readonly caPem: string | undefined;
	readonly control: EmulatorControl;
	/** Ends running calls and downloads, then closes. More calls wait for the first. */
	close(): Promise<void>;
}

/** Time for running replies to end before their connections are cut, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

function httpsOptions({ https }: Pick<EmulatorOptions, 'https'>): HttpsOptions | undefined {
	return https === true ? {} : https || undefined;
}

function checkOptions({ host = '127.0.0.1', allowRemote, ...options }: EmulatorOptions): void {
	if (!isLoopbackHost(host) && !allowRemote) {
		throw new StartError(
			`The host ${host} can be reached from other machines; allow it with allowRemote (--allow-remote) if you mean that`,
		);
	}
	const numbers: [string, number | undefined, number, number][] = [
		['port', options.port, 0, 65_535],
		// Below 0.01 the longest call would outlast what a timer can hold.
		['callSpeed', options.callSpeed, 0.01, Infinity],
		['ringSeconds', options.ringSeconds, 0, 3600],
		['defaultDurationSeconds', options.defaultDurationSeconds, 0.1, 14_400],
		['recordingDelayMs', options.recordingDelayMs, 0, 600_000],
		['webhookTimeoutMs', options.webhookTimeoutMs, 1, 600_000],
		['https.port', httpsOptions(options)?.port, 0, 65_535],
		['maxLogEntries', options.maxLogEntries, 1, 1_000_000],
	];
	for (const [name, value, low, high] of numbers) {
		if (value !== undefined && !(value >= low && value <= high)) {
			throw new StartError(`${name} must be a number from ${low} to ${high}`);
		}
	}
	const kind = httpsOptions(options)?.certificate;
	if (kind !== undefined && !certificateKinds.includes(kind)) {
		throw new StartError(`https.certificate must be one of ${certificateKinds.join(', ')}`);
	}
	asStartOption('shapes', () => requireValid(ShapesRequest, options.shapes ?? {}));
	asStartOption('faults', () => options.faults?.forEach(requireFaultRule));
	asStartOption('webhookDelivery', () =>
		requireValid(DeliveryOptions, options.webhookDelivery ?? {}),
	);
	for (const { key } of options.apiKeys ?? []) {
		// Service specification, Authentication: no extra spaces or line breaks.
		if (!/^[\x21-\x7e]+$/.test(key)) {
			throw new StartError('An API key must be visible ASCII characters without spaces');
		}
	}
}

function cannotListen(error: unknown, host: string, port: number): StartError {
	return new StartError(
		Reflect.get(Object(error), 'code') === 'EADDRINUSE'
			? `Port ${port} on ${host} is in use. Stop what listens there or choose another port (--port, 0 picks a free one)`
			: `Cannot listen on ${host} port ${port}: ${messageOf(error)}`,
	);
}

/** Resolves when the last connection has ended; idle ones are cut. */
async function closeServer(server: HttpsServer): Promise<void> {
	// An error would say that it never listened, which is closed enough.
	const closed = new Promise<void>((resolve) => server.close(() => resolve()));
	server.closeIdleConnections();
	await closed;
}

/**
 * Looks before the data folder is opened: whoever starts a second emulator by mistake should read
 * about the port, not about the folder.
 */
async function probePort(host: string, port: number): Promise<void> {
	const probe = createProbe();
	try {
		probe.listen(port, host);
		await once(probe, 'listening');
	} catch (error) {
		throw cannotListen(error, host, port);
	} finally {
		probe.close();
	}
}

/**
 * Starts a stand-in of the voice-agent service.
 *
 * @throws StartError for unusable options, a busy port, or a data folder that cannot be used
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	checkOptions(options);
	const { host = '127.0.0.1', port = 0, maxLogEntries = 10_000 } = options;
	const onEvent = options.onEvent ?? (() => undefined);

	if (port !== 0) await probePort(host, port);
	const https = httpsOptions(options);
	const certificate = https && (await createCertificate(https.certificate ?? 'valid', host));
	const store = await openStore(options.dataDir);
	const clock = createClock(store.clockOffset());
	const log = createLog(clock, maxLogEntries, onEvent);
	const audio = createAudioSource();
	const recordings = createRecordings(
		store,
		clock,
		(row) => log.write('info', 'recording purged, 7 days after the call ended', row.sessionGuid),
		({ format, sessionGuid, durationSeconds }) =>
			audio.synthesize(format, sessionGuid, { durationSeconds }).chunks,
	);
	const webhooks = createWebhooks(
		clock,
		{ timeoutMs: options.webhookTimeoutMs ?? 10_000, maxEntries: maxLogEntries },
		onEvent,
	);
	webhooks.setTargets(options.webhooks ?? {});
	webhooks.setOptions(options.webhookDelivery ?? {});
	const shapes = createShapeBoard(options.shapes);
	const faults = createFaults(clock);
	for (const rule of options.faults ?? []) faults.add(rule);
	const keyring = createKeyring(options.apiKeys ?? defaultApiKeys);
	const calls = createCalls(
		{ store, clock, webhooks, recordings, audio, log, shapes },
		{
			callSpeed: options.callSpeed ?? 1,
			ringSeconds: options.ringSeconds ?? 1,
			defaultDurationSeconds: options.defaultDurationSeconds ?? 5,
			recordingDelayMs: options.recordingDelayMs ?? 0,
		},
	);
	calls.setDefaultInstructions(options.defaultInstructions ?? null);
	const requestLog = createRequestLog(clock, maxLogEntries, onEvent);
	const control = createControl({
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
	});
	const app = await buildServer({
		caPem: certificate?.caPem,
		calls,
		clock,
		control,
		faults,
		keyring,
		log,
		recordings,
		requestLog,
		shapes,
		version,
	});
	const httpsServer =
		certificate &&
		createHttpsServer(
			{ key: certificate.key, cert: certificate.cert, requestTimeout: REQUEST_TIMEOUT_MS },
			app.routing,
		).on('clientError', (error, socket) => refuseBrokenRequest(error, socket as Socket, log));
	const stopRetention = startRetention(() =>
		recordings.purgeExpired().catch((error: unknown) => {
			log.write('error', `purge failed: ${messageOf(error)}`);
		}),
	);

	async function closeAll(): Promise<void> {
		stopRetention();
		const cut = setTimeout(() => {
			app.server.closeAllConnections();
			httpsServer?.closeAllConnections();
		}, CLOSE_GRACE_MS);
		const httpsClosed = httpsServer && closeServer(httpsServer);
		// Webhooks and audio stop before the calls, because running calls wait for them.
		const callsEnded = calls.close();
		await Promise.all([webhooks.close(), audio.close()]);
		await callsEnded;
		await app.close();
		await httpsClosed;
		clearTimeout(cut);
		await store.close();
	}

	try {
		await app.listen({ host, port });
	} catch (error) {
		await closeAll();
		throw cannotListen(error, host, port);
	}
	if (httpsServer) {
		const httpsPort = https?.port ?? 0;
		try {
			httpsServer.listen(httpsPort, host);
			await once(httpsServer, 'listening');
		} catch (error) {
			await closeAll();
			throw cannotListen(error, host, httpsPort);
		}
	}
	if (!isLoopbackHost(host)) {
		const warning = `The emulator listens on ${host}: other machines can place calls and read recordings`;
		process.emitWarning(warning, { code: 'VOICEAGENT_EMULATOR_REMOTE' });
		log.write('warn', warning);
	}
	const shownHost = host.includes(':') ? `[${host}]` : host;
	const hostAndPort = (server: Pick<HttpsServer, 'address'>) =>
		`${shownHost}:${(server.address() as AddressInfo).port}`;
	let closed: Promise<void> | undefined;
	return {
		url: `http://${hostAndPort(app.server)}`,
		httpsUrl: httpsServer && `https://${hostAndPort(httpsServer)}`,
		caPem: certificate?.caPem,
		control,
		close: () => (closed ??= closeAll()),
	};
}
