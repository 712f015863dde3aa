/** A failure of the archive workflow, as its user sees it. */
import type { Locator, Page } from 'playwright-core';

import { atRest } from '../editor/editor.mts';
import { startChat } from '../standIns/chat.mts';
import { nodeOf, readWorkflow } from '../workflows.mts';
import { PASSWORD } from '../stack.mts';
import { boxOf, open, type Picture } from './picture.mts';
import { userWorkflow, type Scene } from './scene.mts';
import { parametersOf } from './shown.mts';

/** In place of a chat's page: its bold text, and who has posted. */
const STYLE = `<style>
	:root { color-scheme: light dark; font: 15px/1.45 sans-serif }
	article { padding: 16px 24px; white-space: pre-wrap; overflow-wrap: anywhere }
</style>`;

export async function inChat(page: Page, message: string): Promise<Locator> {
	const html = message.replaceAll('<', '&lt;').replaceAll(/\*([^*\n]+)\*/g, '<b>$1</b>');
	await page.goto('about:blank');
	await page.setContent(`${STYLE}<article><b>n8n</b> <small>APP</small>\n${html}</article>`);
	return page.locator('article');
}

/** The archive workflow with its error workflow, which posts to this address. */
async function failing({ n8n, credentials }: Scene, url: string) {
	const workflow = readWorkflow('failure-notice');
	nodeOf(workflow, 'Post the notice to your chat').parameters.url = url;
	const errorWorkflow = await n8n.importWorkflow(workflow, credentials);
	await n8n.activate(errorWorkflow);
	return { ...userWorkflow('archive-to-folder'), settings: { errorWorkflow } };
}

export const notice: Picture = {
	size: { width: 830, height: 500 },
	of: () => parametersOf('failure-notice'),
	show: async (page, scene) => {
		const { n8n, credentials, emulator } = scene;
		const chat = await startChat();
		const id = await n8n.importWorkflow(await failing(scene, chat.url), credentials);
		await n8n.activate(id);
		const { sessionGuid } = await emulator.control.addRecording({
			to: '+15550163',
			password: `not ${PASSWORD}`,
		});
		emulator.control.setWebhooks({ callEnd: await n8n.webhookUrl(id, 'When a call ends') });
		await emulator.control.sendCallEnd(sessionGuid);
		const text = await chat.noticeWith(sessionGuid);
		await chat.close();
		return await inChat(page, text);
	},
};

/** In the settings of the archive workflow. */
export const errorWorkflow: Picture = {
	size: { width: 1500, height: 900 },
	of: () => readWorkflow('failure-notice').name,
	show: async (page, scene) => {
		await open(page, scene, await failing(scene, 'https://chat.example.com/hook'));
		await page.getByTestId('workflow-menu').click();
		await page.getByTestId('workflow-menu-item-settings').click();
		const settings = page.getByTestId('workflow-settings-dialog');
		const chosen = settings.getByTestId('workflow-settings-error-workflow').locator('input');
		await atRest(page, async () => await chosen.inputValue(), 500);
		const dialog = await boxOf(page.locator('.el-dialog').filter({ has: settings }));
		return { ...dialog, height: (await boxOf(chosen)).y + 90 - dialog.y };
	},
};
