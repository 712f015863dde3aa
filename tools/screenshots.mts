/** `npm run screenshots`: takes the pictures of the documentation from the running product. */
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

import { startStack } from '../test/n8n/stack.mts';
import { openEditor, openNode, showWorkflow } from './editor.mts';
import { archiveToFolder } from './workflows.mts';

const IMAGES = join(import.meta.dirname, '../docs/images');

await mkdir(IMAGES, { recursive: true });
const stack = await startStack();
try {
	const workflow = archiveToFolder('/home/node/.n8n-files/recordings');
	const workflowId = await stack.n8n.importWorkflow(workflow, stack.credentials);
	for (const theme of ['light', 'dark'] as const) {
		const { page, close } = await openEditor(stack.n8n, {
			width: 1400,
			height: 720,
			dark: theme === 'dark',
		});
		const suffix = theme === 'dark' ? '-dark' : '';
		const picture = async (name: string, testId: string) => {
			const path = join(IMAGES, `${name}${suffix}.png`);
			await page.getByTestId(testId).screenshot({ path });
			console.log(relative(process.cwd(), path));
		};
		await showWorkflow(page, stack.n8n, workflowId);
		await picture('archive-workflow', 'canvas-wrapper');
		for (const [node, name] of [
			['Download and decrypt', 'node-download'],
			['When a call ends', 'node-trigger'],
		] as const) {
			await openNode(page, node);
			await picture(name, 'ndv');
			await page.keyboard.press('Escape');
		}
		await close();
	}
} finally {
	await stack.stop();
}
