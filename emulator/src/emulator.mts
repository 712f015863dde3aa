import { once } from 'node:events';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { synthesize } from './audio/audio.mts';
import { createKeyring } from './auth/auth.mts';
import { defaultApiKeys } from './auth/permissions.mts';
import { Calls } from './calls/calls.mts';
import { createCertificate } from './certificates.mts';
import { createClock } from './clock.mts';
import { createControl, type EmulatorControl } from './control/control.mts';
import type { Parts } from './control/parts.mts';
import { applyOptions, plantSeed } from './control/start.mts';
import { defaults } from './defaults.mts';
import { messageOf } from './errors.mts';
import { createFaults } from './faults/faults.mts';
import { cannotListen, closeServer, isLoopbackHost, probePort } from './http/listen.mts';
import { buildServer, refuseBrokenRequest, REQUEST_TIMEOUT_MS } from './http/server.mts';
import { createLog, type Log } from './logs/log.mts';
import { createRequestLog } from './logs/requestLog.mts';
import { checkOptions, type EmulatorOptions, httpsOptions } from './options.mts';
import { createShapeBoard } from './profile/board.mts';
import { seenIn } from './profile/profile.mts';
import { createRecordings } from './recordings/recordings.mts';
import { startRetention } from './recordings/retention.mts';
import { openStore } from './store.mts';
import { asStartError } from './validation.mts';
import { Webhooks } from './webhooks/webhooks.mts';

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

type App = Awaited<ReturnType<typeof buildServer>>;
type Certificate = Awaited<ReturnType<typeof createCertificate>>;

/** How long running replies may take before their connections are cut, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

/** Makes everything that an emulator consists of, besides its servers. */
async function createParts(options: EmulatorOptions, caPem: string | undefined): Promise<Parts> {
	const logBounds = {
		entries: options.maxLogEntries ?? defaults.maxLogEntries,
		bytes: options.maxLogBytes ?? defaults.maxLogBytes,
	};
	const onEvent = options.onEvent ?? (() => undefined);
	const callSpeed = options.callSpeed ?? defaults.callSpeed;
	const store = await openStore(options.dataDir);
	const clock = createClock(store.clockOffset());
	const log = createLog(clock, logBounds, onEvent);
	const recordings = createRecordings(
		store,
		clock,
		(row) => log.write('info', 'recording purged, 7 days after the call ended', row.sessionGuid),
		({ format, sessionGuid, durationSeconds }) =>
			synthesize(format, sessionGuid, { durationSeconds }).chunks,
	);
	const webhooks = new Webhooks(
		{ clock, log },
		{
			timeoutMs: options.webhookTimeoutMs ?? defaults.webhookTimeoutMs,
			speed: callSpeed,
			logBounds,
		},
		onEvent,
	);
	const { profile } = options;
	const shapes = createShapeBoard(profile === undefined ? undefined : seenIn(profile));
	const faults = createFaults(clock);
	const keyring = createKeyring(defaultApiKeys);
	const calls = new Calls(
		{ store, clock, webhooks, recordings, log, shapes },
		{
			callSpeed,
			ringSeconds: options.ringSeconds ?? defaults.ringSeconds,
			defaultDurationSeconds: options.defaultDurationSeconds ?? defaults.defaultDurationSeconds,
			recordingDelayMs: options.recordingDelayMs ?? defaults.recordingDelayMs,
		},
	);
	const requestLog = createRequestLog(clock, logBounds, onEvent);
	return {
		store,
		clock,
		log,
		recordings,
		webhooks,
		shapes,
		faults,
		keyring,
		calls,
		requestLog,
		options,
		caPem,
	};
}

/** The server with HTTPS, which answers as the other one does. */
function httpsServerOf({ key, cert }: Certificate, app: App, log: Log): HttpsServer {
	return createHttpsServer({ key, cert, requestTimeout: REQUEST_TIMEOUT_MS }, app.routing).on(
		'clientError',
		(error, socket) => refuseBrokenRequest(error, socket as Socket, log),
	);
}

/** Purges what is over 7 days old, now and then. @returns ends it */
function startPurging({ log, recordings }: Parts): () => void {
	return startRetention(() =>
		recordings.purgeExpired().catch((error: unknown) => {
			log.write('error', `purge failed: ${messageOf(error)}`);
		}),
	);
}

/** Ends running calls and downloads, then the servers and the store. */
async function closeAll(
	{ calls, store, webhooks }: Parts,
	app: App,
	httpsServer: HttpsServer | undefined,
): Promise<void> {
	// Again and again: until it no longer listens, clients can connect.
	const cut = setInterval(() => {
		app.server.closeAllConnections();
		httpsServer?.closeAllConnections();
	}, CLOSE_GRACE_MS);
	const httpsClosed = httpsServer && closeServer(httpsServer);
	// Webhooks stop before the calls, because running calls wait for them.
	const callsEnded = calls.close();
	await webhooks.close();
	await callsEnded;
	await app.close();
	await httpsClosed;
	clearInterval(cut);
	await store.close();
}

/** @throws StartError that names the port */
async function listenOn(server: HttpsServer, host: string, port: number): Promise<void> {
	try {
		server.listen(port, host);
		await once(server, 'listening');
	} catch (error) {
		throw cannotListen(error, host, port, '--https-port');
	}
}

/** Warns of what a reader of the log would not expect. */
function warn({ clock, log }: Parts, host: string): void {
	if (clock.offset() !== 0)
		log.write('warn', 'the clock was moved, so it does not show the real time');
	if (isLoopbackHost(host)) return;
	const warning = `The emulator listens on ${host}: other machines can place calls and read recordings`;
	process.emitWarning(warning, { code: 'VOICEAGENT_EMULATOR_REMOTE' });
	log.write('warn', warning);
}

/** Such as `127.0.0.1:8480`. */
function addressOf(server: Pick<HttpsServer, 'address'>, host: string): string {
	const shownHost = host.includes(':') ? `[${host}]` : host;
	return `${shownHost}:${(server.address() as AddressInfo).port}`;
}

/**
 * Starts a stand-in for the voice-agent service.
 *
 * @throws StartError for unusable options, a busy port, or a data folder that cannot be used
 */
export async function createEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
	checkOptions(options);
	const { host = defaults.host, port = 0 } = options;
	if (port !== 0) await probePort(host, port);
	const https = httpsOptions(options);
	const certificate =
		https &&
		(await createCertificate(https.certificate ?? 'valid', host, ...(https.hostNames ?? [])));
	const parts = await createParts(options, certificate?.caPem);
	applyOptions(parts);
	const app = await buildServer(parts);
	const httpsServer = certificate && httpsServerOf(certificate, app, parts.log);
	const stopPurging = startPurging(parts);
	let closed: Promise<void> | undefined;
	const close = () => {
		stopPurging();
		return (closed ??= closeAll(parts, app, httpsServer));
	};
	try {
		await plantSeed(parts).catch((error: unknown) => {
			throw asStartError('seed', error);
		});
		await app.listen({ host, port }).catch((error: unknown) => {
			throw cannotListen(error, host, port);
		});
		if (httpsServer) await listenOn(httpsServer, host, https?.port ?? 0);
	} catch (error) {
		await close();
		throw error;
	}
	warn(parts, host);
	return {
		url: `http://${addressOf(app.server, host)}`,
		httpsUrl: httpsServer && `https://${addressOf(httpsServer, host)}`,
		caPem: certificate?.caPem,
		control: createControl(parts),
		close,
	};
}
