/** Ways to show something of n8n's editor for a picture. */
import type { Locator, Page } from 'playwright-core';

import { showWorkflow } from '../editor/canvas.mts';
import { fillIn, openNode, readWebhookUrl } from '../editor/nodePanel.mts';
import type { Credential, Workflow } from '../n8n/n8n.mts';
import { byGuid, chain } from '../stack.mts';
import { SESSION_GUID, userWorkflow, type Scene } from './scene.mts';

export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

export interface Picture {
	/** Shows it, and returns what to cut out of the page. */
	show(page: Page, scene: Scene): Promise<Locator | Area>;
	/** In the dark theme too. */
	dark?: boolean;
	size?: { width: number; height: number };
}

interface ShownNode {
	name: string;
	type?: string;
	parameters: object;
}

interface PanelOptions extends Pick<Picture, 'dark' | 'size'> {
	/** Whether to press "Execute step". */
	run?: boolean;
	/** Credentials by type, in place of the usual ones. */
	given?: (scene: Scene) => Record<string, Credential>;
	/** JSON of the item that the node gets. */
	input?: object;
}

export const WINDOW = { width: 1500, height: 720 };
export const TALL = { width: 1500, height: 860 };
/** Only the widest workflows are made a little smaller to fit in. */
export const WALL = { width: 2700, height: 1600 };

/** Stores a workflow and shows it. */
export async function open(
	page: Page,
	{ n8n, credentials }: Scene,
	workflow: Workflow,
	given: Record<string, Credential> = {},
): Promise<void> {
	const id = await n8n.importWorkflow(workflow, { ...credentials, ...given });
	await showWorkflow(page, n8n, id);
}

/** A workflow of this repository, all of it. */
export const canvas = (name: string): Picture => ({
	size: WALL,
	show: async (page, scene) => {
		await open(page, scene, userWorkflow(name, scene.archive));
		return await areaOf(page.locator('.vue-flow__node, .vue-flow__node *, .vue-flow__edge path'));
	},
});

/** The trigger of the archive workflow, with one of its addresses. */
export const trigger = (address: 'test' | 'production'): Picture => ({
	dark: true,
	show: async (page, scene) => {
		await showWorkflow(page, scene.n8n, scene.archive);
		const ndv = await openNode(page, 'When a call ends');
		await readWebhookUrl(page, address);
		return ndv;
	},
});

/** The panel of a node, filled in. */
export const panel = (
	node: ShownNode,
	{ run, dark, size, given, input = { sessionGuid: SESSION_GUID } }: PanelOptions = {},
): Picture => ({
	dark,
	size,
	show: async (page, scene) => {
		await open(page, scene, withNode(node, input), given?.(scene));
		await openNode(page, node.name);
		const ndv = page.getByTestId('ndv');
		if (run) await execute(page);
		return ndv;
	},
});

/** The form of a credential that is created in the panel of a node. */
export const credentialForm = (
	node: ShownNode,
	fields: Record<string, string>,
	size = { width: 1500, height: 640 },
): Picture => ({
	size,
	show: async (page, scene) => {
		await open(page, scene, withNode(node));
		await openNode(page, node.name);
		await page.getByTestId('node-credentials-select').click();
		await page.getByTestId('node-credentials-select-item-new').click();
		const form = page.getByTestId('credential-edit-dialog');
		await fillIn(form, fields);
		await page.locator(':focus').blur();
		return page.locator('.el-dialog').filter({ has: form });
	},
});

/** "Execute step" in the open panel. */
export async function execute(page: Page): Promise<void> {
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
function withNode(node: ShownNode, input: object = {}): Workflow {
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
export async function areaOf(elementsOnCanvas: Locator, { left = 0 } = {}): Promise<Area> {
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
