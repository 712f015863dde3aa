/**
 * The main job, running: an emulated service and a real n8n with the archive workflow. Calls are placed and end, their
 * recordings are downloaded, decrypted, written to a folder and deleted at the service. Started by `npm start`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

import { eventLine } from '../../emulator/src/eventLine.mts';
import { createEmulator, type Emulator, type LedgerEntry } from '../../emulator/src/index.mts';
import { owner, packedPackage, startN8n, type N8n } from '../n8n/n8n.mts';
import { installWorkflow } from './installWorkflow.mts';

const HELP = `Runs an emulated voice-agent service and a real n8n that archives its recordings.

Usage: npm start -- [options]

  --once                   place the calls, then stop; exit code 0 only if every recording was
                           archived byte for byte and deleted at the service
  --n8n-port <number>      port of n8n [5678]
  --emulator-port <number> port of the emulated service [8480]
  --folder <path>          where the demo keeps its data and the archive [.demo]
  --help                   show this`;

const API_KEY = 'demo-key';
const PASSWORD = 'demo recording password';
const WEBHOOK_HEADER = 'X-Webhook-Secret';
const FORMATS = ['opus', 'mp3', 'wav'] as const;
const CALL_SECONDS = 6;
const ARCHIVE_TIMEOUT_MS = 60_000;

interface Archived {
	recording: LedgerEntry;
	/** Why this recording does not count as archived; `undefined` if it does. */
	problem?: string;
}

async function main(): Promise<number> {
	const { values } = parseArgs({
		options: {
			once: { type: 'boolean', default: false },
			'n8n-port': { type: 'string', default: '5678' },
			'emulator-port': { type: 'string', default: '8480' },
			folder: { type: 'string', default: join(import.meta.dirname, '..', '..', '.demo') },
			help: { type: 'boolean', default: false },
		},
	});
	if (values.help) {
		console.log(HELP);
		return 0;
	}
	const n8nPort = portNumber('n8n-port', values['n8n-port']);
	const emulatorPort = portNumber('emulator-port', values['emulator-port']);
	const folder = resolve(values.folder);
	const archive = join(folder, 'archive');
	const stopped = stopSignal();
	await mkdir(archive, { recursive: true });

	headline('Starting the emulated service');
	const emulator = await createEmulator({
		port: emulatorPort,
		dataDir: join(folder, 'emulator'),
		callSpeed: 4,
		onEvent: (event) => console.log(`  service | ${eventLine(event)}`),
	});
	try {
		headline('Starting n8n (the first start takes about 20 seconds)');
		const n8n = await startN8n({
			port: n8nPort,
			userFolder: join(folder, 'n8n'),
			packages: [packedPackage()],
			allowedPaths: [archive],
		});
		try {
			return await run(n8n, emulator, { folder, archive, once: values.once, stopped });
		} finally {
			headline('Stopping n8n and the service');
			await n8n.stop();
		}
	} finally {
		await emulator.close();
	}
}

async function run(
	n8n: N8n,
	emulator: Emulator,
	{
		folder,
		archive,
		once,
		stopped,
	}: { folder: string; archive: string; once: boolean; stopped: AbortSignal },
): Promise<number> {
	headline('Setting up n8n: owner, credentials, the archive workflow');
	const secret = randomBytes(24).toString('base64url');
	emulator.control.setWebhookDelivery({
		secret: { in: 'header', name: WEBHOOK_HEADER, value: secret },
	});
	const workflowId = await installWorkflow(n8n, {
		stateFile: join(folder, 'workflow.json'),
		archive,
		service: { baseUrl: emulator.url, apiKey: API_KEY },
		password: PASSWORD,
		webhook: { headerName: WEBHOOK_HEADER, secret },
	});
	emulator.control.setWebhooks({
		callEnd: await n8n.webhookUrl(workflowId, 'When a call ends'),
	});

	headline('Placing one call in each format, plain and encrypted');
	const archived: Archived[] = [];
	for (const recordCallFormat of FORMATS) {
		for (const recordCallPassword of [null, PASSWORD]) {
			if (stopped.aborted) return 1;
			emulator.control.setDefaultInstructions({
				recordCall: true,
				recordCallFormat,
				recordCallPassword,
			});
			archived.push(await placeCall(emulator, archive));
		}
	}
	report(archived, archive);
	const complete = archived.every(({ problem }) => problem === undefined);
	if (once) return complete ? 0 : 1;

	console.log(`
Look around:
  n8n         ${n8n.url}   sign in as ${owner.email}, password ${owner.password}
  workflow    ${n8n.url}/workflow/${workflowId}
  Swagger UI  ${emulator.url}/swagger   Token: ${API_KEY}
  archive     ${relative(process.cwd(), archive)}

Everything keeps running, and every call that ends is archived. Place one:
  curl -H 'Token: ${API_KEY}' -H 'Content-Type: application/json' -d '{"to":"+15550123"}' ${emulator.url}/api/customer/makecall

Stop with Ctrl+C.`);
	await new Promise((resolve) => {
		if (stopped.aborted) resolve(undefined);
		stopped.addEventListener('abort', resolve);
	});
	return 0;
}

/** Places a call and waits until its recording has left the service, or a minute is over. */
async function placeCall(emulator: Emulator, archive: string): Promise<Archived> {
	const { control } = emulator;
	const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: CALL_SECONDS });
	await control.completedCall(sessionGuid);
	const entry = () => control.recordings().find((one) => one.sessionGuid === sessionGuid);
	const deadline = Date.now() + ARCHIVE_TIMEOUT_MS;
	while (entry()?.state === 'stored' && Date.now() < deadline) {
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
	const recording = entry();
	if (!recording) throw new Error(`The service has not recorded the call ${sessionGuid}.`);
	const file = join(archive, `${sessionGuid}.${recording.format}`);
	const problem = await problemOf(recording, file);
	console.log(
		`  archive | ${relative(archive, file)} ${problem ?? `${recording.plainBytes} bytes`}`,
	);
	return { recording, problem };
}

async function problemOf(recording: LedgerEntry, file: string): Promise<string | undefined> {
	const digest = await sha256(file).catch(() => undefined);
	if (digest === undefined) return 'not archived';
	if (digest !== recording.plainSha256) return 'the archived file differs';
	if (recording.state !== 'deleted') return 'still at the service';
	return undefined;
}

async function sha256(file: string): Promise<string> {
	const hash = createHash('sha256');
	await pipeline(createReadStream(file), hash);
	return hash.digest('hex');
}

function report(archived: readonly Archived[], archive: string): void {
	console.log(`\nIn the archive folder ${relative(process.cwd(), archive)}:`);
	const row = (format: string, state: string, bytes: string, sha256: string, result: string) =>
		console.log(
			`  ${format.padEnd(6)} ${state.padEnd(10)} ${bytes.padStart(8)}  ${sha256.padEnd(64)}  ${result}`,
		);
	row('format', 'at service', 'bytes', 'SHA-256', 'result');
	for (const { recording, problem } of archived) {
		row(
			recording.format,
			recording.encrypted ? 'encrypted' : 'plain',
			String(recording.plainBytes),
			recording.plainSha256,
			problem ?? 'archived byte for byte, deleted at the service',
		);
	}
}

function headline(text: string): void {
	console.log(`\n${text} …`);
}

function portNumber(option: string, text: string): number {
	const port = Number(text);
	if (/^\d+$/.test(text) && port >= 1 && port <= 65_535) return port;
	throw new Error(`--${option} must be a number from 1 to 65535.`);
}

/** Aborted by Ctrl+C or a polite kill, so that n8n and the service are stopped in order. */
function stopSignal(): AbortSignal {
	const controller = new AbortController();
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.on(signal, () => controller.abort());
	}
	return controller.signal;
}

main().then(
	(code) => {
		process.exitCode = code;
	},
	(error: unknown) => {
		console.error(`\n${error instanceof Error ? error.message : String(error)}`);
		process.exitCode = 1;
	},
);
