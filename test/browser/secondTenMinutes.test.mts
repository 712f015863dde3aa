/**
 * docs/second-ten-minutes.md, followed to the letter in n8n's editor, from the first archived call
 * to a ledger, notices, a sweep and a status page.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Page } from 'playwright-core';

import { canvasNode, publish, showWorkflow, successMark } from '../../harness/editor/canvas.mts';
import { countClicks, missingChromium, openEditor } from '../../harness/editor/editor.mts';
import {
	chooseFromList,
	closeNode,
	createCredential,
	openNode,
} from '../../harness/editor/nodePanel.mts';
import { VIEWER } from '../../harness/pages.mts';
import { PASSWORD, startStack } from '../../harness/stack.mts';
import { startChat } from '../../harness/standIns/chat.mts';
import { until } from '../../harness/until.mts';
import { archiveToFolder, workflowFile } from '../../harness/workflows.mts';

const NOTES = ['Note the stored file in the ledger', 'Note the call in the ledger'] as const;

test(
	'the second ten minutes set up ledger, notices, sweep and status page',
	{ skip: missingChromium() },
	async (t) => {
		const folder = mkdtempSync(join(tmpdir(), 'voiceagent-archive-'));
		t.after(() => rmSync(folder, { recursive: true }));
		const chat = await startChat();
		t.after(async () => await chat.close());
		const stack = await startStack({ n8n: { allowedPaths: [folder], editor: true } });
		t.after(async () => await stack.stop());
		const { n8n, credentials, emulator } = stack;
		const archiveId = await n8n.importWorkflow(archiveToFolder(folder), credentials);
		await n8n.activate(archiveId);

		const { page, close } = await openEditor(n8n);
		t.after(async () => await close());
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		const clicks = await countClicks(page);

		// 1. The ledger
		await pasteWorkflow(page, 'create-ledger', 'Create the ledger in data tables');
		await page.getByTestId('execute-workflow-button').click();
		await successMark(page, 'Create the table of days').waitFor();

		// 2. The notice
		await pasteWorkflow(page, 'failure-notice', 'Post the notice to your chat');
		await enterUrl(page, 'Post the notice to your chat', chat.url);
		await publish(page);

		// 3. The archive workflow, once more
		await showWorkflow(page, n8n, archiveId);
		await canvasNode(page, NOTES[0]).click();
		await canvasNode(page, NOTES[1]).click({ modifiers: ['Control'] });
		await page.keyboard.press('d');
		await chooseErrorWorkflow(page);
		// Nothing follows, unlike the first time.
		await page.getByTestId('workflow-open-publish-modal-button').click();
		await page.getByTestId('workflow-publish-button').click();
		await page.getByTestId('workflow-publish-button').waitFor({ state: 'hidden' });

		// 4. The sweep
		await pasteWorkflow(page, 'sweep-before-purge', 'Archive recording with your workflow');
		await openNode(page, 'Archive recording with your workflow');
		await chooseFromList(page, 'workflowId', 'archive-to-folder');
		await closeNode(page);
		await chooseErrorWorkflow(page);
		await publish(page);

		// 5. The report and the status page
		await pasteWorkflow(page, 'report-and-status', 'When someone looks');
		await enterUrl(page, 'Post the report to your chat', chat.url);
		await openNode(page, 'When someone looks');
		await createCredential(page, { type: 'Basic Auth', fields: VIEWER });
		await closeNode(page);
		await chooseErrorWorkflow(page);
		await publish(page);
		t.diagnostic(`${clicks()} clicks`);

		const workflows = await n8n.rest<{ id: string; name: string; active: boolean }[]>(
			'GET',
			'/rest/workflows',
		);
		const idOf = (name: string) => workflows.find((one) => one.name === name)?.id;
		for (const { id, name, active } of workflows) {
			assert.equal(active, name !== 'create-ledger', name);
			if (/ledger|failure/.test(name)) continue;
			const { settings } = await n8n.rest<{ settings: { errorWorkflow?: string } }>(
				'GET',
				`/rest/workflows/${id}`,
			);
			assert.equal(settings.errorWorkflow, idOf('failure-notice'), name);
		}
		assert.equal(workflows.length, 5);

		const { control } = emulator;
		const { sessionGuid } = await control.addRecording({ to: '+15550100' });
		control.setWebhooks({ callEnd: await n8n.webhookUrl(archiveId, 'When a call ends') });
		await control.sendCallEnd(sessionGuid);
		await until(() => stack.ledger(sessionGuid).state === 'deleted');
		const status = await until(async () => {
			const { user, password } = VIEWER;
			const headers = { Authorization: `Basic ${btoa(`${user}:${password}`)}` };
			const answer = await fetch(`${n8n.url}/webhook/voiceagent/status`, { headers });
			const text = await answer.text();
			return /Archived: 1</.test(text) ? text : undefined;
		});
		assert.match(status, /all is well/);

		// A failure says so in the chat.
		const broken = await control.addRecording({ to: '+15550101', password: `not ${PASSWORD}` });
		await control.sendCallEnd(broken.sessionGuid);
		assert.match(await chat.noticeWith(broken.sessionGuid), /archive-to-folder/);
	},
);

/** In the open workflow, as its address for messages. */
async function enterUrl(page: Page, node: string, url: string): Promise<void> {
	const panel = await openNode(page, node);
	const field = panel.getByTestId('parameter-input-url').locator('input');
	await field.click();
	await field.fill(url);
	await closeNode(page);
}

async function chooseErrorWorkflow(page: Page): Promise<void> {
	await page.getByTestId('workflow-menu').click();
	await page.getByTestId('workflow-menu-item-settings').click();
	const dialog = page.getByTestId('workflow-settings-dialog');
	await dialog.getByTestId('workflow-settings-error-workflow').click();
	await page.getByRole('option', { name: 'failure-notice' }).click();
	const saved = page.waitForResponse(
		(answer) => answer.request().method() === 'PATCH' && answer.url().includes('/rest/workflows/'),
	);
	await page.getByRole('button', { name: 'Save', exact: true }).click();
	await saved;
	await dialog.waitFor({ state: 'hidden' });
}

async function pasteWorkflow(page: Page, name: string, node: string): Promise<void> {
	await page.getByTestId('universal-add').click();
	await page.getByText('New workflow', { exact: true }).click();
	await page.getByTestId('canvas-add-button').waitFor();
	const text = readFileSync(workflowFile(name), 'utf8');
	await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
	await page.keyboard.press('Control+V');
	await canvasNode(page, node).waitFor();
}
