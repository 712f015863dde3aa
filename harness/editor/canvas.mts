/** The canvas, on which the editor shows a workflow or an execution. */
import type { Locator, Page } from 'playwright-core';

import type { N8n } from '../n8n/n8n.mts';
import { atRest } from './editor.mts';

/** Shows a stored workflow, all of it, and waits until its nodes are drawn. */
export async function showWorkflow(page: Page, n8n: N8n, workflowId: string): Promise<void> {
	await page.goto(`${n8n.url}/workflow/${workflowId}`);
	await page.getByTestId('canvas-node').first().waitFor();
	await fitToView(page);
}

/** "Import", "From file" in the menu of an empty workflow. Returns the id of the new workflow. */
export async function importFromFile(page: Page, n8n: N8n, file: string): Promise<string> {
	await page.goto(`${n8n.url}/workflow/new`);
	await page.getByTestId('canvas-add-button').waitFor();
	await page.getByTestId('workflow-menu').click();
	await page.getByTestId('workflow-menu-item-import').hover();
	const fileChooser = page.waitForEvent('filechooser');
	await page.getByTestId('workflow-menu-item-import-from-file').click();
	await (await fileChooser).setFiles(file);
	await page.getByTestId('canvas-node').first().waitFor();
	await fitToView(page);
	const id = new URL(page.url()).pathname.split('/').at(-1);
	if (id === undefined) throw new Error(`No workflow id in ${page.url()}`);
	return id;
}

/** Shows all of the workflow, and waits until it has come to rest. */
export async function fitToView(page: Page): Promise<void> {
	await page.getByTestId('zoom-to-fit').click();
	// Away from the nodes, which show a toolbar under the mouse.
	await page.mouse.move(0, 0);
	const canvas = page.locator('.vue-flow__transformationpane').first();
	await atRest(page, async () => await canvas.getAttribute('style'), 300);
	// Icons arrive one by one.
	await page.waitForFunction('[...document.images].every(({ complete }) => complete)');
}

/** A node on the canvas, of the workflow or of the execution that is shown. */
export function canvasNode(page: Page, nodeName: string): Locator {
	return page.locator(`[data-test-id=canvas-node][data-node-name="${nodeName}"]`);
}

/** The mark on the canvas of a node that has run without an error. */
export function successMark(page: Page, nodeName: string): Locator {
	return canvasNode(page, nodeName).getByTestId('canvas-node-status-success');
}

/** Messages about something that went wrong, in the corner of the editor. */
export function errorToasts(page: Page): Locator {
	return page.locator('.el-notification--error');
}

/** Publishes the workflow as it is on the canvas. */
export async function publish(page: Page): Promise<void> {
	await page.getByTestId('workflow-open-publish-modal-button').click();
	const confirm = page.getByTestId('workflow-publish-button');
	await confirm.click();
	await page.getByTestId('activation-modal').getByRole('button', { name: 'Got it' }).click();
}

/** Presses "Execute workflow", and waits until the trigger listens. */
export async function listenForTestEvent(page: Page): Promise<void> {
	await page.getByTestId('execute-workflow-button').click();
	await page.getByTestId('stop-execution-waiting-for-webhook-button').waitFor();
}

/** Opens the tab Executions, which shows the latest one. */
export async function openExecutions(page: Page): Promise<void> {
	await page.getByTestId('radio-button-executions').click();
}
