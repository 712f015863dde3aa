/** n8n's editor in a real browser: for screenshots and browser tests. */
import { existsSync } from 'node:fs';
import { chromium, selectors, type Browser, type Page } from 'playwright-core';

import { owner, type N8n } from './n8n.mts';

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

/** Shows a stored workflow, all of it, and waits until its nodes are drawn. */
export async function showWorkflow(page: Page, n8n: N8n, workflowId: string): Promise<void> {
	await page.goto(`${n8n.url}/workflow/${workflowId}`);
	await page.getByTestId('canvas-node').first().waitFor();
	// "Fit to view" of the editor.
	await page.keyboard.press('1');
	// Away from the nodes, which show a toolbar under the mouse.
	await page.mouse.move(0, 0);
	// The canvas glides there, and icons arrive one by one.
	await page.waitForTimeout(1500);
}

/** Opens the panel of a node. */
export async function openNode(page: Page, nodeName: string): Promise<void> {
	await page.locator(`[data-test-id=canvas-node][data-node-name="${nodeName}"]`).dblclick();
	await page.getByTestId('ndv').waitFor();
	await page.waitForTimeout(500);
}
