/**
 * The way from the import of archive-to-folder to the first archived file, as an animated picture:
 * one frame for each step of docs/getting-started.md.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

import {
	canvasNode,
	importFromFile,
	openExecutions,
	publish,
	successMark,
} from '../editor/canvas.mts';
import { openEditor } from '../editor/editor.mts';
import {
	closeNode,
	fillIn,
	openCredentialForm,
	openNode,
	readWebhookUrl,
	saveCredential,
	showNext,
} from '../editor/nodePanel.mts';
import type { WorkflowNode } from '../n8n/n8n.mts';
import { API_KEY, WEBHOOK_SECRET } from '../stack.mts';
import { nodeOf, readWorkflow } from '../workflows.mts';
import { OVERVIEW } from './mainPaths.mts';
import { showFolder } from './folderList.mts';
import { FOLDER, startScene } from './scene.mts';

const SECONDS_PER_STEP = 3;
const SIZE = { width: 1280, height: 760 };
const STYLE = `
	.el-notification { visibility: hidden !important }
	table { zoom: 1.5 }
	#step {
		position: fixed; z-index: 99999; inset: auto 0 0 0; padding: 14px 24px;
		font: 600 22px/1.3 sans-serif; color: #fff; background: #0b5d52;
	}
`;

/** What the animation is taken from. */
export const firstCall = { of: () => readWorkflow('archive-to-folder').nodes };

/** Takes it into this file, as WebP. */
export async function takeFirstCall(path: string): Promise<void> {
	const frames = mkdtempSync(join(tmpdir(), 'voiceagent-frames-'));
	const scene = await startScene();
	try {
		const { n8n, emulator } = scene;
		// Its user has no credential yet.
		for (const { id } of Object.values(scene.credentials)) {
			await n8n.rest('DELETE', `/rest/credentials/${id}`);
		}
		const { page, close } = await openEditor(n8n, SIZE);
		let count = 0;
		const step = async (text: string) => {
			count += 1;
			await caption(page, `${count}. ${text}`);
			const file = join(frames, `${String(count).padStart(2, '0')}.png`);
			await page.screenshot({ path: file, style: STYLE, animations: 'disabled' });
		};

		// White notes would make everything else too small to read.
		const workflow = readWorkflow('archive-to-folder');
		const isWhite = ({ type, name }: WorkflowNode) =>
			type.endsWith('.stickyNote') && name !== OVERVIEW;
		workflow.nodes = workflow.nodes.filter((node) => !isWhite(node));
		const file = join(frames, `${workflow.name}.json`);
		writeFileSync(file, JSON.stringify(workflow));
		const id = await importFromFile(page, n8n, file);
		await step('Import archive-to-folder');
		await openNode(page, 'When a call ends');
		const form = await openCredentialForm(page, 'VoiceAgent');
		const baseUrl = emulator.url;
		await fillIn(form, { baseUrl, apiKey: API_KEY, webhookSecret: WEBHOOK_SECRET });
		await step('Enter your account once, for all nodes');
		await saveCredential(page);
		await readWebhookUrl(page, 'production');
		await step('Copy the address: the service calls it when a call ends');
		await showNext(page, 'Download recording');
		await showNext(page, 'Write recording to folder');
		const field = page.getByTestId('parameter-input-fileName');
		await field.locator('.cm-content').click();
		await page.keyboard.press('Control+A');
		const fileName = String(
			nodeOf(readWorkflow('archive-to-folder'), 'Write recording to folder').parameters.fileName,
		);
		await page.keyboard.insertText(fileName.replace(/^=\/your\/folder/, FOLDER));
		await field.getByText(FOLDER).waitFor();
		// n8n takes an expression over when its user stops typing.
		await page.waitForTimeout(1_000);
		await step('Enter your folder');
		await closeNode(page);
		await publish(page);
		// n8n's checklist for production lies over the canvas.
		await page.getByTestId('suggested-actions-close').click();
		await page.getByTestId('suggested-actions-close').waitFor({ state: 'hidden' });
		await step('Publish. Now a call ends …');

		const { control } = emulator;
		control.setWebhooks({ callEnd: await n8n.webhookUrl(id, 'When a call ends') });
		control.setDefaultInstructions({ recordCall: true });
		const { sessionGuid } = control.placeCall({ to: '+15550142', durationSeconds: 95 });
		await control.completedCall(sessionGuid);
		await n8n.waitForExecutions({ workflowId: id, count: 1 });
		await openExecutions(page);
		await successMark(page, 'Delete recording from service').waitFor();
		await canvasNode(page, 'Delete recording from service').waitFor();
		await step('Downloaded, stored, compared with the archive, and only then deleted');
		await showFolder(page);
		await step('The recording, and what is known of its call');
		await close();
		encode(frames, path);
	} finally {
		await scene.close();
		rmSync(frames, { recursive: true, force: true });
	}
}

async function caption(page: Page, text: string): Promise<void> {
	await page.evaluate(`
		const bar = document.getElementById('step') ?? document.createElement('div');
		bar.id = 'step';
		bar.textContent = ${JSON.stringify(text)};
		document.body.append(bar);
	`);
}

/** @throws {Error} with what ffmpeg says, when it cannot */
function encode(frames: string, path: string): void {
	const { status, stderr } = spawnSync('ffmpeg', [
		...['-y', '-loglevel', 'error', '-framerate', `1/${SECONDS_PER_STEP}`],
		...['-i', join(frames, '%02d.png'), '-loop', '0', '-quality', '80', path],
	]);
	if (status !== 0) throw new Error(`ffmpeg: ${String(stderr)}`);
}
