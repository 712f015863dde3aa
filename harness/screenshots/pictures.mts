/** The pictures of the documentation, by name of the file. */
import type { Page } from 'playwright-core';

import { canvasNode, openExecutions, showWorkflow, successMark } from '../editor/canvas.mts';
import { atRest } from '../editor/editor.mts';
import type { WorkflowNode } from '../n8n/n8n.mts';
import { nodeOf, readWorkflow } from '../workflows.mts';
import { forgetPage, player } from './callPages.mts';
import { report } from './dailyReport.mts';
import { explore } from './explore.mts';
import { errorWorkflow, notice } from './failureNotice.mts';
import {
	areaOf,
	CANVAS,
	credentialForm,
	nodeFile,
	open,
	panel,
	trigger,
	WALL,
	WIDE,
	type Area,
	type Picture,
} from './picture.mts';
import { mainPaths, OVERVIEW } from './mainPaths.mts';
import { showFolder } from './folderList.mts';
import { inRows } from './rows.mts';
import { archiveCalls, userWorkflow } from './scene.mts';
import { canvasOf, fieldsOf } from './shown.mts';
import { statusPage } from './statusPage.mts';

const isNoNote = ({ type }: WorkflowNode) => !type.endsWith('.stickyNote');
const isNoOverview = ({ name }: WorkflowNode) => name !== OVERVIEW;

export const pictures: Record<string, Picture> = {
	'four-nodes': {
		...workflowPicture('archive-in-four-nodes', isNoNote),
		size: { width: 1500, height: 800 },
	},
	'status-page': statusPage,
	player,
	'forget-page': forgetPage,
	'archive-workflow': workflowPicture('archive-to-google-drive', isNoNote, inRows),
	...Object.fromEntries(
		Object.entries(mainPaths).flatMap(([name, path]) => [
			[
				`workflow-${name}`,
				workflowPicture(
					name,
					(node) => (path.length > 0 ? path.includes(node.name) : isNoNote(node)),
					inRows,
				),
			],
			[`workflow-${name}-full`, workflowPicture(name)],
		]),
	),
	'nodes-panel': {
		size: { width: 1500, height: 410 },
		of: () => fieldsOf(nodeFile('voiceAgentTrigger'), ''),
		show: async (page, { n8n }) => {
			await page.goto(`${n8n.url}/workflow/new`);
			await page.getByTestId('canvas-add-button').click();
			await page.getByTestId('node-creator-search-bar').fill('VoiceAgent');
			const found = page.getByTestId('node-creator-item-name');
			await found.filter({ hasText: 'VoiceAgent Recording Trigger' }).waitFor();
			return page.getByTestId('node-creator');
		},
	},
	imported: {
		size: WALL,
		withMarks: true,
		of: () => canvasOf('archive-to-folder', () => true),
		show: async (page, scene) => {
			// A white note would be cut off.
			const workflow = readWorkflow('archive-to-folder');
			workflow.nodes = workflow.nodes.filter((node) => isNoNote(node) || !isNoOverview(node));
			await open(page, { ...scene, credentials: {} }, workflow);
			const first = [OVERVIEW, 'When a call ends', 'Download recording'];
			const nodes = page.locator(first.map((name) => `[data-node-name="${name}"]`).join());
			return await areaOf(nodes.locator('*'));
		},
	},
	'node-get-many': panel(
		{
			name: 'Get many recordings',
			parameters: {
				resource: 'recording',
				operation: 'getMany',
				returnAll: true,
			},
		},
		{ run: true, withOutput: true, size: WIDE, input: {} },
	),
	'node-delete': panel(
		{ name: 'Delete recording', parameters: { resource: 'recording', operation: 'delete' } },
		{ size: { width: 1500, height: 860 } },
	),
	'node-make-call': panel(
		{
			name: 'Make call',
			parameters: {
				resource: 'call',
				operation: 'make',
				to: '={{ $json.phone }}',
				options: { allowedDestinations: '+1555*', maxCalls: 1 },
			},
		},
		{
			// Until then, n8n does not know what the expression results in.
			run: true,
			size: { width: 1500, height: 960 },
			input: { customer: 'Ada Example', phone: '+15550100' },
		},
	),
	'node-trigger': trigger,
	'node-call-start': panel(
		{
			name: 'When a call starts',
			type: 'voiceAgentTrigger',
			parameters: { event: 'callStart', recordCall: true, encryptRecording: true },
		},
		{ size: { width: 1500, height: 1160 } },
	),
	'node-recording-trigger': panel(
		{
			name: 'When a recording is waiting',
			type: 'voiceAgentRecordingTrigger',
			parameters: { options: { minimumAge: 60, tryAgainAfter: 6 } },
		},
		{ size: { width: 1500, height: 860 } },
	),
	'credential-api': credentialForm('VoiceAgentApi', {
		name: 'Get many recordings',
		parameters: { resource: 'recording', operation: 'getMany' },
	}),
	files: {
		size: { width: 860, height: 270 },
		of: () => nodeOf(readWorkflow('archive-to-folder'), 'Download recording').parameters,
		show: async (page, scene) => {
			await archiveCalls(scene, ['+15550142', '+15550117', '+15550163']);
			await showFolder(page);
			return page.locator('pre');
		},
	},
	execution: {
		size: { width: 2000, height: 800 },
		of: () => canvasOf('archive-to-folder', isNoOverview),
		show: async (page, scene) => {
			await showWorkflow(page, scene.n8n, await archiveCalls(scene, ['+15550100']));
			await openExecutions(page);
			await successMark(page, 'Delete recording from service').waitFor();
			const last = canvasNode(page, 'Delete recording from service');
			await atRest(page, async () => await last.boundingBox(), 500);
			return await areaOf(page.locator(CANVAS));
		},
	},
	explore,
	notice,
	report,
	'error-workflow': errorWorkflow,
};

/** Not those that a page only links to. */
export const hasDark = (name: string) => !name.endsWith('-full');

/**
 * Nodes of a workflow on the canvas, without the lines to the others.
 *
 * @param cut divides the canvas into rows
 */
function workflowPicture(
	name: string,
	isShown: (node: WorkflowNode) => boolean = () => true,
	cut: (page: Page, area: Area) => Promise<Area[]> = (_page, area) => Promise.resolve([area]),
): Picture {
	return {
		size: WALL,
		of: () => canvasOf(name, isShown),
		show: async (page, scene) => {
			const { nodes, connections, ...workflow } = userWorkflow(name, scene.archive);
			const shown = nodes.filter(isShown);
			const isThere = (nodeName: string) => shown.some((node) => node.name === nodeName);
			await open(page, scene, {
				...workflow,
				nodes: shown,
				connections: Object.fromEntries(
					Object.entries(connections as Connections)
						.filter(([from]) => isThere(from))
						.map(([from, outputs]) => [from, keepTargets(outputs, isThere)]),
				),
			});
			return await cut(page, await areaOf(page.locator(CANVAS)));
		},
	};
}

/** By source and kind of connection, for each output. */
type Connections = Record<string, Outputs>;
type Outputs = Record<string, Array<Array<{ node: string }> | null>>;

function keepTargets(outputs: Outputs, isThere: (node: string) => boolean): Outputs {
	return Object.fromEntries(
		Object.entries(outputs).map(([kind, all]) => [
			kind,
			all.map((targets) => targets?.filter(({ node }) => isThere(node)) ?? null),
		]),
	);
}
