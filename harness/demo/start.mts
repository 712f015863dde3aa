/**
 * `npm start`: an emulated service and a real n8n with the archive workflow. When a call ends, n8n
 * downloads its recording, decrypts it, writes it to a folder and deletes it from the service. Then
 * the daily report says so.
 */
import { EventEmitter } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { endWithNpm } from '../../emulator/src/end-with-npm.mjs';
import { createEmulator, type Emulator, type EmulatorEvent } from '../../emulator/src/index.mts';
import { readOptions } from '../../scripts/options.mjs';
import { stopSignals } from '../../scripts/processGroup.mjs';
import { owner, packedPackage, startN8n, type N8n } from '../n8n/n8n.mts';
import { VIEWER } from '../pages.mts';
import { API_KEY, PASSWORD, WEBHOOK_HEADER } from '../serviceAccess.mts';
import { callLines } from './callLines.mts';
import { placeCall, report, type Archived } from './calls.mts';
import { dailyReport } from './dailyReport.mts';
import { installWorkflows } from './installWorkflows.mts';
import { choosePort } from './ports.mts';

// The examples of the emulator's Swagger UI have this value, so that they can be sent as they are.
const webhookSecret = 'not-secret-only-for-tests';
const FORMATS = ['opus', 'mp3', 'wav'] as const;

async function main(): Promise<number> {
	// What they mean is in start.help.txt.
	const { values } = readOptions({
		options: {
			once: { type: 'boolean', default: false },
			'n8n-port': { type: 'string' },
			'emulator-port': { type: 'string' },
			folder: { type: 'string', default: '.demo' },
		},
	});
	const n8nPort = await choosePort({
		option: '--n8n-port',
		given: values['n8n-port'],
		usual: 5678,
		what: 'n8n',
	});
	const emulatorPort = await choosePort({
		option: '--emulator-port',
		given: values['emulator-port'],
		usual: 8480,
		what: 'the emulated service',
	});
	const folder = resolve(values.folder);
	const archive = join(folder, 'archive');
	const stopped = stopSignal();
	await mkdir(archive, { recursive: true });

	headline('Starting the emulated service');
	const events = new EventEmitter<{ event: [EmulatorEvent] }>();
	const emulator = await createEmulator({
		port: emulatorPort,
		dataDir: join(folder, 'emulator'),
		callSpeed: 4,
		onEvent: (event) => void events.emit('event', event),
	});
	const showLine = callLines(emulator.control, archive);
	events.on('event', (event) => void showLine(event));
	try {
		headline('Starting n8n (the first start takes about 20 seconds)');
		const n8n = await startN8n({
			port: n8nPort,
			userFolder: join(folder, 'n8n'),
			packages: [packedPackage()],
			allowedPaths: [archive],
			editor: true,
		});
		try {
			return await run(n8n, emulator, { archive, once: values.once, stopped });
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
	{ archive, once, stopped }: { archive: string; once: boolean; stopped: AbortSignal },
): Promise<number> {
	headline('Setting up n8n: owner, credentials, ledger, workflows');
	emulator.control.setWebhookDelivery({
		secret: { in: 'header', name: WEBHOOK_HEADER, value: webhookSecret },
	});
	const secrets = { apiKey: API_KEY, password: PASSWORD, webhookSecret };
	const { archiveId, reportId } = await installWorkflows(n8n, emulator, archive, secrets);
	const callEnd = await n8n.webhookUrl(archiveId, 'When a call ends');
	emulator.control.setWebhooks({ callEnd });

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
	const guids = archived.flatMap((one) => (one.problem ? [] : [one.recording.sessionGuid]));
	const earlier = archivedWithin24Hours(emulator) - guids.length;
	const also = earlier > 0 ? `, so it counts ${earlier} of earlier starts too` : '';
	console.log(`\nWhat the daily report says. It covers 24 hours${also}:`);
	console.log((await dailyReport(n8n, reportId, guids)).replace(/^/gm, '  report  | '));
	const complete = archived.every(({ problem }) => problem === undefined);
	if (once) return complete ? 0 : 1;

	console.log(`
Look around:
  n8n         ${n8n.url}   sign in as ${owner.email}, password ${owner.password}
  status      ${n8n.url}/webhook/voiceagent/status   user ${VIEWER.user}, password ${VIEWER.password}
  find a call ${n8n.url}/webhook/voiceagent/find-a-call   the same
  workflow    ${n8n.url}/workflow/${archiveId}
  report      ${n8n.url}/workflow/${reportId}
  Swagger UI  ${emulator.url}/swagger   Token: ${API_KEY}
  archive     ${archive}

Build your own. n8n has a credential with these values already, and selects it in each node:
${buildYourOwn(emulator.url, archive)}

CallEnd goes to the workflow above. To send it to your own, enter the Production URL of your trigger:
  ${setCallEnd(emulator.url, 'YOUR_PRODUCTION_URL')}
And back again:
  ${setCallEnd(emulator.url, callEnd)}

Everything keeps running, and every call that ends is archived. Place one:
  curl -H 'Token: ${API_KEY}' -H 'Content-Type: application/json' -d '{"to":"+15550123"}' ${emulator.url}/api/customer/makecall

Stop with Ctrl+C.`);
	await new Promise((resolve) => {
		if (stopped.aborted) resolve(undefined);
		stopped.addEventListener('abort', resolve);
	});
	return 0;
}

/** How many recordings have left the service for the archive in the time of the daily report. */
function archivedWithin24Hours({ control }: Emulator): number {
	const since = control.now() - 86_400_000;
	return control
		.recordings()
		.filter(({ state, stateSince }) => state === 'deleted' && Date.parse(stateSince) >= since)
		.length;
}

/** In the words of the credentials' forms. */
function buildYourOwn(baseUrl: string, archive: string): string {
	const rows = [
		['VoiceAgent API', 'Base URL', baseUrl],
		['', 'API Key', API_KEY],
		['', 'Recording Password', PASSWORD],
		['', 'Webhook Secret', webhookSecret],
		['', 'Header Name', WEBHOOK_HEADER],
		['Folder that n8n may write to', '', archive],
	] as const;
	return rows
		.map(([credential, field, value]) => `  ${credential.padEnd(35)}${field.padEnd(20)}${value}`)
		.join('\n');
}

function setCallEnd(baseUrl: string, url: string): string {
	const body = `{"callEnd":"${url}"}`;
	const address = `${baseUrl}/control/webhooks`;
	return `curl -X PUT -H 'Content-Type: application/json' -d '${body}' ${address}`;
}

function headline(text: string): void {
	console.log(`\n${text} …`);
}

/** Aborted by Ctrl+C, by another signal or with npm, so that n8n and the service stop in order. */
function stopSignal(): AbortSignal {
	const controller = new AbortController();
	for (const signal of stopSignals) process.on(signal, () => controller.abort());
	endWithNpm(() => controller.abort());
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
