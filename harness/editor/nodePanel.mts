/** The editor's panel of one node, and the forms of credentials that open from there. */
import type { Locator, Page } from 'playwright-core';

import { canvasNode } from './canvas.mts';
import { atRest, repeatUntil } from './editor.mts';

/** Opens the panel of a node. */
export async function openNode(page: Page, nodeName: string): Promise<Locator> {
	const panel = page.getByTestId('ndv');
	const node = canvasNode(page, nodeName);
	await repeatUntil(async (options) => await node.dblclick(options), panel, 'visible');
	await atRest(page, async () => await panel.boundingBox(), 100);
	return panel;
}

export async function closeNode(page: Page): Promise<void> {
	const close = page.getByTestId('ndv-close-button');
	const panel = page.getByTestId('ndv');
	await repeatUntil(async (options) => await close.click(options), panel, 'hidden');
}

/** From the open panel to that of a node after it, by the icon at the edge. */
export async function showNext(page: Page, nodeName: string): Promise<void> {
	await page.locator(`[data-test-id=floating-node][data-node-name="${nodeName}"]`).click();
}

/** Reads an address of a trigger from its open panel. A click on it copies it. */
export async function readWebhookUrl(page: Page, kind: 'test' | 'production'): Promise<string> {
	const panel = page.getByTestId('ndv');
	const choice = panel.getByTestId(`radio-button-${kind}`);
	if (!(await choice.isVisible())) await panel.getByText('Webhook URLs', { exact: true }).click();
	await choice.click();
	// Some versions of Chromium end the text with a line break.
	const address = panel.getByText(/^http\S+\/webhook/);
	await address.click();
	return (await address.innerText()).trim();
}

/** Fields of a credential, by name. */
export type CredentialFields = Record<string, string>;

/**
 * Creates the credential that the open panel asks for: "Connect to ...".
 *
 * @param credential.type as the panel names it
 * @throws {Error} when the form stays open: a field is missing, or the test of the credential fails
 */
export async function createCredential(
	page: Page,
	credential: { type: string; fields: CredentialFields },
): Promise<void> {
	const form = await openCredentialForm(page, credential.type);
	await fillIn(form, credential.fields);
	await saveCredential(page);
}

/**
 * Saves the open form of a credential. The form closes once n8n has tested the credential.
 *
 * @throws {Error} when the form stays open: a field is missing, or the test of the credential fails
 */
export async function saveCredential(page: Page): Promise<void> {
	const save = page.getByTestId('credential-save-button');
	const form = page.getByTestId('credential-edit-dialog');
	await repeatUntil(async (options) => await save.click(options), form, 'hidden');
}

/** Chooses an entry of a parameter "From list" in the open panel. */
export async function chooseFromList(page: Page, parameter: string, entry: string): Promise<void> {
	await page.getByTestId(`resource-locator-${parameter}`).getByTestId('rlc-input').click();
	await page.getByTestId('rlc-item').filter({ hasText: entry }).click();
}

export async function openCredentialForm(page: Page, type: string): Promise<Locator> {
	const connect = page.getByRole('button', { name: `Connect to ${type}`, exact: true });
	const form = page.getByTestId('credential-edit-dialog');
	await repeatUntil(async (options) => await connect.click(options), form, 'visible');
	return form;
}

export async function fillIn(form: Locator, fields: CredentialFields): Promise<void> {
	const [first] = Object.keys(fields);
	for (const [name, value] of Object.entries(fields)) {
		const field = form.getByTestId(`parameter-input-${name}`).locator('input, textarea');
		// A user gets to the others with the tabulator.
		if (name === first) await field.click();
		await field.fill(value);
	}
}
