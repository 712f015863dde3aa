/**
 * docs/getting-started.md, followed to the letter in n8n's editor, from an empty n8n to the first
 * archived call.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';

import { canvasNode, publish } from '../../harness/editor/canvas.mts';
import { countClicks, missingChromium, openEditor } from '../../harness/editor/editor.mts';
import {
	closeNode,
	createCredential,
	openNode,
	readWebhookUrl,
	showNext,
} from '../../harness/editor/nodePanel.mts';
import { API_KEY, startStack, WEBHOOK_SECRET } from '../../harness/stack.mts';
import { workflowFile } from '../../harness/workflows.mts';
import { blocks, readPages, wordsOf } from '../docs/pages.mts';

const [readme, page = { path: '', text: '' }] = readPages(['README.md', 'docs/getting-started.md']);
const [path, callStartNode] = blocks(page).map(({ code }) => code);
const [, all, promised] = /\*\*(\d+) minutes\*\*.*?\*\*(\d+) minutes\*\*/.exec(page.text) ?? [];
const [followed = ''] = page.text.split('## 6. ');

/** To think, to point and to click, in the keystroke-level model (Card, Moran and Newell, 1980). */
const SECONDS_PER_CLICK = 1.35 + 1.1 + 0.2;
/** Of English that is read silently (Brysbaert, 2019). */
const WORDS_PER_MINUTE = 238;

test(
	'the first call is archived, in as many minutes of reading and clicking as the page says',
	{ skip: missingChromium() },
	async (t) => {
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-archive-'));
		t.after(() => rmSync(folder, { recursive: true }));
		const stack = await startStack({ n8n: { allowedPaths: [folder], editor: true } });
		t.after(async () => await stack.stop());
		for (const { id } of Object.values(stack.credentials)) {
			await stack.n8n.rest('DELETE', `/rest/credentials/${id}`);
		}
		const { page: editor, close } = await openEditor(stack.n8n);
		t.after(async () => await close());
		await editor.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		const clicks = await countClicks(editor);

		await editor.getByTestId('new-workflow-card').click();
		await editor.getByTestId('canvas-add-button').waitFor();
		// What "Copy raw file" copies.
		await paste(editor, readFileSync(workflowFile('archive-to-folder'), 'utf8'));
		await canvasNode(editor, 'When a call ends').waitFor();
		await openNode(editor, 'When a call ends');
		const account = {
			baseUrl: stack.emulator.url,
			apiKey: API_KEY,
			webhookSecret: WEBHOOK_SECRET,
		};
		await createCredential(editor, { type: 'VoiceAgent', fields: account });
		const callEnd = await readWebhookUrl(editor, 'production');
		await showNext(editor, 'Download recording');
		await showNext(editor, 'Write recording to folder');
		const pathField = editor.getByTestId('parameter-input-fileName');
		await pathField.locator('.cm-content').click();
		await pathField.locator('.cm-focused').waitFor();
		await editor.keyboard.press('Control+A');
		await paste(editor, path?.replace('/your/folder', folder));
		await pathField.getByText(folder).waitFor();
		// n8n takes an expression over when its user stops typing.
		await editor.waitForTimeout(1_000);
		await closeNode(editor);
		await publish(editor);

		await editor.getByTestId('universal-add').click();
		await editor.getByText('New workflow', { exact: true }).click();
		await editor.getByTestId('canvas-add-button').waitFor();
		await paste(editor, callStartNode);
		await openNode(editor, 'When a call starts');
		const callStart = await readWebhookUrl(editor, 'production');
		await closeNode(editor);
		await publish(editor);
		t.diagnostic(`${clicks()} clicks`);
		assert.match(String(readme?.text), new RegExp(`takes about ${all} minutes`));
		const seconds = clicks() * SECONDS_PER_CLICK;
		const reading = wordsOf({ ...page, text: followed }) / WORDS_PER_MINUTE;
		assert.equal(Math.round(seconds / 60 + reading), Number(promised));
		const stored = await stack.n8n.rest<{ name: string }[]>('GET', '/rest/workflows');
		assert.ok(stored.some(({ name }) => name === 'archive-to-folder'));

		const { control } = stack.emulator;
		control.setWebhooks({ callStart, callEnd });
		const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
		await control.completedCall(sessionGuid);
		while (stack.ledger(sessionGuid).state !== 'deleted') await editor.waitForTimeout(200);
		const formats = readdirSync(folder).map((name) => name.split('.').at(-1));
		assert.deepEqual(formats.toSorted(), ['json', 'opus']);
	},
);

async function paste(editor: Page, text = ''): Promise<void> {
	await editor.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
	await editor.keyboard.press('Control+V');
}
