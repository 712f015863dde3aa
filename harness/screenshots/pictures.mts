/** The pictures of the documentation, by name of the file. */
import { createHash } from 'node:crypto';

import { canvasNode, openExecutions, showWorkflow, successMark } from '../editor/canvas.mts';
import { openNode } from '../editor/nodePanel.mts';
import type { Workflow } from '../n8n/n8n.mts';
import { API_KEY, PASSWORD } from '../stack.mts';
import { workflowNames } from '../workflows.mts';
import {
	areaOf,
	canvas,
	credentialForm,
	execute,
	open,
	panel,
	TALL,
	trigger,
	WALL,
	type Picture,
} from './picture.mts';
import { ARCHIVED_GUID, userWorkflow } from './scene.mts';

export const pictures: Record<string, Picture> = {
	'archive-workflow': {
		dark: true,
		size: WALL,
		show: async (page, scene) => {
			const { nodes, ...workflow } = userWorkflow('archive-to-google-drive');
			const main = nodes.filter(({ name }) => name !== 'About this workflow');
			await open(page, scene, { ...workflow, nodes: main });
			const corners = [
				'When a sweep finds a recording',
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
		show: async (page, { n8n }) => {
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
		show: async (page, scene) => {
			await open(page, scene, uploadedOnce());
			const ndv = await openNode(page, 'Delete recording from service');
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
			given: ({ wrongPassword }) => ({ voiceAgentRecordingPasswordApi: wrongPassword }),
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
		show: async (page, { n8n, emulator: { control }, archive }) => {
			await n8n.activate(archive);
			control.setWebhooks({
				callEnd: await n8n.webhookUrl(archive, 'When a call ends'),
			});
			control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
			await control.completedCall(sessionGuid);
			await showWorkflow(page, n8n, archive);
			await openExecutions(page);
			await successMark(page, 'Delete recording from service').waitFor();
			// The main path, large enough to be read.
			await canvasNode(page, 'Download recording').hover();
			await page.keyboard.down('Control');
			await page.mouse.wheel(0, -90);
			await page.keyboard.up('Control');
			return page.locator('body');
		},
	},
};

/** The archive workflow, as if a recording and its metadata had just been uploaded. */
function uploadedOnce(): Workflow {
	const name = `2026-11-21_14-03-22_+15550100_${ARCHIVED_GUID}`;
	const files = [
		{ fileName: `${name}.opus`, bytes: 292557 },
		{ fileName: `${name}.json`, bytes: 1482 },
	].map((file) => ({
		...file,
		checksum: createHash('sha256').update(file.fileName).digest('hex'),
	}));
	return {
		...userWorkflow('archive-to-google-drive'),
		pinData: {
			'When a call ends': [{ json: { sessionGuid: ARCHIVED_GUID } }],
			'Download recording': files.map(({ checksum, ...file }, index) => ({
				json: {
					sessionGuid: ARCHIVED_GUID,
					...file,
					[index === 0 ? 'sha256' : 'metadataSha256']: checksum,
				},
				pairedItem: { item: 0 },
			})),
			'Upload recording to Google Drive': files.map(({ checksum, ...file }, index) => ({
				json: { name: file.fileName, size: String(file.bytes), sha256Checksum: checksum },
				pairedItem: { item: index },
			})),
		},
	};
}
