/** The status page, with a month of calls. */
import { createLedger, LEDGER_DAYS } from '../ledger.mts';
import { pageUrl } from '../pages.mts';
import type { Picture } from './picture.mts';
import { publishPagesIn } from './scene.mts';
import { parametersOf } from './shown.mts';

/** Down to the bars of the days. */
const HEIGHT = 1_035;
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const statusPage: Picture = {
	size: { width: 1000, height: HEIGHT },
	of: () => parametersOf('report-and-status'),
	show: async (page, scene) => {
		const { n8n } = scene;
		const calls = Array.from({ length: 8 }, (_, index) => ({
			recordingKey: `call-${index}`,
			endedAt: ago(0.1 + index / 10),
			archivedAt: ago(index / 10),
			verifiedAt: index === 7 ? ago(0.5) : null,
		}));
		const days = Array.from({ length: 29 }, (_, index) => {
			const rescued = Number(index === 25);
			const lost = Number(index === 13);
			const archived = 7 + (index % 4);
			return {
				day: ago((index + 1) * 24).slice(0, 10),
				calls: archived + rescued + lost,
				archived,
				rescued,
				waiting: 0,
				failed: 0,
				lost,
				other: 0,
				slowestHours: (4 + ((index * 7) % 13)) / 10,
			};
		});
		await (await createLedger(n8n)).insert(...calls);
		const today = { day: ago(0).slice(0, 10), sweptAt: ago(0.3) };
		await (await n8n.dataTable(LEDGER_DAYS))?.insert(...days, today);
		await publishPagesIn(scene);
		await page.goto(pageUrl(n8n, 'status'));
		return { x: 0, y: 0, width: 1000, height: HEIGHT };
	},
};
