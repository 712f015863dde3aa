/** n8n's editor in a real browser: for screenshots and browser tests. */
import { existsSync } from 'node:fs';
import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner, type N8n } from './n8n/n8n.mts';

const CANDIDATES = [
	process.env.CHROMIUM_PATH,
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Path of a Chromium on this machine, or `undefined`; `CHROMIUM_PATH` names one elsewhere. */
export function findChromium(): string | undefined {
	return CANDIDATES.find((path) => path !== undefined && existsSync(path));
}

export interface Editor {
	page: Page;
	close(): Promise<void>;
}

/**
 * Opens the editor and signs in as the owner.
 * @throws {Error} when there is no Chromium
 */
export async function openEditor(
	n8n: N8n,
	{ width = 1440, height = 900, dark = false } = {},
): Promise<Editor> {
	const executablePath = findChromium();
	if (executablePath === undefined) {
		throw new Error('Chromium is missing: install it, or name its path in CHROMIUM_PATH.');
	}
	selectors.setTestIdAttribute('data-test-id');
	const browser: Browser = await chromium.launch({
		executablePath,
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
	try {
		const context = await browser.newContext({
			viewport: { width, height },
			colorScheme: dark ? 'dark' : 'light',
		});
		const page = await context.newPage();
		page.setDefaultTimeout(20_000);
		await page.goto(`${n8n.url}/signin`);
		await page.locator('input[name=emailOrLdapLoginId]').fill(owner.email);
		await page.locator('input[type=password]').fill(owner.password);
		await page.getByTestId('form-submit-button').click();
		await page.waitForURL('**/home/workflows');
		return { page, close: async () => await browser.close() };
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/* ── the canvas ─────────────────────────────────────────────────────────────────────────────────── */

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
	// The canvas glides there, and icons arrive one by one.
	const canvas = page.locator('.vue-flow__transformationpane').first();
	let place: string | null;
	do {
		place = await canvas.getAttribute('style');
		await page.waitForTimeout(300);
	} while (place !== (await canvas.getAttribute('style')));
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

/* ── the panel of a node ────────────────────────────────────────────────────────────────────────── */

/** Opens the panel of a node. */
export async function openNode(page: Page, nodeName: string): Promise<Locator> {
	await canvasNode(page, nodeName).dblclick();
	const panel = page.getByTestId('ndv');
	await panel.waitFor();
	await page.waitForTimeout(500);
	return panel;
}

export async function closeNode(page: Page): Promise<void> {
	await page.getByTestId('ndv-close-button').click();
	await page.getByTestId('ndv').waitFor({ state: 'hidden' });
}

/** Reads an address of a trigger from its open panel. */
export async function readWebhookUrl(page: Page, kind: 'test' | 'production'): Promise<string> {
	const panel = page.getByTestId('ndv');
	const choice = panel.getByTestId(`radio-button-${kind}`);
	if (!(await choice.isVisible())) await panel.getByText('Webhook URLs', { exact: true }).click();
	await choice.click();
	return await panel.getByText(/^http\S+\/webhook/).innerText();
}

/** Fields of a credential, by name. */
export type CredentialFields = Record<string, string>;

/**
 * Creates a credential where the open panel asks for one: "Connect to ...".
 * @param credential.type as the panel names it
 * @param credential.mode one of the types of credential that the form offers, where it offers several
 * @throws {Error} when the form stays open, because a field is missing or the test of the credential fails
 */
export async function createCredential(
	page: Page,
	credential: { type: string; fields: CredentialFields; mode?: string },
): Promise<void> {
	const form = await openCredentialForm(page, credential.type);
	if (credential.mode) {
		await form.getByTestId('credential-mode-dropdown-trigger').click();
		await page.getByRole('menuitem', { name: credential.mode }).click();
	}
	await fillIn(form, credential.fields);
	await page.getByTestId('credential-save-button').click();
	await form.waitFor({ state: 'hidden' });
}

/** Chooses a stored credential in the open panel. */
export async function chooseCredential(page: Page, name: string): Promise<void> {
	await page.getByTestId('node-credentials-select').click();
	await page
		.getByTestId(/^node-credentials-select-item-/)
		.filter({ hasText: name })
		.click();
}

export async function openCredentialForm(page: Page, type: string): Promise<Locator> {
	await page.getByRole('button', { name: `Connect to ${type}`, exact: true }).click();
	const form = page.getByTestId('credential-edit-dialog');
	await form.waitFor();
	return form;
}

export async function fillIn(form: Locator, fields: CredentialFields): Promise<void> {
	for (const [name, value] of Object.entries(fields)) {
		await form.getByTestId(`parameter-input-${name}`).locator('input, textarea').fill(value);
	}
}
