/**
 * `npm run screenshots`: takes the pictures of the documentation from the running product; with names, only those:
 * `npm run screenshots -- node-delete execution`.
 */
import { createHash } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Locator, Page } from 'playwright-core';

import { startGoogleDrive } from '../standIns/googleDrive.mts';
import { API_KEY, byGuid, chain, PASSWORD, startStack } from '../stack.mts';
import {
	canvasNode,
	fillIn,
	openEditor,
	openExecutions,
	openNode,
	readWebhookUrl,
	showWorkflow,
	successMark,
} from '../editor.mts';
import type { Workflow } from '../n8n/n8n.mts';
import { readWorkflow, workflowNames } from '../workflows.mts';

const IMAGES = join(import.meta.dirname, '../../docs/images');

/** Recordings that the service keeps: number called, hours since the call. */
const CALLS = [
	['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '+15550100', 1],
	['9b2d7c61-0e5a-4c38-b7f4-6a1c2e8d5f02', '+15550142', 130],
	['c81e728d-9d4c-4f63-8f06-7f89cc14862c', '+15550117', 150],
] as const;
const [[SESSION_GUID], , [ARCHIVED_GUID]] = CALLS;

interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}
interface Picture {
	/** Shows it, and returns what to cut out of the page. */
	show(page: Page): Promise<Locator | Area>;
	/** In the dark theme too. */
	dark?: boolean;
	size?: { width: number; height: number };
}

const WINDOW = { width: 1500, height: 720 };
const TALL = { width: 1500, height: 860 };
/** Only the widest workflows are made a little smaller to fit in. */
const WALL = { width: 2700, height: 1600 };

/**
 * Without messages in the corner, the dots of the canvas, shortcuts to the nodes before and after, and the id that the
 * chosen workflow happens to have here.
 */
const STYLE = `
	.el-notification, [data-test-id=canvas-background], [data-test-id=floating-node],
	[data-node-name="Archive it"] [class*=subtitle] {
		visibility: hidden !important;
	}
`;

const drive = await startGoogleDrive();
const stack = await startStack({
	// An address as a user's n8n has one.
	n8n: { env: { ...drive.env, WEBHOOK_URL: 'https://n8n.example.com/' } },
});
const { n8n, emulator } = stack;
try {
	await mkdir(IMAGES, { recursive: true });
	await run(await pictures());
} finally {
	await stack.stop();
	await drive.close();
}

async function run(all: Record<string, Picture>): Promise<void> {
	const wanted = process.argv.slice(2);
	const unknown = wanted.filter((name) => !(name in all));
	if (unknown.length > 0) {
		throw new Error(
			`No such picture: ${unknown.join(', ')}. Known: ${Object.keys(all).join(', ')}`,
		);
	}
	for (const theme of ['light', 'dark'] as const) {
		const { page, close } = await openEditor(n8n, { ...WINDOW, dark: theme === 'dark' });
		for (const [name, { show, dark = false, size = WINDOW }] of Object.entries(all)) {
			if (wanted.length > 0 && !wanted.includes(name)) continue;
			if (theme === 'dark' && !dark) continue;
			const path = join(IMAGES, `${name}${theme === 'dark' ? '-dark' : ''}.png`);
			await page.setViewportSize(size);
			const subject = await show(page);
			// Under the mouse, fields show buttons.
			await page.mouse.move(0, 0);
			const options = { path, animations: 'disabled', style: STYLE } as const;
			if ('x' in subject) await page.screenshot({ ...options, clip: subject });
			else await subject.screenshot(options);
			const kilobytes = Math.round((await stat(path)).size / 1000);
			console.log(`${relative(process.cwd(), path)} ${kilobytes} kB`);
		}
		await close();
	}
}

async function pictures(): Promise<Record<string, Picture>> {
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
	const wrongPassword = await n8n.createCredential({
		name: 'Old recording password',
		type: 'voiceAgentRecordingPasswordApi',
		data: { password: 'not this one' },
	});
	const credentials = {
		...stack.credentials,
		googleDriveOAuth2Api: await n8n.createCredential(drive.oauthCredential()),
		s3: await n8n.createCredential({
			name: 'S3 account',
			type: 's3',
			data: { endpoint: 'https://s3.example.com', region: 'us-east-1' },
		}),
		openAiApi: await n8n.createCredential({ name: 'OpenAI account', type: 'openAiApi', data: {} }),
	};

	const archive = await n8n.importWorkflow(ready('archive-to-google-drive'), credentials);
	const open = async (page: Page, workflow: Workflow, given = {}) =>
		await showWorkflow(page, n8n, await n8n.importWorkflow(workflow, { ...credentials, ...given }));

	/** A workflow of this repository, all of it. */
	const canvas = (name: string): Picture => ({
		size: WALL,
		show: async (page) => {
			await open(page, ready(name, archive));
			return await areaOf(page.locator('.vue-flow__node, .vue-flow__node *, .vue-flow__edge path'));
		},
	});

	/** The trigger of the archive workflow, with one of its addresses. */
	const trigger = (address: 'test' | 'production'): Picture => ({
		dark: true,
		show: async (page) => {
			await showWorkflow(page, n8n, archive);
			const ndv = await openNode(page, 'When a call ends');
			await readWebhookUrl(page, address);
			return ndv;
		},
	});

	/** The panel of a node, filled in. */
	const panel = (
		node: { name: string; type?: string; parameters: object },
		{
			run = false,
			dark = false,
			size = WINDOW,
			given = {},
			input = { sessionGuid: SESSION_GUID } as object,
		} = {},
	): Picture => ({
		dark,
		size,
		show: async (page) => {
			await open(page, withNode(node, input), given);
			await openNode(page, node.name);
			const ndv = page.getByTestId('ndv');
			if (run) {
				await execute(page);
			}
			return ndv;
		},
	});

	/** The form of a credential that is created in the panel of a node. */
	const credentialForm = (
		node: { name: string; type?: string; parameters: object },
		fields: Record<string, string>,
		size = { width: 1500, height: 640 },
	): Picture => ({
		size,
		show: async (page) => {
			await open(page, withNode(node));
			await openNode(page, node.name);
			await page.getByTestId('node-credentials-select').click();
			await page.getByTestId('node-credentials-select-item-new').click();
			const form = page.getByTestId('credential-edit-dialog');
			await fillIn(form, fields);
			await page.locator(':focus').blur();
			return page.locator('.el-dialog').filter({ has: form });
		},
	});

	return {
		'archive-workflow': {
			dark: true,
			size: WALL,
			show: async (page) => {
				const { nodes, ...workflow } = ready('archive-to-google-drive');
				const main = nodes.filter(({ name }) => name !== 'About this workflow');
				await open(page, { ...workflow, nodes: main });
				const corners = [
					'When a sweep finds one',
					'About archiving',
					'About calls without a recording',
				];
				const parts = corners.map((name) => `[data-node-name="${name}"]`).join(', ');
				return await areaOf(page.locator(parts), { left: 60 });
			},
		},
		...Object.fromEntries(workflowNames.map((name) => [`workflow-${name}`, canvas(name)])),
		'node-creator': {
			dark: true,
			size: { width: 1500, height: 1000 },
			show: async (page) => {
				await page.goto(`${n8n.url}/workflow/new`);
				await page.getByTestId('canvas-add-button').click();
				await page.getByTestId('node-creator-search-bar').fill('VoiceAgent');
				const entries = page.getByTestId('node-creator-item-name');
				await entries.getByText('VoiceAgent', { exact: true }).click();
				await page.getByTestId('node-creator-category-item').filter({ hasText: 'Actions' }).click();
				await entries.getByText('Download a recording', { exact: true }).waitFor();
				return page.getByTestId('node-creator');
			},
		},
		'node-download': panel(
			{
				name: 'Download a recording',
				parameters: { resource: 'recording', operation: 'download' },
			},
			{ run: true, dark: true, size: TALL },
		),
		'node-get-many': panel(
			{
				name: 'Get many recordings',
				parameters: {
					resource: 'recording',
					operation: 'getMany',
					returnAll: true,
					options: { expiringWithin: 48 },
				},
			},
			{ run: true, input: {} },
		),
		'node-delete': {
			size: { width: 1500, height: 1000 },
			show: async (page) => {
				await open(page, uploadedOnce());
				const ndv = await openNode(page, 'Delete at the service');
				await execute(page);
				return ndv;
			},
		},
		'node-make-call': panel(
			{
				name: 'Make a call',
				parameters: {
					resource: 'call',
					operation: 'make',
					specifyBody: 'fields',
					fields: { field: [{ name: 'to', value: '={{ $json.phone }}' }] },
					options: { allowedDestinations: '+1555*', maxCalls: 1 },
				},
			},
			{ size: TALL, input: { customer: 'Ada Example', phone: '+15550100' } },
		),
		'node-trigger': trigger('production'),
		'node-trigger-test': trigger('test'),
		'node-call-start': panel(
			{
				name: 'When a call starts',
				type: 'voiceAgentTrigger',
				parameters: { event: 'callStart', recordCall: true, encryptRecording: true },
			},
			{ size: { width: 1500, height: 1060 } },
		),
		'node-recording-trigger': panel(
			{
				name: 'When a recording is waiting',
				type: 'voiceAgentRecordingTrigger',
				parameters: { options: { minimumAge: 15, alarmFromDay: 5, tryAgainAfter: 6 } },
			},
			{ size: { width: 1500, height: 760 } },
		),
		error: panel(
			{
				name: 'Download a recording',
				parameters: { resource: 'recording', operation: 'download' },
			},
			{
				run: true,
				dark: true,
				size: TALL,
				given: { voiceAgentRecordingPasswordApi: wrongPassword },
			},
		),
		'credential-api': credentialForm(
			{ name: 'Get many recordings', parameters: { resource: 'recording', operation: 'getMany' } },
			{ baseUrl: 'https://voiceagent.example.com', apiKey: API_KEY },
			{ width: 1500, height: 860 },
		),
		'credential-password': credentialForm(
			{ name: 'Decrypt', parameters: { resource: 'recording', operation: 'decrypt' } },
			{ password: PASSWORD },
		),
		'credential-webhook': credentialForm(
			{ name: 'When a call ends', type: 'voiceAgentTrigger', parameters: { event: 'callEnd' } },
			{ secret: 'sample-webhook-secret' },
		),
		execution: {
			dark: true,
			size: { width: 1600, height: 800 },
			show: async (page) => {
				await n8n.activate(archive);
				control.setWebhooks({
					callEnd: await n8n.webhookUrl(archive, 'When a call ends'),
				});
				control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
				const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
				await control.completedCall(sessionGuid);
				await showWorkflow(page, n8n, archive);
				await openExecutions(page);
				await successMark(page, 'Archived').waitFor();
				// The main path, large enough to be read.
				await canvasNode(page, 'Download and decrypt').hover();
				await page.keyboard.down('Control');
				await page.mouse.wheel(0, -90);
				await page.keyboard.up('Control');
				return page.locator('body');
			},
		},
	};
}

/** A workflow of this repository as its user has set it up. */
function ready(name: string, archiveId = ''): Workflow {
	const workflow = readWorkflow(name);
	for (const node of workflow.nodes) {
		if (node.name === 'Archive it') {
			node.parameters.workflowId = {
				__rl: true,
				mode: 'list',
				value: archiveId,
				cachedResultName: 'Archive call recordings to Google Drive',
			};
		}
		// As n8n gives one to a trigger that it imports.
		if (node.type.endsWith('Trigger')) node.webhookId ??= crypto.randomUUID();
	}
	return workflow;
}

/** The archive workflow, as if a recording had just been uploaded. */
function uploadedOnce(): Workflow {
	const fileName = `${ARCHIVED_GUID}.opus`;
	const sha256 = createHash('sha256').update(fileName).digest('hex');
	const downloaded = { sessionGuid: ARCHIVED_GUID, fileName, bytes: 292557, sha256 };
	const uploaded = { name: fileName, size: '292557', sha256Checksum: sha256 };
	return {
		...ready('archive-to-google-drive'),
		pinData: {
			'When a call ends': [{ json: { sessionGuid: ARCHIVED_GUID } }],
			'Download and decrypt': [{ json: downloaded }],
			'Upload to Google Drive': [{ json: uploaded }],
		},
	};
}

/** "Execute step" in the open panel. */
async function execute(page: Page): Promise<void> {
	const ndv = page.getByTestId('ndv');
	await ndv.getByTestId('node-execute-button').click();
	await ndv
		.getByTestId(/^node-run-status-/)
		.first()
		.waitFor();
	// The message at the end of the execution; the button then fades back to its label.
	await page.locator('.el-notification').first().waitFor();
	await page.waitForFunction(`
		const button = document.querySelector('[data-test-id=node-execute-button]');
		const parts = [button, ...button.querySelectorAll('*')];
		button.innerText.includes('Execute step') &&
			parts.every((part) => getComputedStyle(part).opacity === '1');
	`);
}

/** A node that gets one item. */
function withNode(
	node: { name: string; type?: string; parameters: object },
	input: object = {},
): Workflow {
	const { name, type = 'voiceAgent' } = node;
	const isTrigger = type.endsWith('Trigger');
	const nodes = [
		{ name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		{
			name,
			type: `n8n-nodes-voiceagent.${type}`,
			typeVersion: 1,
			parameters: { recording: byGuid(), ...node.parameters },
			webhookId: crypto.randomUUID(),
		},
	]
		.slice(isTrigger ? 1 : 0)
		.map((one, index) => ({ ...one, id: `node-${index}`, position: [index * 224, 0] }));
	return {
		name,
		nodes,
		connections: chain(nodes.map((one) => one.name)),
		pinData: isTrigger ? {} : { Start: [{ json: input }] },
	};
}

/** Where the elements are on the page, with some space around. */
async function areaOf(elementsOnCanvas: Locator, { left = 0 } = {}): Promise<Area> {
	const boxes = await elementsOnCanvas.evaluateAll((elements) =>
		elements
			// Shown under the mouse only.
			.filter((element) => !element.closest('[data-test-id=canvas-node-toolbar], button'))
			.map((element) => element.getBoundingClientRect().toJSON() as Area)
			.filter(({ width, height }) => width > 0 && height > 0),
	);
	const margin = 24;
	const x = Math.min(...boxes.map((box) => box.x)) - margin - left;
	const y = Math.min(...boxes.map((box) => box.y)) - margin;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}
