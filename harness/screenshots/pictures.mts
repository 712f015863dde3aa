/** The pictures of the documentation, by name of the file. */
import { canvasNode, openExecutions, showWorkflow, successMark } from '../editor/canvas.mts';
import type { Workflow, WorkflowNode } from '../n8n/n8n.mts';
import { PASSWORD } from '../stack.mts';
import {
	areaOf,
	CANVAS,
	credentialForm,
	open,
	panel,
	trigger,
	WALL,
	WIDE,
	type Picture,
} from './picture.mts';
import { mainPaths, OVERVIEW } from './mainPaths.mts';
import { userWorkflow } from './scene.mts';
import { statusPage } from './statusPage.mts';

export const pictures: Record<string, Picture> = {
	'four-nodes': {
		size: { width: 1500, height: 800 },
		show: async (page, scene) => {
			await open(page, scene, fourNodes());
			return await areaOf(page.locator(CANVAS));
		},
	},
	'status-page': statusPage,
	'archive-workflow': workflowPicture('archive-to-google-drive', ({ name }) => name !== OVERVIEW),
	...Object.fromEntries(
		Object.entries(mainPaths).flatMap(([name, path]) => [
			[
				`workflow-${name}`,
				workflowPicture(name, ({ type, ...node }) =>
					path.length > 0 ? path.includes(node.name) : !type.endsWith('stickyNote'),
				),
			],
			[`workflow-${name}-full`, workflowPicture(name)],
		]),
	),
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
				specifyBody: 'fields',
				fields: { field: [{ name: 'to', value: '={{ $json.phone }}' }] },
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
	'credential-api': credentialForm({
		name: 'Get many recordings',
		parameters: { resource: 'recording', operation: 'getMany' },
	}),
	'credential-webhook': credentialForm({
		name: 'When a call ends',
		type: 'voiceAgentTrigger',
		parameters: {},
	}),
	execution: {
		size: { width: 1600, height: 800 },
		show: async (page, { n8n, emulator: { control }, credentials }) => {
			const { nodes, ...workflow } = userWorkflow('archive-to-google-drive');
			const id = await n8n.importWorkflow(
				{ ...workflow, nodes: nodes.filter(({ name }) => name !== OVERVIEW) },
				credentials,
			);
			await n8n.activate(id);
			control.setWebhooks({
				callEnd: await n8n.webhookUrl(id, 'When a call ends'),
			});
			control.setDefaultInstructions({ recordCall: true, recordCallPassword: PASSWORD });
			const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
			await control.completedCall(sessionGuid);
			await showWorkflow(page, n8n, id);
			await openExecutions(page);
			await successMark(page, 'Delete recording from service').waitFor();
			await canvasNode(page, 'Download recording').hover();
			return page.locator('body');
		},
	},
};

/** Not those that a page only links to. */
export const hasDark = (name: string) => !name.endsWith('-full');

/** Nodes of a workflow on the canvas, without the lines to the others. */
function workflowPicture(
	name: string,
	isShown: (node: WorkflowNode) => boolean = () => true,
): Picture {
	return {
		size: WALL,
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
			return await areaOf(page.locator(CANVAS));
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

/** The least that archives recordings safely. */
function fourNodes(): Workflow {
	const { nodes, ...workflow } = userWorkflow('archive-in-four-nodes');
	return { ...workflow, nodes: nodes.filter(({ name }) => name !== OVERVIEW) };
}
