/**
 * Carries out a plan: calls end, things go wrong, and n8n is killed and restarted, until nothing is
 * left to archive.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import {
	packedPackage,
	startN8n,
	type N8n,
	type Row,
	type Workflow,
} from '../../harness/n8n/n8n.mts';
import { createLedger } from '../../harness/ledger.mts';
import { addService } from '../../harness/stack.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { startChat } from '../../harness/standIns/chat.mts';
import type { StoredFile } from '../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow, withLedger } from '../../harness/workflows.mts';
import type { LedgerEntry } from '../../emulator/src/index.mts';
import { readExecutions, sqlite, type ExecutionRow } from './database.mts';
import { rowsAfterNights } from './ledger.mts';
import { outage } from './outages.mts';
import type { Plan, PlannedKill } from './plan.mts';
import { watchedService, type Seen, type Service } from './service.mts';
import { PATIENCE_MS, runClock, soakSweep, sweepAll } from './sweep.mts';

/** With this many open executions, further calls wait, so that a slow machine is not flooded. */
const MOST_AT_ONCE = 25;
const PROGRESS_MS = 10_000;

export interface Result extends Seen {
	plan: Pick<Plan, 'calls'>;
	recordings: LedgerEntry[];
	files: StoredFile[];
	executions: ExecutionRow[];
	/** Of the ledger, if it is kept. */
	rows?: Row[];
	/** What came to the chat. */
	notices?: string[];
}

/** @param say is told how far it is */
export async function soak(plan: Plan, say: (line: string) => void): Promise<Result> {
	const userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-soak-'));
	const query = sqlite(userFolder);
	const archive = await folderArchive();
	const chat = await startChat();
	const settings = { userFolder, allowedPaths: archive.n8n.allowedPaths };
	let n8n: N8n = await startN8n({ ...settings, packages: [packedPackage()] });
	const stack = await addService(n8n, { maxLogEntries: 100 });
	const { control } = stack.emulator;
	const places = { folder: archive.folder, userFolder, control };

	let killed = 0;
	let service: Service | undefined;
	let timer: NodeJS.Timeout | undefined;
	const progress = () => say(`${service?.progress()}, n8n killed ${killed} times`);
	let stopClock = () => {};

	/** Kills n8n. It starts again when this is called. */
	async function kill({ delayMs }: PlannedKill): Promise<() => Promise<void>> {
		await sleep(delayMs);
		const { port } = n8n;
		await n8n.stop({ kill: true });
		killed += 1;
		return async () => {
			n8n = await startN8n({ ...settings, port });
		};
	}

	/** How many executions have not ended. */
	async function busy(): Promise<number> {
		const executions = await readExecutions(query);
		return executions.filter(({ status }) => ['new', 'running'].includes(status)).length;
	}

	/** Waits until n8n has nothing to do. */
	async function idle(): Promise<void> {
		const deadline = Date.now() + PATIENCE_MS;
		for (let quiet = 0; quiet < 2 && Date.now() < deadline; await sleep(1_000)) {
			quiet = (await busy()) > 0 ? 0 : quiet + 1;
		}
	}

	try {
		await createLedger(n8n);
		const notice = readWorkflow('failure-notice');
		nodeOf(notice, 'Post the notice to your chat').parameters.url = chat.url;
		const publish = async (workflow: Workflow, settings = {}) => {
			Object.assign(workflow, { settings: { ...workflow.settings, ...settings } });
			const id = await n8n.importWorkflow(workflow, stack.credentials);
			await n8n.activate(id);
			return id;
		};
		const reporting = { errorWorkflow: await publish(notice) };
		const archiveId = await publish(withLedger(archive.configured()), reporting);
		const sweepId = await publish(soakSweep(archiveId), reporting);
		const webhookUrl = await n8n.webhookUrl(archiveId, 'When a call ends');
		service = watchedService(stack.emulator, archive.folder, webhookUrl);
		stopClock = runClock(control);
		timer = setInterval(progress, PROGRESS_MS);

		const kills = [...plan.kills];
		let outages = Promise.resolve();
		let down: { restart: Promise<() => Promise<void>>; calls: number } | undefined;
		const comeBack = async () => {
			if (!down) return;
			const restart = await down.restart;
			down = undefined;
			await restart();
		};
		for (const [index, call] of plan.calls.entries()) {
			await sleep(call.pauseMs);
			for (let turn = 0; !down && (await busy()) > MOST_AT_ONCE && turn < 100; turn++) {
				await sleep(200);
			}
			await service.callEnds(call);
			for (const planned of plan.outages.filter(({ afterCall }) => afterCall === index)) {
				outages = outages.then(async () => await outage(planned, places));
				// It is awaited later.
				outages.catch(() => undefined);
			}
			if (down && --down.calls <= 0) await comeBack();
			while (kills[0]?.afterCall === index) {
				await comeBack();
				const next = kills.shift() as PlannedKill;
				down = { restart: kill(next), calls: next.callsWhileDown };
			}
		}
		await comeBack();
		await service.settled();
		await outages;

		await sweepAll(control, n8n, sweepId, idle);
		progress();
		const rows = await rowsAfterNights(n8n, userFolder);
		await n8n.stop();
		return {
			plan,
			rows,
			notices: chat.messages,
			files: await archive.files(),
			recordings: control.recordings(),
			executions: await readExecutions(query),
			...service.seen,
		};
	} finally {
		clearInterval(timer);
		stopClock();
		service?.close();
		await n8n.stop({ kill: true });
		await stack.stop();
		await archive.close();
		await chat.close();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	}
}
