/** n8n's editor in a real browser. */
import { existsSync } from 'node:fs';
import { chromium, selectors, type Browser, type Locator, type Page } from 'playwright-core';

import { owner, type N8n } from '../n8n/n8n.mts';

const USUAL_PATHS = [
	chromium.executablePath(),
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
	'/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const REPEATS = 3;
const REPEAT_MS = 20_000;

/** The Chromium that `CHROMIUM_PATH` names, or one in a usual place. */
function findChromium(): string | undefined {
	const { CHROMIUM_PATH } = process.env;
	return (CHROMIUM_PATH ? [CHROMIUM_PATH] : USUAL_PATHS).find((path) => existsSync(path));
}

/** The reason to skip a test that needs a browser, or false when there is one. */
export function missingChromium(): string | false {
	return (
		findChromium() === undefined &&
		'there is no Chromium: run npx playwright-core install chromium, or name one in CHROMIUM_PATH'
	);
}

export interface Editor {
	page: Page;
	close(): Promise<void>;
}

/** @throws {Error} when there is no Chromium */
export async function launchChromium(): Promise<Browser> {
	const executablePath = findChromium();
	if (executablePath === undefined) {
		throw new Error('Chromium is missing: install it, or name its path in CHROMIUM_PATH.');
	}
	return await chromium.launch({
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
}

/** Opens the editor, signed in as the owner. */
export async function openEditor(
	n8n: N8n,
	{ width = 1440, height = 900, dark = false, scale = 1 } = {},
): Promise<Editor> {
	selectors.setTestIdAttribute('data-test-id');
	const browser = await launchChromium();
	try {
		const context = await browser.newContext({
			viewport: { width, height },
			deviceScaleFactor: scale,
			colorScheme: dark ? 'dark' : 'light',
		});
		const page = await context.newPage();
		// As patient as the driver of n8n: on a busy machine, a step takes minutes instead of seconds.
		page.setDefaultTimeout(180_000);
		const data = { emailOrLdapLoginId: owner.email, password: owner.password };
		await context.request.post(`${n8n.url}/rest/login`, { data, failOnStatusCode: true });
		await page.goto(`${n8n.url}/home/workflows`);
		return { page, close: async () => await browser.close() };
	} catch (error) {
		await browser.close();
		throw error;
	}
}

/**
 * Repeats what opens or closes something until that has happened: a busy editor sometimes loses a
 * click.
 *
 * @throws {Error} when it has not happened after the default timeout of the page
 */
export async function repeatUntil(
	act: (options: { timeout?: number }) => Promise<void>,
	wanted: Locator,
	state: 'visible' | 'hidden',
): Promise<void> {
	await act({});
	for (let attempt = 1; attempt <= REPEATS; attempt++) {
		const isThere = await wanted.waitFor({ state, timeout: REPEAT_MS }).then(
			() => true,
			() => false,
		);
		if (isThere) return;
		// It cannot be done again if it is only late.
		await act({ timeout: REPEAT_MS }).catch(() => undefined);
	}
	await wanted.waitFor({ state });
}

/** Waits until a value on the page no longer changes: n8n moves things there gently. */
export async function atRest(
	page: Page,
	read: () => Promise<unknown>,
	intervalMs: number,
): Promise<void> {
	let before: string;
	let now = JSON.stringify(await read());
	do {
		before = now;
		await page.waitForTimeout(intervalMs);
		now = JSON.stringify(await read());
	} while (before !== now);
}

/** Counts what a user presses from now on: a double click is two. */
export async function countClicks(page: Page): Promise<() => number> {
	let clicks = 0;
	await page.exposeFunction('countClick', () => void clicks++);
	const listen = "document.addEventListener('mousedown', () => countClick(), true)";
	await page.evaluate(listen);
	// In pages that are opened later.
	await page.addInitScript(listen);
	return () => clicks;
}
