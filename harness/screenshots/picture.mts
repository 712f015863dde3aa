/** Ways to show something of n8n's editor for a picture. */
import type { Locator, Page } from 'playwright-core';

import { showWorkflow } from '../editor/canvas.mts';
import { openNode, readWebhookUrl } from '../editor/nodePanel.mts';
import type { Workflow, WorkflowNode } from '../n8n/n8n.mts';
import { byGuid, inARow, manualTrigger } from '../flow.mts';
import { SESSION_GUID, type Scene } from './scene.mts';
import { fieldsOf } from './shown.mts';

export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

export interface Picture {
	/** Shows it, and returns what to cut out of the page: one part, or several to put in rows. */
	show(page: Page, scene: Scene): Promise<Locator | Area | Area[]>;
	/** What it is taken from: when that changes, the picture is old. */
	of(): unknown;
	/** Whether nodes show what is still to be set up. */
	withMarks?: boolean;
	size?: { width: number; height: number };
}

interface ShownNode {
	name: string;
	type?: string;
	parameters: WorkflowNode['parameters'];
}

interface PanelOptions extends Pick<Picture, 'size'> {
	/** Whether to press "Execute step". */
	run?: boolean;
	/** Whether to show what comes out beside the form. */
	withOutput?: boolean;
	/** JSON of the item that the node gets. */
	input?: object;
}

export const WINDOW = { width: 1500, height: 720 };
export const WIDE = { width: 1900, height: 720 };
/** Only the widest workflows are made a little smaller to fit in. */
export const WALL = { width: 2700, height: 1600 };

/** Places for further nodes, and what would come out there. */
export const HIDDEN = '[data-test-id=canvas-handle-plus-wrapper], [class*=runDataLabel]';

/** What a node shows only under the mouse, or not at all. */
export const BESIDE = `${HIDDEN}, [data-test-id=canvas-node-toolbar], .vue-flow button`;

/** All that a workflow shows on the canvas. */
export const CANVAS = '.vue-flow__node, .vue-flow__node *, .vue-flow__edge path';

/** Stores a workflow and shows it. */
export async function open(
	page: Page,
	{ n8n, credentials }: Scene,
	workflow: Workflow,
): Promise<void> {
	const id = await n8n.importWorkflow(workflow, credentials);
	await showWorkflow(page, n8n, id);
}

/** The trigger of the archive workflow, with its address. */
export const trigger: Picture = {
	of: () => fieldsOf(nodeFile('voiceAgentTrigger'), 'callEnd'),
	show: async (page, scene) => {
		await showWorkflow(page, scene.n8n, scene.archive);
		await openNode(page, 'When a call ends');
		await readWebhookUrl(page, 'production');
		return await formArea(page);
	},
};

/** The panel of a node, filled in. */
export const panel = (
	node: ShownNode,
	{ run, withOutput, size, input = { sessionGuid: SESSION_GUID } }: PanelOptions = {},
): Picture => ({
	size,
	of: () => fieldsOf(nodeFile(node.type), node.parameters.operation ?? node.parameters.event),
	show: async (page, scene) => {
		await open(page, scene, withNode(node, input));
		await openNode(page, node.name);
		if (run) await execute(page);
		return withOutput ? await formAndOutput(page) : await formArea(page);
	},
});

/** Of a type of node, as its name begins in lower case. */
export function nodeFile(type = 'voiceAgent'): string {
	const name = type.replace('v', 'V');
	return `nodes/${name}/${name}.node.js`;
}

/** The parameters of the open node, down to the last one. */
export async function formArea(page: Page): Promise<Area> {
	const form = await boxOf(page.getByTestId('node-parameters'));
	const top = (await boxOf(page.getByTestId('ndv'))).y + 42;
	const list = '.parameter-input-list-wrapper';
	const fields = await areaOf(page.locator(`${list} *`));
	return { ...form, y: top, height: fields.y + fields.height - top };
}

/** The parameters of the open node, and what it has output beside them. */
async function formAndOutput(page: Page): Promise<Area> {
	const form = await formArea(page);
	const output = await boxOf(page.getByTestId('output-panel'));
	return { ...form, width: output.x + output.width - form.x };
}

export async function boxOf(element: Locator): Promise<Area> {
	const box = await element.boundingBox();
	if (!box) throw new Error(`Not on the page: ${element.toString()}`);
	return box;
}

/** The form of a stored credential of this type, once n8n has tested it. */
export const credentialForm = (type: string, node: ShownNode): Picture => ({
	size: { width: 1500, height: 1900 },
	of: () => fieldsOf(`credentials/${type}.credentials.js`),
	show: async (page, scene) => {
		await open(page, scene, withNode(node));
		await openNode(page, node.name);
		await page.getByTestId('credential-edit-button').first().click();
		const form = page.getByTestId('credential-edit-dialog');
		await form.getByText('Connection tested successfully').waitFor();
		await showsLabel(page, '[data-test-id=credential-edit-dialog] button', 'Retry');
		// In the scene, the service is the emulator.
		await form.locator('input').evaluateAll((inputs) => {
			for (const input of inputs as Array<{ value: string }>) {
				if (/^http:\/\/127\.0\.0\.1:/.test(input.value)) {
					input.value = 'https://voiceagent.example.com';
				}
			}
		});
		// n8n would cut a long form off, and let its user scroll.
		await page.addStyleTag({ content: '.el-dialog { max-height: none !important }' });
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
	// The message at the end of the execution.
	await page.locator('.el-notification').first().waitFor();
	await showsLabel(page, '[data-test-id=node-execute-button]', 'Execute step');
}

/** Waits until a button has faded back to its label, after what it does has ended. */
async function showsLabel(page: Page, buttons: string, label: string): Promise<void> {
	await page.waitForFunction(`
		const button = [...document.querySelectorAll('${buttons}')].find((one) =>
			one.innerText.includes('${label}'),
		);
		button !== undefined &&
			[button, ...button.querySelectorAll('*')].every(
				(part) => getComputedStyle(part).opacity === '1',
			);
	`);
}

/** A node that gets one item. */
function withNode(shown: ShownNode, input: object = {}): Workflow {
	const { name, type = 'voiceAgent', parameters } = shown;
	const node = {
		name,
		type: `n8n-nodes-voiceagent.${type}`,
		typeVersion: type === 'voiceAgentTrigger' ? 2 : 1,
		parameters: { recording: byGuid(), ...parameters },
		webhookId: crypto.randomUUID(),
	};
	if (type.endsWith('Trigger')) return inARow(name, [node]);
	return inARow(name, [manualTrigger(), node], { pinData: { Start: [{ json: input }] } });
}

/** Where the elements are on the page, with some space around. */
export async function areaOf(elementsOnCanvas: Locator): Promise<Area> {
	const boxes = await elementsOnCanvas.evaluateAll(
		(elements, hidden) =>
			elements
				// Boxes around other elements are wider than these.
				.filter(
					(element) =>
						element.children.length === 0 ||
						element.matches('.vue-flow__node') ||
						[...element.childNodes].some((node) => node.nodeType === 3 && node.nodeValue?.trim()),
				)
				.filter((element) => element.checkVisibility({ opacityProperty: true }))
				.filter((element) => !element.closest(hidden))
				.map((element) => element.getBoundingClientRect().toJSON() as Area)
				.filter(({ width, height }) => width > 0 && height > 0),
		BESIDE,
	);
	const margin = 24;
	const x = Math.min(...boxes.map((box) => box.x)) - margin;
	const y = Math.min(...boxes.map((box) => box.y)) - margin;
	const right = Math.max(...boxes.map((box) => box.x + box.width)) + margin;
	const bottom = Math.max(...boxes.map((box) => box.y + box.height)) + margin;
	return { x, y, width: right - x, height: bottom - y };
}
