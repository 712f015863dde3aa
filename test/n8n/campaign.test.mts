/**
 * call-campaign: whom it calls and when, and that nobody is called twice. All suites share one n8n,
 * which can be killed and restarted.
 */
import { suite } from 'node:test';

import { answersSuite } from './campaign/answers.mts';
import { Campaign } from './campaign/campaign.mts';
import { choiceSuite } from './campaign/choice.mts';
import { killsSuite } from './campaign/kills.mts';
import { outcomeSuite } from './campaign/outcome.mts';
import { restartableN8n } from './restartable.mts';

suite('workflow: call-campaign', { concurrency: 1 }, () => {
	const { getN8n, killAndStart } = restartableN8n();
	const getCampaign = () => new Campaign(getN8n);
	choiceSuite(getCampaign);
	answersSuite(getCampaign, killAndStart);
	outcomeSuite(getCampaign);
	killsSuite(getCampaign, killAndStart);
});
