import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { chromium, type Locator, type Page } from 'playwright-core';
import { receiver, recordingPath, start } from './helpers.mts';

const { CHROMIUM_PATH } = process.env;
const usualPaths = [
	chromium.executablePath(),
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
];
const browsers = (CHROMIUM_PATH ? [CHROMIUM_PATH] : usualPaths).filter((file) => existsSync(file));
const skip = browsers.length === 0 && 'there is no Chromium (CHROMIUM_PATH can name one)';

/** A page in a browser with a profile of its own, closed at the end of the test. */
async function openPage(t: TestContext): Promise<Page> {
	const profile = await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-browser-'));
	const context = await chromium.launchPersistentContext(profile, {
		executablePath: browsers[0] ?? '',
		viewport: { width: 1280, height: 1000 },
		args: [
			'--no-sandbox',
			'--disable-gpu',
			'--disable-quic',
			'--no-first-run',
			'--disable-background-networking',
			'--disable-component-update',
			'--disable-sync',
		],
	});
	t.after(async () => {
		await context.close();
		await rm(profile, { recursive: true, force: true, maxRetries: 5 });
	});
	context.setDefaultTimeout(15_000);
	return context.newPage();
}

/** Tries out an operation of the Swagger UI and waits for a reply with the given status. */
async function tryOut(
	page: Page,
	operation: string,
	status: number,
	sessionGuid?: string,
): Promise<Locator> {
	const block = page.locator(`#operations-${operation}`);
	if (!(await block.locator('button.execute').isVisible())) {
		await block.locator('.opblock-summary-control').click();
		await block.locator('.try-out__btn').click();
	}
	if (sessionGuid !== undefined) await block.locator('input[placeholder]').fill(sessionGuid);
	await block.locator('button.execute').click();
	await block
		.locator('.live-responses-table .response .response-col_status', { hasText: String(status) })
		.waitFor();
	return block;
}

/** The body that the Swagger UI shows for a reply. */
async function shownBody(block: Locator): Promise<unknown> {
	return JSON.parse(await block.locator('.live-responses-table .highlight-code code').innerText());
}

test('the Swagger UI: authorize, place a call, list, download, delete', { skip }, async (t) => {
	const { url, control } = await start(t, { defaultInstructions: { recordCall: true } });
	const page = await openPage(t);
	const problems: string[] = [];
	page.on('pageerror', (error) => problems.push(error.message));
	page.on('console', (message) => {
		if (message.type() === 'error') problems.push(message.text());
	});
	await page.goto(`${url}/swagger`);

	// Without a key first: the list is refused.
	await tryOut(page, 'Recordings-listRecordings', 401);

	await page.locator('.auth-wrapper .authorize').first().click();
	const dialog = page.locator('.dialog-ux');
	await dialog.waitFor();
	assert.equal(await dialog.locator('input').count(), 1, 'one field');
	assert.match(await dialog.innerText(), /Token/);
	await dialog.locator('input').fill('demo-key');
	await dialog.locator('button.authorize').click();
	await dialog.locator('button.btn-done').click();

	const made = await tryOut(page, 'Calls-makeCall', 200);
	const { sessionGuid } = (await shownBody(made)) as { sessionGuid: string };
	const call = await control.completedCall(sessionGuid);
	assert.equal(call.recorded, true);

	const listed = await tryOut(page, 'Recordings-listRecordings', 200);
	const [row, ...others] = (await shownBody(listed)) as { sessionGuid: string }[];
	assert.deepEqual(others, []);
	assert.equal(row?.sessionGuid, sessionGuid);

	const loaded = await tryOut(page, 'Recordings-downloadRecording', 200, sessionGuid);
	const [download] = await Promise.all([
		page.waitForEvent('download'),
		loaded.locator('.live-responses-table a[download]').click(),
	]);
	assert.equal(download.suggestedFilename(), `${sessionGuid}.opus`);
	const file = await readFile(await download.path());
	const [entry] = control.recordings();
	assert.equal(createHash('sha256').update(file).digest('hex'), entry?.storedSha256);

	const deleted = await tryOut(page, 'Recordings-deleteRecording', 200, sessionGuid);
	assert.deepEqual(await shownBody(deleted), { deleted: true, sessionGuid });
	assert.equal(control.recordings()[0]?.state, 'deleted');

	const picture = process.env['SCREENSHOT'];
	if (picture) await page.screenshot({ path: picture, fullPage: true });
	const tokens = control
		.requests()
		.map(({ rawHeaders }) => rawHeaders.find(([name]) => name?.toLowerCase() === 'token'));
	assert.deepEqual(tokens, [undefined, ...Array.from({ length: 4 }, () => ['Token', 'demo-key'])]);
	assert.deepEqual(
		problems.filter((text) => !/401 \(Unauthorized\)/.test(text)),
		[],
	);
});

/** Runs in the page. Returns the words of the tables that are broken into several lines. */
const brokenWords = `[...document.querySelectorAll('th, td')].flatMap((cell) => {
	const found = [];
	const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
	for (let node; (node = texts.nextNode()); ) {
		for (const { 0: word, index } of node.data.matchAll(/\\w+/g)) {
			const range = document.createRange();
			range.setStart(node, index);
			range.setEnd(node, index + word.length);
			const lines = new Set([...range.getClientRects()].map(({ top }) => top));
			if (lines.size > 1) found.push(word);
		}
	}
	return found;
})`;

test('the page at / sets webhooks, and shows what happens', { skip }, async (t) => {
	const password = 'brand-new-pass-phrase';
	const hooks = await receiver(t, ({ path }, response) => {
		if (path !== '/start') response.statusCode = 401;
		const block = { recordCall: true, recordCallFormat: 'opus', recordCallPassword: password };
		return path === '/start'
			? { Service_Instructions: block }
			: {
					error: 'The secret is missing: enter it at the service, in the header that n8n expects.',
				};
	});
	const { url, control } = await start(t);
	const page = await openPage(t);
	await page.goto(url);
	for (const text of [/No calls yet/, /No recordings yet/, /No webhooks yet/, /sent nowhere/]) {
		await page.getByText(text).waitFor();
	}

	await page.getByLabel('CallStart URL').fill(`${hooks.url}/start`);
	await page.getByLabel('CallEnd URL').fill(`${hooks.url}/a/long/address/${'7c9e6679-'.repeat(9)}`);
	await page.getByLabel('Secret', { exact: true }).fill('a-secret-of-the-page');
	await page.getByRole('button', { name: 'Set webhooks' }).click();
	await page.getByText('Webhooks are set, with a secret.').waitFor();
	const secret = { in: 'header', name: 'X-Webhook-Secret', value: 'a-secret-of-the-page' };
	assert.deepEqual(control.webhookDelivery().secret, secret);

	await page.getByRole('button', { name: 'Call', exact: true }).click();
	const failed = page.locator('#deliveries tr', { hasText: 'CallEnd' });
	await failed.getByText('Failed: 401').waitFor();
	assert.match(String(await failed.getAttribute('class')), /failed/);
	assert.match(await page.locator('#recordings tr').innerText(), /stored\s+16[78]\.\d h/);
	assert.match(await page.locator('#calls tr').innerText(), /\+15550100\s+\w+\s+answered\s+yes/);

	// A reply can be opened whole, stays open, and shows no password.
	const asked = page.locator('#deliveries tr', { hasText: 'CallStart' });
	await asked.locator('summary').click();
	await asked.getByText('"recordCallPassword": "••••••"').last().waitFor();
	await page.getByRole('button', { name: 'Call', exact: true }).click();
	await page.locator('#calls tr').nth(1).waitFor();
	assert.equal(await page.locator('details[open]').count(), 1);
	assert.ok(!(await page.content()).includes(password));

	const picture = process.env['SCREENSHOT_PAGE'];
	for (const width of [390, 1440]) {
		for (const colorScheme of ['light', 'dark'] as const) {
			await page.setViewportSize({ width, height: 900 });
			await page.emulateMedia({ colorScheme });
			assert.deepEqual(await page.evaluate(brokenWords), [], `at ${width}`);
			const wide = await page.evaluate('document.documentElement.scrollWidth');
			assert.ok(Number(wide) <= width, `${String(wide)} at ${width}`);
			const path = `${picture}-${width}-${colorScheme}.png`;
			if (picture) await page.screenshot({ path, fullPage: true });
		}
	}
});

test('the page at / keeps the secret, unless it is to be removed', { skip }, async (t) => {
	const secret = { in: 'header', name: 'X-Own', value: 'a-secret-of-the-start' } as const;
	const { url, control } = await start(t, {
		webhooks: { callEnd: 'http://127.0.0.1:9/old' },
		webhookDelivery: { secret },
	});
	const page = await openPage(t);
	await page.goto(url);
	const set = async (says: string) => {
		await page.getByRole('button', { name: 'Set webhooks' }).click();
		await page.getByText(says).waitFor();
	};
	await page.getByLabel('Remove the secret').waitFor();
	await page.getByLabel('CallEnd URL').fill('http://127.0.0.1:9/new');
	await page.getByLabel('Retries as made by').selectOption('svix');
	await set('Webhooks are set, with a secret.');
	assert.equal(control.webhooks().callEnd, 'http://127.0.0.1:9/new');
	assert.deepEqual(control.webhookDelivery().secret, secret);
	assert.equal(control.webhookDelivery().preset, 'svix');
	await page.getByLabel('Remove the secret').check();
	await set('Webhooks are set, without a secret.');
	assert.equal(control.webhookDelivery().secret, null);
	await page.getByLabel('Remove the secret').waitFor({ state: 'hidden' });
});

/** Runs in the page, whose types this project does not have. Resolves with the seconds played. */
const play = `async (address) => {
	const reply = await fetch(address, { headers: { Token: 'demo-key' } });
	const sound = new Audio(URL.createObjectURL(await reply.blob()));
	sound.muted = true;
	sound.playbackRate = 4;
	return new Promise((resolve, reject) => {
		sound.onerror = () => reject(new Error(sound.error.message));
		sound.onended = () => resolve(sound.currentTime);
		sound.play().catch(reject);
	});
}`;

test('a browser plays every format at its true length', { skip }, async (t) => {
	const { url, control } = await start(t);
	const page = await openPage(t);
	await page.goto(`${url}/swagger`);
	for (const format of ['opus', 'mp3', 'wav'] as const) {
		const { sessionGuid } = await control.addRecording({ format, durationSeconds: 3 });
		const address = JSON.stringify(recordingPath(sessionGuid));
		const duration = Number(await page.evaluate(`(${play})(${address})`));
		assert.ok(Math.abs(duration - 3) < 0.1, `${format}: ${duration} s`);
	}
});
