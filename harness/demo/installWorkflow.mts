/** Brings credentials and the archive workflow into n8n, once: a second start finds them again. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

import type { Credential, CredentialInput, N8n } from '../n8n/n8n.mts';
import { archiveToFolder } from '../workflows.mts';

interface Installed {
	workflowId: string;
	credentials: Record<string, Credential>;
	/** Fingerprint of the workflow as it was imported. */
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

/** @returns the id of the active workflow */
export async function installWorkflow(n8n: N8n, options: InstallOptions): Promise<string> {
	const workflow = archiveToFolder(options.archive);
	const version = createHash('sha256').update(JSON.stringify(workflow)).digest('hex');
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

	// A workflow of the same version stays as it is, with the changes that were made in the editor.
	let workflowId = former?.workflowId;
	if (former?.version !== version || workflowId === undefined) {
		if (workflowId !== undefined) await n8n.deleteWorkflow(workflowId);
		workflowId = await n8n.importWorkflow(workflow, credentials);
	}
	await n8n.activate(workflowId);
	const installed: Installed = { workflowId, credentials, version };
	await writeFile(options.stateFile, JSON.stringify(installed, null, '\t'));
	return workflowId;
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
		await n8n.rest('GET', `/rest/workflows/${installed.workflowId}`);
		for (const { id } of Object.values(installed.credentials)) {
			await n8n.rest('GET', `/rest/credentials/${id}`);
		}
		return installed;
	} catch {
		// This is the first start, or something was deleted in n8n.
		return undefined;
	}
}
