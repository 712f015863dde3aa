/** The core workflows in a real n8n, with a service that answers as its profile shows. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { createLedger } from '../../harness/ledger.mts';
import type { Execution, N8n } from '../../harness/n8n/n8n.mts';
import { accountData, WEBHOOK_HEADER } from '../../harness/serviceAccess.mts';
import { addService, PASSWORD, type Stack } from '../../harness/stack.mts';
import { folderArchive } from '../../harness/standIns/archives.mts';
import { type Chat, startChat } from '../../harness/standIns/chat.mts';
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow, SWEEP_TRIGGER, sweepInto } from '../../harness/workflows.mts';
import { assertArchived, publishArchive } from '../n8n/archived.mts';
import { configuredRescue, TRIGGER as RESCUE_TRIGGER } from '../n8n/workflows/rescue.mts';
import type { Profile, Step } from './mainJob.mts';

const DAY = 24 * 3_600_000;

/** What each step needs. */
interface Job extends Stack {
	/** Where n8n may write. */
	folder: string;
	chat: Chat;
	archive: Awaited<ReturnType<typeof folderArchive>>;
	archiveId: string;
	/** Stores a recording whose call ended so many days ago. */
	waiting(days: number): Promise<string>;
}

/**
 * Runs each core workflow once, with the settings that the profile proposes.
 *
 * @param folder where this n8n may write
 */
export async function coreWorkflows(n8n: N8n, folder: string, profile: Profile): Promise<Step[]> {
	const stack = await addService(n8n, { profile });
	const chat = await startChat();
	const archive = await folderArchive(folder);
	const ledger = await createLedger(n8n);
	try {
		const { control } = stack.emulator;
		const account = { ...accountData(stack.emulator.url), ...profile.settings };
		const data = { ...account, webhookVerification: 'sharedSecret', headerName: WEBHOOK_HEADER };
		const credential = { name: 'Profile', type: 'voiceAgentApi', data };
		Object.assign(stack.credentials, { voiceAgentApi: await n8n.createCredential(credential) });
		const archiveId = await publishArchive(stack, archive.configured());
		const waiting = async (days: number) => {
			const endedAt = new Date(control.now() - days * DAY).toISOString();
			return (await control.addRecording({ endedAt, password: PASSWORD })).sessionGuid;
		};
		const job = { ...stack, folder, chat, archive, archiveId, waiting };
		return [
			await step('archive-to-folder', 'archived and deleted', async () => await archived(job)),
			await step('sweep-before-purge', 'archived and deleted', async () => await swept(job)),
			await step('rescue-before-purge', 'stored untouched', async () => await rescued(job)),
			await step('report-and-status', 'names what waits', async () => await reported(job)),
		];
	} finally {
		await stack.stop();
		chat.close();
		await archive.close();
		await ledger.remove();
	}
}

/** @param run fails with what does not work */
async function step(workflow: string, said: string, run: () => Promise<void>): Promise<Step> {
	const name = `Workflow: ${workflow}`;
	try {
		await run();
		return { name, works: true, said };
	} catch (error) {
		return { name, works: false, said: (error as Error).message };
	}
}

async function archived(job: Job): Promise<void> {
	const { emulator, n8n, archive, archiveId } = job;
	const sessionGuid = await job.waiting(0.1);
	const { status, replyBody } = await emulator.control.sendCallEnd(sessionGuid);
	if (status !== 200) throw new Error(`CallEnd is answered with ${status}: ${replyBody}`);
	const [execution] = await n8n.waitForExecutions({ workflowId: archiveId, count: 1 });
	requireSuccess(execution);
	assertArchived(await archive.files(), job.ledger(sessionGuid));
}

async function swept(job: Job): Promise<void> {
	const { n8n, credentials, archive, archiveId } = job;
	const guids = [await job.waiting(3), await job.waiting(2), await job.waiting(1)];
	const id = await n8n.importWorkflow(sweepInto(archiveId), credentials);
	requireSuccess(await n8n.run(id, { trigger: SWEEP_TRIGGER }));
	for (const guid of guids) assertArchived(await archive.files(), job.ledger(guid));
}

async function rescued(job: Job): Promise<void> {
	const { emulator, n8n, credentials, chat } = job;
	const folder = await mkdtemp(join(job.folder, 'rescue-'));
	const sessionGuid = await job.waiting(5.5);
	const stored = await readFile(await emulator.control.storedFile(sessionGuid));
	const id = await n8n.importWorkflow(configuredRescue(folder, chat.url), credentials);
	requireSuccess(await n8n.run(id, { trigger: RESCUE_TRIGGER }));
	const names = await readdir(folder);
	const files = await Promise.all(names.map(async (name) => await readFile(join(folder, name))));
	if (!files.some((file) => sha256(file) === sha256(stored))) {
		throw new Error(`the folder has ${names.join(', ') || 'no file'}, and not the untouched one`);
	}
}

/** The recording that was rescued is still at the service, and soon purged. */
async function reported(job: Job): Promise<void> {
	const { n8n, credentials, chat } = job;
	const sessionGuid = await job.waiting(5.6);
	const workflow = readWorkflow('report-and-status');
	nodeOf(workflow, 'Post the report to your chat').parameters.url = chat.url;
	const id = await n8n.importWorkflow(workflow, credentials);
	requireSuccess(await n8n.run(id, { trigger: 'Every morning' }));
	const report = String(chat.messages.at(-1));
	if (!report.includes(sessionGuid)) throw new Error(`the report does not name it: ${report}`);
}

function requireSuccess(execution: Execution | undefined): void {
	if (execution?.status === 'success') return;
	const { message = 'no execution', description = '' } = execution?.error ?? {};
	throw new Error(`${message}. ${description}`.trim());
}
