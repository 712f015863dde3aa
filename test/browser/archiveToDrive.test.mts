import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import type { Page } from 'playwright-core';

import {
	canvasNode,
	errorToasts,
	importFromFile,
	listenForTestEvent,
	successMark,
} from '../../harness/editor/canvas.mts';
import { missingChromium, openEditor, type Editor } from '../../harness/editor/editor.mts';
import {
	chooseFromList,
	closeNode,
	fillIn,
	openCredentialForm,
	openNode,
	readWebhookUrl,
	saveCredential,
} from '../../harness/editor/nodePanel.mts';
import { readWorkflow, workflowFile } from '../../harness/workflows.mts';
import { startGoogleDrive, type GoogleDrive } from '../../harness/standIns/googleDrive.mts';
import {
	API_KEY,
	PASSWORD,
	startStack,
	WEBHOOK_HEADER,
	WEBHOOK_SECRET,
	type Stack,
} from '../../harness/stack.mts';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const UPLOAD = 'Upload recording to Google Drive';
const DELETE = 'Delete recording from service';
const FOLDER = 'Call recordings';

/** From the import to the archived file, as a user does it who has just installed the package. */
suite('archive to Google Drive, set up in a real browser', { skip: missingChromium() }, () => {
	const workflow = readWorkflow('archive-to-google-drive');
	/** The nodes that run if nothing goes wrong. */
	const archivingNodes = ['When a call ends', 'Download recording', UPLOAD, DELETE];
	let drive: GoogleDrive;
	let folder: string;
	let stack: Stack;
	let editor: Editor;
	let page: Page;

	before(async () => {
		drive = await startGoogleDrive();
		folder = drive.addFolder(FOLDER);
		stack = await startStack({ n8n: { env: drive.env, editor: true } });
		// They are created in the editor here.
		for (const { id } of Object.values(stack.credentials)) {
			await stack.n8n.rest('DELETE', `/rest/credentials/${id}`);
		}
		// Google's own page, on which its user signs in, is not here.
		await stack.n8n.createCredential(drive.oauthCredential());
		stack.emulator.control.setDefaultInstructions({
			recordCall: true,
			recordCallFormat: 'opus',
			recordCallPassword: PASSWORD,
		});
		editor = await openEditor(stack.n8n, { width: 1600, height: 900 });
		page = editor.page;
	});
	after(async () => {
		await editor?.close();
		await stack?.stop();
		await drive?.close();
	});

	let unfinished: string | undefined;
	/** A test that needs those before it, and fails at once if one of them has failed. */
	function step(name: string, act: () => Promise<void>): void {
		test(name, async () => {
			assert.equal(unfinished, undefined, 'this step has failed');
			unfinished = name;
			await act();
			unfinished = undefined;
		});
	}

	step('the file is imported with all its nodes and notes', async () => {
		await importFromFile(page, stack.n8n, workflowFile('archive-to-google-drive'));
		const nodes = workflow.nodes.filter(({ type }) => type !== STICKY_NOTE);
		for (const { name } of nodes) {
			assert.equal(await canvasNode(page, name).isVisible(), true, name);
		}
		assert.equal(await page.getByTestId('canvas-node').count(), nodes.length);
		for (const { type, parameters } of workflow.nodes) {
			if (type !== STICKY_NOTE) continue;
			const [, title = ''] = /^#+ (.*)/.exec(String(parameters.content)) ?? [];
			await page.getByTestId('sticky').getByRole('heading', { name: title }).first().waitFor();
		}
		// What n8n draws for a type that it does not know.
		assert.equal(await page.getByTestId('canvas-node').getByText('?', { exact: true }).count(), 0);
		assert.equal(await errorToasts(page).count(), 0);
	});

	step('the credential is created from the panel of a node, and tested', async () => {
		await openNode(page, 'When a call ends');
		const form = await openCredentialForm(page, 'VoiceAgent');
		await fillIn(form, {
			baseUrl: stack.emulator.url,
			apiKey: 'wrong-key',
			recordingPassword: PASSWORD,
			webhookSecret: WEBHOOK_SECRET,
			headerName: WEBHOOK_HEADER,
		});
		await page.getByTestId('credential-save-button').click();
		await form.getByText('More details').click();
		await form.getByText(/does not accept the API key/).waitFor();
		await fillIn(form, { apiKey: API_KEY });
		await saveCredential(page);
		await closeNode(page);

		// n8n has filled it in wherever the workflow needs one of this type.
		await openNode(page, DELETE);
		await page.getByTestId('credential-edit-button').first().click();
		await form.getByText('Connection tested successfully').waitFor();
		await page.getByRole('button', { name: 'Close this dialog' }).click();
		await closeNode(page);
	});

	step('only the upload still shows an issue, until its folder is chosen', async () => {
		const issues = page.getByTestId('node-issues');
		assert.equal(await issues.count(), 1);
		assert.equal(await canvasNode(page, UPLOAD).getByTestId('node-issues').count(), 1);
		await openNode(page, UPLOAD);
		await chooseFromList(page, 'folderId', FOLDER);
		await closeNode(page);
		await issues.waitFor({ state: 'detached' });
	});

	step('a call that ends while the editor listens is archived', async () => {
		await openNode(page, 'When a call ends');
		const url = await readWebhookUrl(page, 'test');
		await closeNode(page);
		await listenForTestEvent(page);
		const sessionGuid = await recordedCall(url);
		for (const name of archivingNodes) await successMark(page, name).waitFor();
		assertArchived(sessionGuid);
		// What became of it, as the editor shows it.
		const panel = await openNode(page, DELETE);
		const output = panel.getByTestId('output-panel');
		const { plainSha256 } = stack.ledger(sessionGuid);
		for (const value of [sessionGuid, plainSha256]) await output.getByText(value).first().waitFor();
		await closeNode(page);
	});

	/** Ends a call that is recorded and encrypted, and whose end is reported to this address. */
	async function recordedCall(callEnd: string): Promise<string> {
		const { control } = stack.emulator;
		control.setWebhooks({ callEnd });
		const { sessionGuid } = control.placeCall({ to: '+15550100', durationSeconds: 3 });
		await control.completedCall(sessionGuid);
		const delivery = control.deliveries().find((one) => one.sessionGuid === sessionGuid);
		assert.equal(delivery?.status, 200);
		return sessionGuid;
	}

	function assertArchived(sessionGuid: string): void {
		const files = drive.files().filter(({ name }) => name.includes(sessionGuid));
		assert.deepEqual(
			files.map(({ parents }) => parents),
			[[folder], [folder]],
		);
		const { encrypted, state } = stack.ledger(sessionGuid);
		assert.deepEqual([encrypted, state], [true, 'deleted']);
	}
});
