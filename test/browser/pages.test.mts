/**
 * The pages as somebody sees them: within n8n's sandbox, in each theme, on a phone and with a
 * screen reader.
 */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import axe from 'axe-core';
import type { Browser } from 'playwright-core';

import { launchChromium, missingChromium } from '../../harness/editor/editor.mts';
import { createLedger } from '../../harness/ledger.mts';
import { listen } from '../../harness/listen.mts';
import { pageUrl, publishPages, VIEWER } from '../../harness/pages.mts';
import { startStack, type Stack } from '../../harness/stack.mts';

const PAGES = ['status', 'find-a-call', 'find-a-call?call=call-1', 'forget-caller?number=123'];
const looks = [
	['light', 1_000],
	['dark', 1_000],
	['no-preference', 390],
] as const;

/** A WAV file of 25 minutes of silence, 12 MB: each second has 8,000 samples of one byte. */
const SECONDS = 1_500;
const silence = Buffer.concat([
	Buffer.from('UklGRqQ+AABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YYA+AAA=', 'base64'),
	Buffer.alloc(SECONDS * 8_000, 128),
]);
silence.writeUInt32LE(silence.length - 8, 4);
silence.writeUInt32LE(silence.length - 44, 40);

suite('the pages, in a real browser', { skip: missingChromium() }, () => {
	let stack: Stack;
	let browser: Browser;
	let folder: string;
	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-pages-'));
		stack = await startStack({ n8n: { allowedPaths: [folder] } });
		const { n8n, credentials, emulator } = stack;
		await publishPages(n8n, credentials);
		const file = join(folder, 'call-1.wav');
		await writeFile(file, silence);
		await writeFile(join(folder, 'call-1.transcript.txt'), 'Hello <world>');
		const endedAt = new Date(Date.now() - 7_200_000).toISOString();
		const ledger = await createLedger(n8n);
		const startedAt = new Date(Date.parse(endedAt) - SECONDS * 1_000).toISOString();
		const call = { to: '123', from: '+442079460123', startedAt, endedAt, archive: 'Folder', file };
		await ledger.insert(
			{
				...call,
				recordingKey: 'call-1',
				status: 'archived',
				archivedAt: endedAt,
				transcribedAt: endedAt,
			},
			{ ...call, recordingKey: 'call-3', archivedAt: endedAt, file: join(folder, 'gone.wav') },
			{ ...call, recordingKey: 'call-2', lostAt: endedAt, lastError: 'x'.repeat(300) },
		);
		await emulator.control.addRecording({ endedAt: new Date(Date.now() - 5e8).toISOString() });
		browser = await launchChromium();
	});
	after(async () => {
		await browser?.close();
		await stack?.stop();
		await rm(folder, { recursive: true, force: true });
	});

	async function open(address: string) {
		const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
		const requests: string[] = [];
		page.on('request', (request) => requests.push(request.url()));
		await page.goto(pageUrl(stack.n8n, address));
		return { page, requests };
	}

	for (const address of PAGES) {
		test(`${address} loads nothing, has no finding of axe, and is not too wide`, async () => {
			const { page, requests } = await open(address);
			const player = requests.filter((one) => one.includes('/play-a-call?ticket='));
			assert.equal(requests.length, 1 + player.length, requests.join());
			if (address === 'status') assert.equal(requests.length, 1);
			await page.evaluate(axe.source);
			for (const [colorScheme, width] of looks) {
				await page.emulateMedia({ colorScheme });
				await page.setViewportSize({ width, height: 800 });
				const found = await page.evaluate(`(async () => {
					const { violations } = await axe.run();
					return violations.map(({ id, nodes }) => id + nodes[0].html);
				})()`);
				assert.deepEqual(found, [], `${colorScheme} ${width}`);
				const tooWide = 'document.documentElement.scrollWidth > innerWidth';
				assert.equal(await page.evaluate(tooWide), false, `${colorScheme} ${width}`);
			}
			await page.close();
		});
	}

	test('a call is found, and one click plays its recording, from any second', async () => {
		const { page } = await open('find-a-call');
		await page.getByLabel('Number or session').fill('12 3');
		await page.getByRole('button', { name: 'Find' }).click();
		await page.getByText('Found: 3').waitFor();
		await page.locator('tr', { hasText: 'archived' }).getByRole('link', { name: 'Play' }).click();
		await page.locator('audio').waitFor();
		const played = await page.evaluate(`(async () => {
			const audio = document.querySelector('audio');
			while (audio.currentTime === 0) await new Promise((resolve) => setTimeout(resolve, 50));
			audio.currentTime = ${SECONDS - 1};
			await new Promise((resolve) => audio.addEventListener('ended', resolve));
			return audio.currentTime;
		})()`);
		assert.ok(Math.abs(Number(played) - SECONDS) < 0.1, String(played));
		await page.getByText('Hello <world>').waitFor();
	});

	test('a page of another port cannot frame them, even with the password in the browser', async (t) => {
		const { user: username, password } = VIEWER;
		const page = await browser.newPage({ httpCredentials: { username, password } });
		const urls = PAGES.map((one) => `http://127.0.0.1:${stack.n8n.port}/webhook/voiceagent/${one}`);
		for (const url of urls) assert.equal((await page.goto(url))?.status(), 200);
		const frames = urls.map((url) => `<iframe src="${url}"></iframe>`).join('');
		const other = createServer((_request, response) => {
			response.setHeader('content-type', 'text/html').end(frames);
		});
		const { port, close } = await listen(other);
		t.after(close);
		await page.goto(`http://127.0.0.1:${port}`);
		const shown = page.frames().slice(1);
		assert.equal(shown.length, PAGES.length);
		// Chromium's own page, which says that it has blocked the other one.
		for (const frame of shown) assert.equal(frame.url(), 'chrome-error://chromewebdata/');
		await page.close();
	});

	test('the page says why a recording cannot be read', async () => {
		const { page } = await open('find-a-call?call=call-3');
		await page.getByText('It could not be read from the archive: ').waitFor();
	});
});
