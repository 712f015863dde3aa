/** What the pictures show: a service with recordings, and an n8n that is set up for it. */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { publishPages } from '../pages.mts';
import { startGoogleDrive } from '../standIns/googleDrive.mts';
import { PASSWORD, startStack, type Stack } from '../stack.mts';
import type { Credential, Workflow, WorkflowNode } from '../n8n/n8n.mts';
import { ARCHIVE_NODE, readWorkflow } from '../workflows.mts';

/** What archive-to-folder writes to. */
export const FOLDER = join(tmpdir(), 'call-recordings');
/** Where the archive is in the compose files, and in the pictures. */
export const SHOWN_PATH = '/archive';

/** Recordings that the service keeps: number called, hours since the call. */
export const CALLS = [
	['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '+15550100', 1],
	['9b2d7c61-0e5a-4c38-b7f4-6a1c2e8d5f02', '+15550142', 130],
	['c81e728d-9d4c-4f63-8f06-7f89cc14862c', '+15550117', 150],
] as const;
export const [[SESSION_GUID]] = CALLS;

export interface Scene extends Pick<Stack, 'n8n' | 'emulator'> {
	/** By type. */
	credentials: Record<string, Credential>;
	/** Id of the workflow archive-to-google-drive. */
	archive: string;
	close(): Promise<void>;
}

export async function startScene(): Promise<Scene> {
	// Of a run that did not end.
	rmSync(FOLDER, { recursive: true, force: true });
	mkdirSync(FOLDER);
	const drive = await startGoogleDrive();
	const stack = await startStack({
		n8n: {
			env: {
				...drive.env,
				// An address as a user's n8n has one.
				N8N_WEBHOOK_URL: 'https://n8n.example.com/',
				GENERIC_TIMEZONE: 'Etc/UTC',
			},
			allowedPaths: [FOLDER],
			editor: true,
		},
	}).catch(async (error: unknown) => {
		await drive.close();
		throw error;
	});
	const { n8n, emulator } = stack;
	const { control } = emulator;
	for (const [sessionGuid, to, hoursAgo] of CALLS) {
		await control.addRecording({
			sessionGuid,
			to,
			from: '+15550199',
			endedAt: new Date(control.now() - hoursAgo * 3_600_000).toISOString(),
			durationSeconds: 95,
			password: PASSWORD,
		});
	}
	const credentials = {
		...stack.credentials,
		googleDriveOAuth2Api: await n8n.createCredential(drive.oauthCredential()),
		aws: await n8n.createCredential({
			name: 'AWS account',
			type: 'aws',
			data: { region: 'us-east-1', accessKeyId: 'A', secretAccessKey: 'A' },
		}),
		openAiApi: await n8n.createCredential({ name: 'OpenAI account', type: 'openAiApi', data: {} }),
	};

	return {
		n8n,
		emulator,
		credentials,
		archive: await n8n.importWorkflow(userWorkflow('archive-to-google-drive'), credentials),
		async close() {
			await stack.stop();
			await drive.close();
			rmSync(FOLDER, { recursive: true, force: true });
		},
	};
}

const withPages = new WeakSet<Scene>();

/** Publishes the pages of the archive, unless another picture of this scene has done so. */
export async function publishPagesIn(scene: Scene): Promise<void> {
	if (withPages.has(scene)) return;
	withPages.add(scene);
	await publishPages(scene.n8n, scene.credentials);
}

/**
 * Calls to these numbers, archived by archive-to-folder. Returns the id of the workflow.
 *
 * @param withLedger whether its nodes that note the calls are activated
 */
export async function archiveCalls(
	{ n8n, emulator: { control }, credentials }: Scene,
	numbers: string[],
	{ withLedger = false } = {},
): Promise<string> {
	const { nodes, ...workflow } = userWorkflow('archive-to-folder');
	for (const node of nodes) {
		if (withLedger && node.type.endsWith('.dataTable')) node.disabled = false;
	}
	const id = await n8n.importWorkflow(
		{ ...workflow, nodes: nodes.filter(({ type }) => !type.endsWith('stickyNote')) },
		credentials,
	);
	await n8n.activate(id);
	control.setWebhooks({ callEnd: await n8n.webhookUrl(id, 'When a call ends') });
	control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
	for (const to of numbers) {
		const { sessionGuid } = control.placeCall({ to, durationSeconds: Number(to.slice(-3)) });
		await control.completedCall(sessionGuid);
	}
	await n8n.waitForExecutions({ workflowId: id, count: numbers.length });
	return id;
}

/** What a user enters into nodes of the archive workflows. */
const entered: Record<string, WorkflowNode['parameters']> = {
	'Upload recording to Google Drive': {
		folderId: { __rl: true, mode: 'list', value: 'root', cachedResultName: '/ (Root folder)' },
	},
	'Upload recording to S3': {
		url: '=https://s3.us-east-1.amazonaws.com/call-recordings/{{ encodeURIComponent($json.fileName) }}',
	},
	'Write recording to folder': { fileName: `=${FOLDER}/{{ $json.fileName }}` },
};

/** A workflow of this repository as its user has set it up. */
export function userWorkflow(name: string, archiveId = ''): Workflow {
	const workflow = readWorkflow(name);
	for (const node of workflow.nodes) {
		Object.assign(node.parameters, entered[node.name]);
		if (node.name === ARCHIVE_NODE) {
			node.parameters.workflowId = {
				__rl: true,
				mode: 'list',
				value: archiveId,
				cachedResultName: 'archive-to-google-drive',
			};
		}
		// As n8n gives one to a trigger that it imports.
		if (node.type.endsWith('Trigger')) node.webhookId ??= crypto.randomUUID();
	}
	return workflow;
}
