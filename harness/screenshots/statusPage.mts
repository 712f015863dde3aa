/** The status page, with a month of calls. */
import { createLedger } from '../ledger.mts';
import { pageUrl, publishPages } from '../pages.mts';
import type { Picture } from './picture.mts';

/** The others were archived. */
const became: Record<number, string> = { 20: 'rescuedAt', 150: 'lostAt' };
const HEIGHT = 1_070;
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const statusPage: Picture = {
	size: { width: 1000, height: HEIGHT },
	show: async (page, { n8n, credentials }) => {
		const calls = Array.from({ length: 260 }, (_, index) => 3 + index * 2.7 + (index % 7));
		const rows = calls.map((hours, index) => ({
			sessionGuid: `call-${index}`,
			endedAt: ago(hours),
			verifiedAt: index === 9 ? ago(12) : null,
			[became[index] ?? 'archivedAt']: ago(hours - 0.1 - (index % 13) / 9),
		}));
		await (await createLedger(n8n)).insert(...rows);
		await publishPages(n8n, credentials);
		await page.goto(pageUrl(n8n, 'status'));
		return { x: 0, y: 0, width: 1000, height: HEIGHT };
	},
};
