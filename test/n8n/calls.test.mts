/**
 * That nobody is called who must not be, and nobody twice: across executions, and in the example
 * call-campaign. All suites but one share one n8n, which can be killed and restarted.
 */
import { suite } from 'node:test';

import { Campaign } from './calls/campaign.mts';
import { campaignSuite } from './calls/campaignSuite.mts';
import { placeOnceSuite } from './calls/placeOnce.mts';
import { twoProcessesSuite } from './calls/twoProcesses.mts';
import { restartableN8n } from './restartable.mts';

suite('calls', { concurrency: 1 }, () => {
	const { getN8n, killAndStart } = restartableN8n();
	placeOnceSuite(getN8n);
	twoProcessesSuite();
	campaignSuite(() => new Campaign(getN8n), killAndStart);
});
