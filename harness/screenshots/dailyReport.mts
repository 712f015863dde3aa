/** The daily report, after a day on which an archive failed for a while. */
import { createLedger } from '../ledger.mts';
import { startChat } from '../standIns/chat.mts';
import { nodeOf, readWorkflow } from '../workflows.mts';
import { inChat } from './failureNotice.mts';
import type { Picture } from './picture.mts';
import { CALLS } from './scene.mts';
import { parametersOf } from './shown.mts';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const report: Picture = {
	size: { width: 830, height: 500 },
	of: () => parametersOf('daily-report'),
	show: async (page, { n8n, credentials }) => {
		const ledger = await createLedger(n8n);
		const [, [waiting]] = CALLS;
		await ledger.insert(
			...Array.from({ length: 14 }, (_, index) => ({
				sessionGuid: `call-${index}`,
				endedAt: ago(index + 2),
				archivedAt: ago(index + 2),
			})),
			{
				sessionGuid: waiting,
				endedAt: ago(130),
				attempts: 2,
				lastError: 'ENOSPC: no space left on device, write',
			},
		);
		const chat = await startChat();
		const workflow = readWorkflow('daily-report');
		nodeOf(workflow, 'Post the report to your chat').parameters.url = chat.url;
		nodeOf(workflow, "Ping the dead man's switch").disabled = true;
		const id = await n8n.importWorkflow(workflow, credentials);
		await n8n.run(id, { trigger: 'Every morning' });
		await chat.close();
		await ledger.remove();
		return await inChat(page, String(chat.messages.at(-1)));
	},
};
