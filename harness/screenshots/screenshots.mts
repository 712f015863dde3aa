/**
 * `npm run screenshots`: takes the pictures of the documentation from the running product.
 * `npm run screenshots -- node-delete execution` takes only these two.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Argument, Command } from 'commander';
import type { Page } from 'playwright-core';

import { openEditor } from '../editor/editor.mts';
import { demo, shownDemo } from './demo.mts';
import { firstCall, takeFirstCall } from './firstCall.mts';
import { HIDDEN, WINDOW, type Picture } from './picture.mts';
import { hasDark, pictures } from './pictures.mts';
import { startScene, type Scene } from './scene.mts';
import { digestOf, IMAGES, writeDigest } from './shown.mts';

/**
 * Hides what would distract: messages in the corner, the dots of the canvas, shortcuts to the nodes
 * before and after, and the id of the chosen workflow.
 */
const STYLE = `
	${HIDDEN}, .el-notification, [data-test-id=canvas-background], [data-test-id=floating-node],
	[data-node-name="Archive recording with your workflow"] [class*=subtitle] {
		visibility: hidden !important;
	}
`;

const MARKS = '[data-test-id=node-issues]';

/** The colour of the canvas. What stands between it and the page may have none. */
const GROUND = `
	let element = document.querySelector('.vue-flow');
	while (getComputedStyle(element).backgroundColor === 'rgba(0, 0, 0, 0)') {
		element = element.parentElement;
	}
	getComputedStyle(element).backgroundColor;
`;

const DEMO = 'demo';
const DEMO_FILE = join(IMAGES, 'demo.svg');
const FIRST_CALL = 'first-call';
const FIRST_CALL_FILE = join(IMAGES, `${FIRST_CALL}.webp`);

/** @param wanted names of pictures; none means all of them */
async function takePictures(wanted: string[]): Promise<void> {
	const chosen = Object.entries(pictures).filter(
		([name]) => wanted.length === 0 || wanted.includes(name),
	);
	await mkdir(IMAGES, { recursive: true });
	if (wanted.length === 0 || wanted.includes(DEMO)) {
		await writeFile(DEMO_FILE, demo());
		writeDigest(DEMO_FILE, digestOf(shownDemo));
	}
	if (wanted.length === 0 || wanted.includes(FIRST_CALL)) {
		await takeFirstCall(FIRST_CALL_FILE);
		writeDigest(FIRST_CALL_FILE, digestOf(firstCall));
	}
	if (chosen.length === 0) return;
	await takeIn('light', chosen);
	await takeIn(
		'dark',
		chosen.filter(([name]) => hasDark(name)),
	);
}

/** In a scene of its own, because some pictures delete a recording. */
async function takeIn(
	theme: 'light' | 'dark',
	chosen: Array<[name: string, picture: Picture]>,
): Promise<void> {
	const scene = await startScene();
	try {
		const { page, close } = await openEditor(scene.n8n, {
			...WINDOW,
			dark: theme === 'dark',
			// Sharp on today's screens. Pages show half of the width.
			scale: 2,
		});
		for (const [name, picture] of chosen) {
			const path = join(IMAGES, `${name}${theme === 'dark' ? '-dark' : ''}.png`);
			await take(picture, path, page, scene);
			// A third of the size, where it is installed. What would lose too much stays as it is.
			spawnSync('pngquant', ['--quality=70-95', '--strip', '--ext=.png', '--force', path]);
			writeDigest(path, digestOf(picture));
			const kilobytes = Math.round((await stat(path)).size / 1000);
			console.log(`${relative(process.cwd(), path)} ${kilobytes} kB`);
		}
		await close();
	} finally {
		await scene.close();
	}
}

async function take(picture: Picture, path: string, page: Page, scene: Scene): Promise<void> {
	await page.setViewportSize(picture.size ?? WINDOW);
	const subject = await picture.show(page, scene);
	// Under the mouse, fields show buttons.
	await page.mouse.move(0, 0);
	const style = picture.withMarks ? STYLE : `${STYLE} ${MARKS} { visibility: hidden }`;
	const options = { animations: 'disabled', style } as const;
	if ('x' in subject) await page.screenshot({ ...options, path, clip: subject });
	else if (!Array.isArray(subject)) await subject.screenshot({ ...options, path });
	else {
		const rows: Buffer[] = [];
		for (const clip of subject) rows.push(await page.screenshot({ ...options, clip }));
		await putInRows(page, rows, path);
	}
}

/** One picture of several, below one another. */
async function putInRows(page: Page, rows: Buffer[], path: string): Promise<void> {
	if (rows.length === 1 && rows[0]) return await writeFile(path, rows[0]);
	const ground = await page.evaluate<string>(GROUND);
	const images = rows.map((row) => `<img src="data:image/png;base64,${row.toString('base64')}">`);
	const sheet = await page.context().newPage();
	await sheet.setContent(`<style>
		main { display: inline-block; background: ${ground} }
		img { display: block; zoom: 0.5 }
	</style><main>${images.join('')}</main>`);
	await sheet.waitForFunction('[...document.images].every(({ complete }) => complete)');
	await sheet.locator('main').screenshot({ path });
	await sheet.close();
}

const names = new Argument('[names...]', 'the pictures to take; all of them by default');
await new Command('npm run screenshots --')
	.description('Takes the pictures of the documentation from the running product. Needs Chromium.')
	.addArgument(names.choices([DEMO, FIRST_CALL, ...Object.keys(pictures)]))
	.action(takePictures)
	.parseAsync();
