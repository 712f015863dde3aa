/** The folder of an archive as a terminal lists it: the files of the scene, under another path. */
import { execFileSync } from 'node:child_process';
import type { Page } from 'playwright-core';

import { FOLDER, SHOWN_PATH } from './scene.mts';

/** Other pictures of the same scene have archived calls, too. */
const NEWEST = 6;

/** Opens a page with the output of `ls`. */
export async function showFolder(page: Page): Promise<void> {
	const args = ['-ohg', '--time-style=long-iso', FOLDER];
	const [, ...files] = execFileSync('ls', args, { encoding: 'utf8' }).trimEnd().split('\n');
	// Links and who may read a file are beside the point.
	const lines = files.slice(-NEWEST).map((line) => line.replace(/^\S+ \d+ /, ''));
	await page.setContent(`<!doctype html>
<style>
	body { margin: 0; background: #1b1f24; color: #e6e8eb; }
	pre { margin: 0; padding: 20px 24px; font: 14px/1.6 'DejaVu Sans Mono', monospace; }
</style>
<pre></pre>`);
	await page.locator('pre').evaluate(
		(pre, text) => {
			pre.textContent = text;
		},
		[`$ ls ${SHOWN_PATH}`, ...lines].join('\n'),
	);
}
