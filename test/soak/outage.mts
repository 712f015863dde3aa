/** n8n is down while calls end, and comes back: what the service still has is archived, and what it has purged is named. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { createLedger, rowOf } from '../../harness/ledger.mts';
import { packedPackage, startN8n, type Execution, type N8n } from '../../harness/n8n/n8n.mts';
import { addService, PASSWORD } from '../../harness/stack.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { startChat } from '../../harness/standIns/chat.mts';
import { nodeOf, readWorkflow, SWEEP_TRIGGER } from '../../harness/workflows.mts';
import { sha256, wholeFiles } from '../n8n/kills/reader.mts';
import { ONE_CONNECTION } from '../n8n/recordingTrigger/waiting.mts';
import { look, soakSweep } from './sweep.mts';

const HOUR = 3_600_000;
const PATIENCE_MS = 900_000;
/** Less than the service purges after the first list. */
const MOST_PER_CHECK = 5;
/** More than passes while an execution downloads. */
const TRY_AGAIN_HOURS = 48;
/** A recording is left to the webhook for 60 minutes. */
const YOUNG_MS = 65 * 60_000;

export interface Outage {
	hours: number;
	calls: number;
	/** Recordings that could not be archived before the outage, and are purged in it. */
	failing: number;
	/** How much time passes between the list of the first check and the first download. */
	hoursUntilDownload: number;
}

export interface Survived {
	archived: number;
	/** Session GUIDs of what the service has purged. */
	purged: string[];
	/** What went wrong. */
	faults: string[];
}

/** @param say is told how far it is */
export async function survive(
	outages: readonly Outage[],
	say: (line: string) => void,
): Promise<Survived[]> {
	const userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-outage-'));
	const archive = await folderArchive();
	const chat = await startChat();
	const settings = {
		userFolder,
		env: ONE_CONNECTION,
		allowedPaths: archive.n8n.allowedPaths,
	};
	let n8n: N8n = await startN8n({ ...settings, packages: [packedPackage()] });
	const { port } = n8n;
	const { emulator, credentials, stop } = await addService(n8n);
	const { control } = emulator;
	let sweepId = '';
	try {
		await createLedger(n8n);
		const archiving = archive.configured();
		nodeOf(archiving, 'Note the call in the ledger').disabled = false;
		const archiveId = await n8n.importWorkflow(archiving, credentials);
		await n8n.activate(archiveId);
		const sweep = soakSweep(archiveId, {
			mostPerCheck: MOST_PER_CHECK,
			tryAgainAfter: TRY_AGAIN_HOURS,
		});
		sweepId = await n8n.importWorkflow(sweep, credentials);
		await n8n.activate(sweepId);
		const report = readWorkflow('daily-report');
		nodeOf(report, 'Post the report to your chat').parameters.url = chat.url;
		const reportId = await n8n.importWorkflow(report, credentials);
		control.setWebhooks({ callEnd: await n8n.webhookUrl(archiveId, 'When a call ends') });

		const survived: Survived[] = [];
		/** Lost so far. The report goes on naming them. */
		const lost: string[] = [];
		let handedOut = 0;
		for (const outage of outages) {
			const failing = await addFailing(outage.failing);
			handedOut += failing.length;
			const before = handedOut;
			await n8n.stop();
			const ended = await callsEnd(outage);
			say(
				`${outage.calls} calls have ended while n8n was down for ${outage.hours.toFixed(1)} hours`,
			);
			const undo = jumpAtFirstDownload(outage.hoursUntilDownload);
			n8n = await startN8n({ ...settings, port });
			await caughtUp();
			undo();
			// Those that had failed are reported as lost.
			handedOut += ended.length + failing.length;
			const executions = await n8n.waitForExecutions({
				...{ workflowId: sweepId, count: handedOut },
				timeoutMs: PATIENCE_MS,
			});
			await n8n.run(reportId, { trigger: 'Every morning' });
			const all = [...failing, ...ended];
			const result = await judgeOutage(all, executions.slice(before));
			lost.push(...result.purged);
			const named = lostIn(String(chat.messages.at(-1)));
			if (named.toSorted().join() !== lost.toSorted().join()) {
				result.faults.push(`Lost are ${lost.join()}; the report says ${named.join()}`);
			}
			survived.push(result);
		}
		return survived;
	} finally {
		await n8n.stop({ kill: true });
		await stop();
		chat.close();
		await archive.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	}

	/** Recordings that n8n fails to archive, as its ledger says. */
	async function addFailing(count: number): Promise<string[]> {
		const ledger = await createLedger(n8n);
		const guids: string[] = [];
		for (let index = 0; index < count; index++) {
			const endedAt = new Date(control.now() - 8 * HOUR).toISOString();
			const { sessionGuid } = await control.addRecording({ endedAt, password: PASSWORD });
			await control.tamper(sessionGuid, { flipBitAt: 100 });
			guids.push(sessionGuid);
		}
		await look(n8n, sweepId);
		for (const sessionGuid of guids) {
			await rowOf(ledger, sessionGuid, ({ lastError }) => lastError !== undefined);
		}
		return guids;
	}

	/** Calls end all through the outage. Nobody hears their webhooks. */
	async function callsEnd({ hours, calls }: Outage): Promise<string[]> {
		const guids: string[] = [];
		for (let index = 0; index < calls; index++) {
			const { sessionGuid } = await control.addRecording({
				durationSeconds: 1,
				...(index % 10 === 0 && { password: PASSWORD }),
			});
			await control.sendCallEnd(sessionGuid);
			guids.push(sessionGuid);
			await control.advanceClock((hours * HOUR - YOUNG_MS) / calls);
		}
		await control.advanceClock(YOUNG_MS);
		return guids;
	}

	/** The list that the sweep has read is old when its first recording is downloaded. */
	function jumpAtFirstDownload(hours: number): () => void {
		const name = 'http.server.request.start';
		const undo = () => void unsubscribe(name, onRequest);
		const onRequest = (message: unknown) => {
			const { request } = message as { request: IncomingMessage };
			const isOurs = request.socket.localPort === Number(new URL(emulator.url).port);
			if (!isOurs || !/recordings\/./.test(String(request.url))) return;
			undo();
			void control.advanceClock(hours * HOUR);
		};
		subscribe(name, onRequest);
		return undo;
	}

	async function caughtUp(): Promise<void> {
		const stored = () => control.recordings().filter(({ state }) => state === 'stored').length;
		const deadline = Date.now() + PATIENCE_MS;
		for (let left = stored(); left > 0 && Date.now() < deadline; left = stored()) {
			say(`${left} recordings are left at the service`);
			await sleep(3_000);
			await look(n8n, sweepId);
		}
	}

	async function judgeOutage(all: string[], sweeps: Execution[]): Promise<Survived> {
		const faults: string[] = [];
		const files = await archive.files();
		const purged: string[] = [];
		for (const sessionGuid of all) {
			const entry = control.recordings().find((one) => one.sessionGuid === sessionGuid);
			const whole = wholeFiles(files.filter(({ name }) => name.includes(sessionGuid)));
			if (entry?.state === 'purged' && whole.length === 0) {
				purged.push(sessionGuid);
				const isNamed = sweeps.some(({ error }) =>
					error?.message.includes(`LOST: the recording ${sessionGuid} is not archived`),
				);
				if (!isNamed) {
					faults.push(`${sessionGuid} was purged, and the sweep does not say so`);
				}
			} else if (whole.map(({ content }) => sha256(content)).join() !== entry?.plainSha256) {
				faults.push(`${sessionGuid} has ${whole.length} copies`);
			} else if (entry.state !== 'deleted') faults.push(`${sessionGuid} is ${entry.state}`);
		}
		const order = sweeps.map((one) => one.items(SWEEP_TRIGGER)[0]?.json.sessionGuid);
		const archived = all.filter((sessionGuid) => !purged.includes(sessionGuid));
		const isArchived = (sessionGuid: unknown) => archived.includes(String(sessionGuid));
		if (order.filter(isArchived).join() !== archived.join()) {
			const numbers = order.map((sessionGuid) => all.indexOf(String(sessionGuid)));
			faults.push(`The oldest were not archived first: ${numbers.join()}`);
		}
		return { archived: archived.length, purged, faults };
	}
}

/** The session GUIDs that a daily report names below "Lost". */
function lostIn(report: string): string[] {
	const [, list = ''] = /^Lost: \d+\n((?:- .*\n)+)/m.exec(report) ?? [];
	return [...list.matchAll(/^- ([\da-f-]{36}):/gm)].map(([, sessionGuid = '']) => sessionGuid);
}

/**
 * Two outages. In the first one, the service purges recordings. It comes first because n8n's own clock, by which the
 * report goes, stays behind that of the service.
 */
export const outagesWith = (calls: number): Outage[] => [
	{ hours: 6.9 * 24, calls, failing: 3, hoursUntilDownload: 31 },
	{ hours: 48, calls, failing: 0, hoursUntilDownload: 0 },
];
