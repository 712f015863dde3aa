import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { chromium, type Locator, type Page } from 'playwright-core';
import { recordingPath, start } from './helpers.mts';

const browsers = [
	process.env['CHROMIUM'],
	'/usr/bin/chromium',
	'/usr/bin/chromium-browser',
	'/usr/bin/google-chrome',
].filter((file) => file !== undefined && existsSync(file));
const skip =
	browsers.length === 0 && 'needs Chromium, such as of the Debian package chromium; not found';

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

/** Opens an operation of the Swagger UI and tries it out. */
async function tryOut(
	page: Page,
	operation: string,
	sessionGuid?: string,
): Promise<{ status: string; block: Locator }> {
	const block = page.locator(`#operations-${operation}`);
	await block.locator('.opblock-summary-control').click();
	await block.locator('.try-out__btn').click();
	if (sessionGuid !== undefined) await block.locator('input[placeholder]').fill(sessionGuid);
	await block.locator('button.execute').click();
	const status = block.locator('.live-responses-table .response .response-col_status').first();
	await status.waitFor();
	return { status: (await status.innerText()).trim().slice(0, 3), block };
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
	assert.equal((await tryOut(page, 'Recordings-listRecordings')).status, '401');
	await page.locator('#operations-Recordings-listRecordings .opblock-summary-control').click();

	await page.locator('.auth-wrapper .authorize').first().click();
	const dialog = page.locator('.dialog-ux');
	await dialog.waitFor();
	assert.equal(await dialog.locator('input').count(), 1, 'one field');
	assert.match(await dialog.innerText(), /Token/);
	await dialog.locator('input').fill('demo-key');
	await dialog.locator('button.authorize').click();
	await dialog.locator('button.btn-done').click();

	const made = await tryOut(page, 'Calls-makeCall');
	assert.equal(made.status, '200');
	const { sessionGuid } = (await shownBody(made.block)) as { sessionGuid: string };
	const call = await control.completedCall(sessionGuid);
	assert.equal(call.recorded, true);

	await page.reload();
	await page.locator('.auth-wrapper .authorize').first().click();
	await dialog.locator('input').fill('demo-key');
	await dialog.locator('button.authorize').click();
	await dialog.locator('button.btn-done').click();

	const listed = await tryOut(page, 'Recordings-listRecordings');
	assert.equal(listed.status, '200');
	const [row, ...others] = (await shownBody(listed.block)) as { sessionGuid: string }[];
	assert.deepEqual(others, []);
	assert.equal(row?.sessionGuid, sessionGuid);

	const loaded = await tryOut(page, 'Recordings-downloadRecording', sessionGuid);
	assert.equal(loaded.status, '200');
	await loaded.block.locator('.live-responses-table audio').waitFor();

	const deleted = await tryOut(page, 'Recordings-deleteRecording', sessionGuid);
	assert.equal(deleted.status, '200');
	assert.deepEqual(await shownBody(deleted.block), { deleted: true, sessionGuid });
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

test('a browser plays every format at its true length', { skip }, async (t) => {
	const { url, control } = await start(t);
	const page = await openPage(t);
	await page.goto(`${url}/swagger`);
	for (const format of ['opus', 'mp3', 'wav'] as const) {
		const { sessionGuid } = await control.addRecording({ format, durationSeconds: 3 });
		const duration = await page.evaluate(async (address) => {
			const reply = await fetch(address, { headers: { Token: 'demo-key' } });
			const sound = new Audio(URL.createObjectURL(await reply.blob()));
			sound.muted = true;
			return new Promise<number>((resolve, reject) => {
				sound.onerror = () => reject(new Error(sound.error?.message));
				// Known for certain only once it has been played to its end.
				sound.onended = () => resolve(sound.currentTime);
				sound.playbackRate = 4;
				sound.play().catch(reject);
			});
		}, recordingPath(sessionGuid));
		assert.ok(Math.abs(duration - 3) < 0.1, `${format}: ${duration} s`);
	}
});
