/** The status page, with a month of calls. */
import { createLedger } from '../ledger.mts';
import { pageWorkflow, VIEWER } from '../pages.mts';
import type { Picture } from './picture.mts';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const statusPage: Picture = {
	size: { width: 1000, height: 1130 },
	show: async (page, { n8n, credentials }) => {
		const calls = Array.from({ length: 260 }, (_, index) => 3 + index * 2.7 + (index % 7));
		const rows = calls.map((hours, index) => ({
			sessionGuid: `call-${index}`,
			endedAt: ago(hours),
			[index % 97 === 60 ? 'rescuedAt' : 'archivedAt']: ago(hours - 0.1 - (index % 13) / 9),
		}));
		await (await createLedger(n8n)).insert(...rows);
		const data = { name: 'Viewer', type: 'httpBasicAuth', data: VIEWER };
		const httpBasicAuth = await n8n.createCredential(data);
		const workflow = pageWorkflow('status-page');
		await n8n.activate(await n8n.importWorkflow(workflow, { ...credentials, httpBasicAuth }));
		const url = new URL(`${n8n.url}/webhook/voiceagent/status`);
		await page.goto(Object.assign(url, { username: VIEWER.user, password: VIEWER.password }).href);
		return { x: 0, y: 0, width: 1000, height: 1130 };
	},
};
