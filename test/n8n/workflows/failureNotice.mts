/** The failure notice, as sweeps and archive workflows send it to a chat. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { PASSWORD } from '../../../harness/stack.mts';
import { localTime } from '../localTime.mts';
import type { Host } from '../suite.mts';
import { DAY, sweepsOf } from './sweepSetup.mts';

export function failureNoticeSuite(getHost: () => Host): void {
	suite('workflow: failure-notice', { concurrency: 1 }, () => {
		const setup = sweepsOf(getHost);
		const keptUntil = (sessionGuid: string) =>
			localTime(Date.parse(setup.ledger(sessionGuid).endedAt) + 7 * DAY);

		test('names the recording at risk from day 5 on [fault 48], until when it is kept, and what else is waiting', async () => {
			const spoilt = await setup.waiting(5.5, PASSWORD);
			for (const minutes of [5, 6]) await setup.waiting(minutes / (24 * 60));
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			await setup.sweep(1);
			const text = await setup.noticeWith('ALARM', spoilt);
			assert.match(text, /\*sweep-before-purge\* has failed in \*Report the failure\*: http/);
			assert.match(
				text,
				new RegExp(
					`Recording at risk: .*call ${spoilt}, kept by the service until ${keptUntil(spoilt)} E[SD]T`,
				),
			);
			assert.equal(text.match(/ until /g)?.length, 1, text);
			assert.match(text, /Reason: ALARM: .* cannot be decrypted/);
			assert.match(text, /Recordings that are still at the service: 3/);
			// The one at risk is named above.
			assert.match(text, /^- 2 calls, the first purged .*: no attempt noted$/m);
			for (const secret of [PASSWORD, 'demo-key']) assert.ok(!text.includes(secret));
		});

		test('is sent even if the service refuses its API key, with the deadline of the recording', async () => {
			const { control } = setup.emulator;
			const sessionGuid = await setup.waiting(1);
			const fault = { kind: 'status', status: 401, retryAfter: '3600' } as const;
			control.addFault({ match: {}, times: 'always', fault });
			await control.sendCallEnd(sessionGuid);
			const text = await setup.noticeWith('Recording at risk', `call ${sessionGuid}, kept`);
			assert.match(text, /could not be listed: The service does not accept the API key/);
			assert.ok(text.includes(`until ${keptUntil(sessionGuid)}`), text);
		});
	});
}
