/** The failure notice, as sweeps and archive workflows send it to a chat. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import type { Workflow } from '../../../harness/n8n/n8n.mts';
import { PASSWORD } from '../../../harness/stack.mts';
import { startTelegram } from '../../../harness/standIns/telegram.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { publishArchive } from '../archived.mts';
import { localTime } from '../localTime.mts';
import { shared, succeeded, type Host } from '../suite.mts';
import { DAY, sweepsOf, type SweepSetup } from './sweepSetup.mts';

/** In place of three minutes, during which the first execution may still be posting. */
function postsAgainAtOnce(workflow: Workflow): void {
	const { parameters } = nodeOf(workflow, 'Get notices not posted');
	const text = JSON.stringify(parameters);
	assert.ok(text.includes('minutes: 3'));
	Object.assign(parameters, JSON.parse(text.replace('minutes: 3', 'minutes: 0')));
}

/** The rows of this failure-notice in its table, which those of other suites share. */
async function noticesOf({ n8n, noticeId }: SweepSetup) {
	const rows = await (await n8n.dataTable('VoiceAgent notices'))?.rows();
	return rows?.filter(({ workflow }) => workflow === noticeId) ?? [];
}

/** Puts Telegram's node in the place of the one that posts, connected and named likewise. */
function withTelegram(workflow: Workflow, message: string): Workflow {
	const post = nodeOf(workflow, 'Post the notice to your chat');
	Object.assign(post, {
		type: 'n8n-nodes-base.telegram',
		typeVersion: 1.2,
		parameters: { chatId: '100', text: `=${message}`, additionalFields: {} },
	});
	return workflow;
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

	suite('failure-notice, if several calls fail for the same cause', () => {
		const setup = sweepsOf(getHost, { notice: postsAgainAtOnce, sameCauseWaits: true });

		test('posts the first at once and the others together, and another cause at once', async () => {
			const { n8n, noticeId, emulator, notices } = setup;
			const tick = async () => succeeded(await n8n.run(noticeId, { trigger: 'Every 5 minutes' }));
			const spoilt = [];
			for (let count = 1; count <= 4; count++) {
				const sessionGuid = await setup.waiting(count / 24, PASSWORD);
				await emulator.control.tamper(sessionGuid, { flipBitAt: 100 });
				await emulator.control.sendCallEnd(sessionGuid);
				await n8n.waitForExecutions({ workflowId: noticeId, count });
				spoilt.push(sessionGuid);
			}
			const [first = '', ...others] = spoilt;
			assert.equal(notices.length, 1, notices.join('\n'));
			assert.match(String(notices[0]), new RegExp(`Recording at risk: .*call ${first}, kept by`));

			const refused = await setup.waiting(1);
			const match = { endpoint: 'downloadRecording', sessionGuid: refused } as const;
			const fault = { kind: 'status', status: 403 } as const;
			emulator.control.addFault({ match, times: 'always', fault });
			await emulator.control.sendCallEnd(refused);
			await setup.noticeWith(`call ${refused}, kept`);
			assert.equal(notices.length, 2);

			await tick();
			const [summary, reason, , ...lines] = String(notices[2]).split('\n');
			assert.equal(summary, '*3 calls:* *archive-to-folder* has failed in *Download recording*');
			assert.match(String(reason), /^Reason: .* cannot be decrypted/);
			assert.equal(lines.length, 3);
			for (const [index, sessionGuid] of others.entries()) {
				const until = `, kept by the service until ${keptUntil(sessionGuid)}`;
				assert.ok(lines[index]?.includes(`call ${sessionGuid}${until}`), lines[index]);
			}
			await tick();
			assert.equal(notices.length, 3);
			for (const row of await noticesOf(setup)) {
				assert.ok(row.postedAt);
				assert.deepEqual([row.text, row.summary, row.line], [null, null, null]);
			}
		});

		const keptUntil = (sessionGuid: string) =>
			localTime(Date.parse(setup.ledger(sessionGuid).endedAt) + 7 * DAY);
	});

	suite("failure-notice, with Telegram's node in place of the chat", { concurrency: 1 }, () => {
		const telegram = shared(startTelegram);
		const setup = sweepsOf(getHost);

		/** Publishes an archive whose failures go to Telegram, and lets a call of it fail. */
		async function failInto(message: string, name: string): Promise<string> {
			const { n8n, emulator } = setup;
			const telegramApi = await n8n.createCredential(telegram.credential);
			const notice = withTelegram(readWorkflow('failure-notice'), message);
			const noticeId = await n8n.importWorkflow(notice, { ...setup.credentials, telegramApi });
			await n8n.activate(noticeId);
			const archive = setup.archive.configured();
			archive.name = name;
			archive.settings = { ...archive.settings, errorWorkflow: noticeId };
			await publishArchive(setup, archive);
			const sessionGuid = await setup.waiting(1, PASSWORD);
			await emulator.control.tamper(sessionGuid, { flipBitAt: 100 });
			await emulator.control.sendCallEnd(sessionGuid);
			await n8n.waitForExecutions({ workflowId: noticeId, count: 1 });
			return sessionGuid;
		}

		test('is taken with the expression of the note, and refused without', async () => {
			const { content } = nodeOf(readWorkflow('failure-notice'), 'About the chat').parameters;
			const [, escaped = ''] = /Telegram's node ``(.+)``/.exec(String(content)) ?? [];
			// With its asterisk, the notice has an odd number of them: the last one ends nowhere.
			const sessionGuid = await failInto(escaped, 'archive_to *folder');
			const text = await telegram.messageWith(sessionGuid);
			assert.match(text, /^\*archive_to \*folder\* has failed in \*Download recording\*/);
			assert.equal(telegram.refused(), 0);
			await failInto('{{ $json.text }}', 'archive to *folder');
			assert.ok(telegram.refused() > 0);
			assert.equal(telegram.messages.length, 1);
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

			const unposted = async () => (await noticesOf(setup)).filter(({ postedAt }) => !postedAt);
			assert.equal((await unposted()).length, 1);
			for (let tick = 0; tick < 2; tick++) {
				succeeded(await n8n.run(noticeId, { trigger: 'Every 5 minutes' }));
				assert.equal(posted().length, 1, String(tick));
				assert.deepEqual(await unposted(), []);
			}
			// The number of a caller is not kept longer than that.
			assert.deepEqual(
				(await noticesOf(setup)).map(({ text }) => text),
				[null],
			);
		});
	});
}
