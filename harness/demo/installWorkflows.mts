/** Brings credentials, the ledger and the workflows into n8n, once: a second start finds them again. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

import { createLedger, LEDGER } from '../ledger.mts';
import type { Credential, CredentialInput, N8n, Workflow } from '../n8n/n8n.mts';
import { archiveToFolder, nodeOf, readWorkflow } from '../workflows.mts';

interface Installed {
	archiveId: string;
	reportId: string;
	credentials: Record<string, Credential>;
	/** Fingerprint of the workflows as they were imported. */
	version: string;
}

export interface InstallOptions {
	/** Keeps the ids for the next start. */
	stateFile: string;
	/** Folder to archive into. */
	archive: string;
	service: { baseUrl: string; apiKey: string };
	/** Password of encrypted recordings. */
	password: string;
	/** Header that the webhooks of the service carry. */
	webhook: { headerName: string; secret: string };
}

/** @returns the ids of the active archive workflow and of the report */
export async function installWorkflows(
	n8n: N8n,
	options: InstallOptions,
): Promise<Pick<Installed, 'archiveId' | 'reportId'>> {
	if ((await n8n.dataTable(LEDGER)) === undefined) await createLedger(n8n);
	const workflows = [archiveWithLedger(options.archive), readWorkflow('daily-report')] as const;
	const version = createHash('sha256').update(JSON.stringify(workflows)).digest('hex');
	const former = await readInstalled(n8n, options.stateFile);

	const credentials = {
		voiceAgentApi: await upsert(n8n, former?.credentials.voiceAgentApi, {
			name: 'VoiceAgent emulator',
			type: 'voiceAgentApi',
			data: { ...options.service },
		}),
		voiceAgentRecordingPasswordApi: await upsert(
			n8n,
			former?.credentials.voiceAgentRecordingPasswordApi,
			{
				name: 'Demo recording password',
				type: 'voiceAgentRecordingPasswordApi',
				data: { password: options.password },
			},
		),
		voiceAgentWebhookApi: await upsert(n8n, former?.credentials.voiceAgentWebhookApi, {
			name: 'Demo webhook secret',
			type: 'voiceAgentWebhookApi',
			data: { sendIn: 'header', ...options.webhook },
		}),
	};

	// Workflows of the same version stay as they are, with the changes that were made in the editor.
	let { archiveId, reportId } = former ?? {};
	if (former?.version !== version || archiveId === undefined || reportId === undefined) {
		for (const id of [archiveId, reportId]) if (id !== undefined) await n8n.deleteWorkflow(id);
		[archiveId, reportId] = [
			await n8n.importWorkflow(workflows[0], credentials),
			await n8n.importWorkflow(workflows[1], credentials),
		];
	}
	await n8n.activate(archiveId);
	const installed: Installed = { archiveId, reportId, credentials, version };
	await writeFile(options.stateFile, JSON.stringify(installed, null, '\t'));
	return { archiveId, reportId };
}

function archiveWithLedger(folder: string): Workflow {
	const workflow = archiveToFolder(folder);
	nodeOf(workflow, 'Note the call in the ledger').disabled = false;
	// The address stays the same at each start, and is the one in the emulator's examples.
	nodeOf(workflow, 'When a call ends').webhookId = 'call-end';
	return workflow;
}

async function upsert(
	n8n: N8n,
	former: Credential | undefined,
	credential: CredentialInput,
): Promise<Credential> {
	if (!former) return await n8n.createCredential(credential);
	await n8n.updateCredential(former.id, credential);
	return former;
}

/** What the last start has installed, if it is all still there. */
async function readInstalled(n8n: N8n, stateFile: string): Promise<Installed | undefined> {
	try {
		const installed = JSON.parse(await readFile(stateFile, 'utf8')) as Installed;
		for (const id of [installed.archiveId, installed.reportId]) {
			await n8n.rest('GET', `/rest/workflows/${id}`);
		}
		for (const { id } of Object.values(installed.credentials)) {
			await n8n.rest('GET', `/rest/credentials/${id}`);
		}
		return installed;
	} catch {
		// This is the first start, or something was deleted in n8n.
		return undefined;
	}
}
