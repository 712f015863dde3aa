/** call-campaign: whom it calls and when, and that nobody is called twice. One n8n that can be killed and started again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite } from 'node:test';

import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import { answersSuite } from './campaign/answers.mts';
import { Campaign } from './campaign/campaign.mts';
import { choiceSuite } from './campaign/choice.mts';
import { killsSuite } from './campaign/kills.mts';
import { outcomeSuite } from './campaign/outcome.mts';

suite('workflow: call-campaign', { concurrency: 1 }, () => {
	let n8n: N8n;
	let userFolder: string;
	const start = async () => {
		n8n = await startN8n({ packages: [packedPackage()], userFolder });
	};
	before(async () => {
		userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-campaign-'));
		await start();
	});
	after(async () => {
		await n8n?.stop();
		await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
	});
	const getCampaign = () => new Campaign(() => n8n);

	choiceSuite(getCampaign);
	answersSuite(getCampaign);
	outcomeSuite(getCampaign);
	killsSuite(getCampaign, async () => {
		await n8n.stop({ kill: true });
		await start();
	});
});
