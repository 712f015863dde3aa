/** The pages as somebody sees them: within n8n's sandbox, in each theme, on a phone and with a screen reader. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import axe from 'axe-core';

import { missingChromium, openEditor, type Editor } from '../../harness/editor/editor.mts';
import { createLedger } from '../../harness/ledger.mts';
import { pageWorkflow, pageWorkflows, VIEWER } from '../../harness/pages.mts';
import { startStack, type Stack } from '../../harness/stack.mts';

const PAGES = ['status', 'find-a-call', 'find-a-call?call=call-1', 'forget-caller?number=123'];
const looks = {
	'in the light': { colorScheme: 'light', width: 1000 },
	'in the dark': { colorScheme: 'dark', width: 1000 },
	'on a phone': { colorScheme: 'light', width: 390 },
} as const;

/** Two seconds of silence: the header of a WAV file, and 8,000 samples of one byte each second. */
const silence = Buffer.concat([
	Buffer.from('UklGRqQ+AABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YYA+AAA=', 'base64'),
	Buffer.alloc(16_000, 128),
]);

suite('the pages, in a real browser', { skip: missingChromium() }, () => {
	let stack: Stack;
	let editor: Editor;
	let folder: string;
	before(async () => {
		folder = await mkdtemp(join(tmpdir(), 'voiceagent-pages-'));
		stack = await startStack({ n8n: { allowedPaths: [folder] } });
		const { n8n, credentials, emulator } = stack;
		const data = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
		const httpBasicAuth = await n8n.createCredential(data);
		const file = join(folder, 'call-1.wav');
		await writeFile(file, silence);
		const endedAt = new Date(Date.now() - 7_200_000).toISOString();
		await (
			await createLedger(n8n)
		).insert(
			{
				sessionGuid: 'call-1',
				number: '123',
				status: 'archived',
				archive: 'Folder',
				file,
				endedAt,
				archivedAt: endedAt,
			},
			{
				sessionGuid: 'call-2',
				number: '124',
				status: 'lost',
				endedAt,
				lostAt: endedAt,
				lastError: 'x'.repeat(300),
			},
		);
		await emulator.control.addRecording({ endedAt: new Date(Date.now() - 5e8).toISOString() });
		for (const name of pageWorkflows) {
			const id = await n8n.importWorkflow(pageWorkflow(name), { ...credentials, httpBasicAuth });
			await n8n.activate(id);
		}
		editor = await openEditor(n8n);
	});
	after(async () => {
		await editor?.close();
		await stack?.stop();
		await rm(folder, { recursive: true, force: true });
	});

	async function open(address: string, { colorScheme, width }: (typeof looks)[keyof typeof looks]) {
		const context = await editor.page
			.context()
			.browser()!
			.newContext({ colorScheme, viewport: { width, height: 800 } });
		const page = await context.newPage();
		const requests: string[] = [];
		page.on('request', (request) => requests.push(request.url()));
		const url = new URL(`${stack.n8n.url}/webhook/voiceagent/${address}`);
		await page.goto(Object.assign(url, { username: VIEWER.user, password: VIEWER.password }).href);
		return { page, requests };
	}

	for (const [name, look] of Object.entries(looks)) {
		test(`${name}: nothing for axe to find, nothing too wide, and one request each`, async () => {
			for (const address of PAGES) {
				const { page, requests } = await open(address, look);
				assert.equal(requests.filter((url) => !url.startsWith('data:')).length, 1, requests.join());
				await page.evaluate(axe.source);
				const found = await page.evaluate(
					'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))',
				);
				assert.deepEqual(found, [], address);
				const tooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
				assert.equal(tooWide, false, address);
				await page.context().close();
			}
		});
	}

	test('a call is found, and its recording plays from any second', async () => {
		const { page } = await open('find-a-call', looks['on a phone']);
		await page.getByLabel('Number or session').fill('12 3');
		await page.getByRole('button', { name: 'Find' }).click();
		await page.getByText('Found: 1').waitFor();
		await page.locator('td a').click();
		const played = await page.evaluate(`(async () => {
			const audio = document.querySelector('audio');
			await audio.play();
			audio.currentTime = 1.5;
			await new Promise((resolve) => audio.addEventListener('ended', resolve));
			return audio.currentTime;
		})()`);
		assert.ok(Math.abs(Number(played) - 2) < 0.1, String(played));
	});
});
