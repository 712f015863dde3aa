/** The failure notice, as sweeps and archive workflows send it to a chat. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { nodeOf } from '../../../harness/workflows.mts';
import { localTime } from '../localTime.mts';
import { succeeded, type Host } from '../suite.mts';
import { DAY, sweepsOf } from './sweepSetup.mts';

/** In place of three minutes, during which the first execution may still be posting. */
function postsAgainAtOnce(workflow: Workflow): void {
	const { parameters } = nodeOf(workflow, 'Get notices not posted');
	const text = JSON.stringify(parameters);
	assert.ok(text.includes('minutes: 3'));
	Object.assign(parameters, JSON.parse(text.replace('minutes: 3', 'minutes: 0')));
}

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

	suite('failure-notice, if the chat refuses a notice', () => {
		const setup = sweepsOf(getHost, { notice: postsAgainAtOnce });

		test('posts it once the chat takes it, and then never again', async () => {
			const { n8n, noticeId, emulator } = setup;
			const sessionGuid = await setup.waiting(1, PASSWORD);
			await emulator.control.tamper(sessionGuid, { flipBitAt: 100 });
			setup.refuseNotices(true);
			await emulator.control.sendCallEnd(sessionGuid);
			const [refused] = await n8n.waitForExecutions({ workflowId: noticeId, count: 1 });
			assert.match(String(refused?.error?.message), /^Your chat has not taken the notice: .*404/);
			setup.refuseNotices(false);
			const posted = () => setup.notices.filter((text) => text.includes(`call ${sessionGuid}`));
			assert.deepEqual(posted(), []);

			const unposted = async () => (await notices()).filter(({ postedAt }) => !postedAt);
			const notices = async () => {
				const rows = await (await n8n.dataTable('VoiceAgent notices'))?.rows();
				return rows?.filter(({ workflow }) => workflow === noticeId) ?? [];
			};
			assert.equal((await unposted()).length, 1);
			for (let tick = 0; tick < 2; tick++) {
				succeeded(await n8n.run(noticeId, { trigger: 'Every 5 minutes' }));
				assert.equal(posted().length, 1, String(tick));
				assert.deepEqual(await unposted(), []);
			}
			// The number of a caller is not kept longer than that.
			assert.deepEqual(
				(await notices()).map(({ text }) => text),
				[null],
			);
		});
	});
}
