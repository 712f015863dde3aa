/** The daily report, while a recording waits that could not be archived. */
import { dailyReport } from '../demo/dailyReport.mts';
import { createLedger } from '../ledger.mts';
import { readWorkflow } from '../workflows.mts';
import { inChat } from './failureNotice.mts';
import type { Picture } from './picture.mts';
import { CALLS } from './scene.mts';
import { parametersOf } from './shown.mts';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const report: Picture = {
	size: { width: 830, height: 500 },
	of: () => parametersOf('report-and-status'),
	show: async (page, { n8n, credentials }) => {
		const archived = Array.from({ length: 14 }, (_, index) => ({
			recordingKey: `call-${index}`,
			endedAt: ago(index + 2),
			archivedAt: ago(index + 2),
		}));
		const lastError = 'ENOSPC: no space left on device, write';
		const recordingKey = CALLS[1][0].toLowerCase();
		const waiting = { recordingKey, endedAt: ago(130), attempts: 2, lastError };
		const ledger = await createLedger(n8n);
		await ledger.insert(...archived, waiting);
		const id = await n8n.importWorkflow(readWorkflow('report-and-status'), credentials);
		const text = await dailyReport(n8n, id, []);
		await ledger.remove();
		return await inChat(page, text);
	},
};
