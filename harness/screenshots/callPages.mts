/** The pages about calls that a person looks for, with calls that were archived. */
import type { Page } from 'playwright-core';

import { createLedger, LEDGER } from '../ledger.mts';
import { pageUrl } from '../pages.mts';
import type { Area, Picture } from './picture.mts';
import { archiveCalls, FOLDER, publishPagesIn, SHOWN_PATH, type Scene } from './scene.mts';
import { parametersOf } from './shown.mts';

const NUMBERS = ['+15550142', '+15550117', '+15550142', '+15550163'];
const SIZE = { width: 1000, height: 1400 };

/** Scenes in which these calls were archived already. */
const withCalls = new WeakSet<Scene>();

/** Opens a page of an n8n that has a ledger with these calls. */
async function openPage(page: Page, scene: Scene, path: string): Promise<void> {
	const { n8n } = scene;
	if (!withCalls.has(scene)) {
		withCalls.add(scene);
		if ((await n8n.dataTable(LEDGER)) === undefined) await createLedger(n8n);
		await archiveCalls(scene, NUMBERS, { withLedger: true });
		await publishPagesIn(scene);
	}
	await page.goto(pageUrl(n8n, path));
	await showPath(page);
}

/** Shows the path that the archive has in the compose files. */
async function showPath(page: Page): Promise<void> {
	await page.evaluate(`
		const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		while (texts.nextNode()) {
			const text = texts.currentNode;
			text.nodeValue = text.nodeValue.replaceAll('${FOLDER}', '${SHOWN_PATH}');
		}
	`);
}

/** From the top of the page to the end of what it says. */
async function contentOf(page: Page): Promise<Area> {
	const bottom = await page.locator('body').evaluate((body) => {
		const ends = [...body.querySelectorAll('*')].map((one) => one.getBoundingClientRect().bottom);
		return Math.max(...ends);
	});
	return { ...SIZE, x: 0, y: 0, height: Math.min(SIZE.height, Math.ceil(bottom) + 24) };
}

/** A call that was found, with its player. */
export const player: Picture = {
	size: SIZE,
	of: () => parametersOf('find-a-call'),
	show: async (page, scene) => {
		await openPage(page, scene, 'find-a-call?q=%2B1+555+0142');
		await page.locator('a[href*="?call="]').first().click();
		// It shows how long the recording is once it has read its beginning.
		await page.waitForFunction("document.querySelector('audio')?.readyState > 0");
		await showPath(page);
		return await contentOf(page);
	},
};

/** What forget-caller would delete, before anybody confirms it. */
export const forgetPage: Picture = {
	size: SIZE,
	of: () => parametersOf('forget-caller'),
	show: async (page, scene) => {
		await openPage(page, scene, 'forget-caller?number=%2B15550142');
		return await contentOf(page);
	},
};
