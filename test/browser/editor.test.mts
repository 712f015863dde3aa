import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';

import { showWorkflow } from '../../harness/editor/canvas.mts';
import { missingChromium, openEditor, type Editor } from '../../harness/editor/editor.mts';
import { closeNode, openNode } from '../../harness/editor/nodePanel.mts';
import { startStack, type Stack } from '../../harness/stack.mts';

suite('the nodes in the editor, in a real browser', { skip: missingChromium() }, () => {
	let stack: Stack;
	let editor: Editor;
	let page: Page;
	before(async () => {
		stack = await startStack({ n8n: { editor: true } });
		editor = await openEditor(stack.n8n);
		page = editor.page;
	});
	after(async () => {
		await editor?.close();
		await stack?.stop();
	});

	test('the node is found, with an action for each operation and event', async () => {
		await page.goto(`${stack.n8n.url}/workflow/new`);
		await page.getByTestId('canvas-add-button').click();
		await page.getByTestId('node-creator-search-bar').fill('VoiceAgent');
		const entries = page.getByTestId('node-creator-item-name');
		await entries.getByText('VoiceAgent', { exact: true }).click();
		const actions = page.getByTestId('node-creator-category-item').filter({ hasText: 'Actions' });
		await actions.first().waitFor();
		for (const action of [
			'Make call',
			'Decrypt recording',
			'Delete recording',
			'Download recording',
			'Get many recordings',
			'Send SMS (not yet available)',
		]) {
			if (!(await entries.getByText(action, { exact: true }).isVisible()))
				await actions.first().click();
			await entries.getByText(action, { exact: true }).waitFor();
		}
		await page.keyboard.press('Escape');
	});

	test('the node is found by what it does', async () => {
		await page.goto(`${stack.n8n.url}/workflow/new`);
		await page.getByTestId('canvas-add-button').click();
		const entries = page.getByTestId('node-creator-item-name');
		for (const words of ['voice agent', 'dial', 'call recording', 'decrypt', 'transcript']) {
			await page.getByTestId('node-creator-search-bar').fill(words);
			await entries.getByText('VoiceAgent', { exact: true }).waitFor();
			await page.getByTestId('node-creator-search-bar').fill('no such node');
			await entries.first().waitFor({ state: 'detached' });
		}
		await page.keyboard.press('Escape');
	});

	const forms: Array<[resource: string, operation: string, labels: string[]]> = [
		['call', 'make', ['To', 'Specify Call Details', 'More Fields', 'Options']],
		['callStart', 'respond', ['Record Call']],
		['connection', 'check', []],
		['recording', 'download', ['Recording', 'Decrypt', 'Put Output File in Field', 'Options']],
		['recording', 'decrypt', ['Input Binary Field', 'Put Output File in Field', 'Options']],
		['recording', 'delete', ['Recording', 'Require Proof of Archiving', 'Options']],
		['recording', 'getMany', ['Return All', 'Limit', 'Simplify', 'Options']],
		['sms', 'send', ['Fields']],
	];
	const TOOL = 'call: make, as a tool';
	suite('the form of', () => {
		before(async () => {
			const nodes = forms.map(([resource, operation], index) => ({
				name: `${resource}: ${operation}`,
				id: `node-${index}`,
				type: 'n8n-nodes-voiceagent.voiceAgent',
				typeVersion: 1,
				position: [index * 220, 0],
				parameters: { resource, operation },
			}));
			const tool = {
				name: TOOL,
				id: 'tool',
				type: 'n8n-nodes-voiceagent.voiceAgentTool',
				typeVersion: 1,
				position: [0, 220],
				parameters: { resource: 'call', operation: 'make' },
			};
			const workflow = { name: 'Forms', nodes: [...nodes, tool], connections: {} };
			const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
			await showWorkflow(page, stack.n8n, id);
		});

		for (const [resource, operation, labels] of forms) {
			test(`${resource}: ${operation}`, async () => {
				const panel = await openNode(page, `${resource}: ${operation}`);
				for (const label of labels) {
					await panel.getByText(label, { exact: true }).first().waitFor();
				}
				// n8n shows an icon that it cannot load as a question mark.
				assert.equal(await panel.locator('img[src*="voiceagent"]').first().isVisible(), true);
				await closeNode(page);
			});
		}

		test(`${TOOL}: the model fills in the number`, async () => {
			const panel = await openNode(page, TOOL);
			await panel.getByTestId('fromAI-override-field').waitFor();
			await panel.getByText('this node places no call without the options').waitFor();
			await closeNode(page);
		});
	});
});
