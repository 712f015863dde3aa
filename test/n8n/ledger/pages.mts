/** status-page, find-a-call and the page of forget-caller: what they show, to whom, and what they note. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, suite, test } from 'node:test';

import { createLedger } from '../../../harness/ledger.mts';
import type { DataTable } from '../../../harness/n8n/n8n.mts';
import { pageWorkflow, pageWorkflows, publishPages, VIEWER } from '../../../harness/pages.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';
import { archives, startArchives, type ArchiveHost, type Archives } from './store.mts';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export function pagesSuite(getHost: () => ArchiveHost): void {
	suite('workflows: status-page, find-a-call', { concurrency: 1 }, () => {
		let stack: Stack;
		let all: Archives;
		let ledger: DataTable;
		before(async () => {
			const { n8n } = getHost();
			[stack, all, ledger] = [
				await addService(n8n),
				await startArchives(getHost()),
				await createLedger(n8n),
			];
			await publishPages(n8n, { ...stack.credentials, ...all.credentials }, all.s3FileUrl);
		});
		after(async () => {
			await Promise.all([all?.close(), stack?.stop(), ledger?.remove()]);
		});

		async function get(page: string, body?: URLSearchParams, password = VIEWER.password) {
			const headers = { Authorization: `Basic ${btoa(`${VIEWER.user}:${password}`)}` };
			const url = `${stack.n8n.url}/webhook/voiceagent/${page}`;
			const answer = await fetch(url, { method: body ? 'POST' : 'GET', headers, body });
			return Buffer.from(await answer.arrayBuffer());
		}
		const text = async (...page: Parameters<typeof get>) => (await get(...page)).toString();
		const accesses = async () =>
			(await (await stack.n8n.dataTable('VoiceAgent accesses'))?.rows()) ?? [];

		test('nothing is shown without the password, and no page is published without one', async () => {
			for (const name of pageWorkflows) {
				const workflow = pageWorkflow(name, all.s3FileUrl);
				for (const { type, parameters } of workflow.nodes) {
					if (!type.endsWith('.webhook')) continue;
					const body = parameters.httpMethod === 'POST' ? new URLSearchParams() : undefined;
					const page = String(parameters.path).slice('voiceagent/'.length);
					assert.equal(await text(page, body, 'wrong'), 'Authentication data is wrong!');
					parameters.path = `${page}-2`;
				}
				const id = await stack.n8n.importWorkflow(workflow, {
					...stack.credentials,
					...all.credentials,
				});
				await assert.rejects(stack.n8n.activate(id), /Missing required credential: httpBasicAuth/);
			}
		});

		test('status-page says what daily-report says, and what each call has become', async () => {
			const code = (name: string) =>
				nodeOf(readWorkflow(name), 'Write the report').parameters.jsCode;
			assert.equal(code('status-page'), code('daily-report'));
			const [endedAt, verifiedAt] = [ago(140.5), ago(0.2)];
			const { sessionGuid } = await stack.emulator.control.addRecording({ endedAt });
			const failed = { failedAt: ago(1), attempts: 2, lastError: '<full>' };
			await ledger.insert(
				{ sessionGuid: 'call-1', endedAt: ago(2), archivedAt: ago(0.5), verifiedAt },
				{ sessionGuid: 'call-1', startedAt: ago(2.1), recordingRequested: true },
				{ sessionGuid: 'call-2', endedAt: ago(24 * 20), rescuedAt: ago(24 * 19) },
				{ sessionGuid: 'call-3', endedAt: ago(24 * 20), lostAt: ago(24 * 13) },
				{ sessionGuid: 'call-4', endedAt: ago(24 * 31), archivedAt: ago(24 * 31) },
				{ ...failed, sessionGuid, endedAt },
			);
			const html = await text('status');
			assert.match(
				html,
				/<h1>VoiceAgent recordings: ALARM, 2 to look at<\/h1><p>The service purges the first recording in <strong>27 hours</,
			);
			assert.match(html, /<td>27 hours<\/td>.*2 failed: &#60;full&#62;<\/td>/);
			assert.doesNotMatch(html, /<script|<full>|https?:/);
			const { days, waiting, ...status } = JSON.parse(await text('status.json'));
			assert.deepEqual(
				[status.status, status.alarms, status.hoursToFirstPurge, waiting[0].lastError],
				['alarm', 2, 27.5, '<full>'],
			);
			const { lastVerifiedAt, lastSweepFailureAt } = status;
			assert.deepEqual([lastVerifiedAt, lastSweepFailureAt], [verifiedAt, failed.failedAt]);
			const all = days as Array<Record<string, number>>;
			const sum = (name: string) => all.reduce((result, day) => result + Number(day[name]), 0);
			assert.deepEqual(
				['calls', 'archived', 'rescued', 'lost', 'failed', 'other', 'slowestHours'].map(sum),
				[4, 1, 1, 1, 1, 0, 1.5],
			);
		});

		for (const archive of archives) {
			test(`find-a-call plays and downloads a recording from ${archive}, and notes who has asked`, async () => {
				const put = all.store[archive];
				const recording = randomBytes(70_000);
				const sessionGuid = `of-${archive.toLowerCase().replace(' ', '-')}`;
				await put(`${sessionGuid}.transcript.txt`, 'I want <more>.');
				const row = { archive, archivedAt: ago(1), transcribedAt: ago(1), summary: 'More & more' };
				const file = await put(`${sessionGuid}.opus`, recording);
				await ledger.insert({ ...row, sessionGuid, file, number: '+49 30 1', bytes: 70_000 });
				const before = (await accesses()).length;
				const html = await text(`find-a-call?call=${sessionGuid}`);
				const [, audio = ''] = /<audio [^>]*src="data:audio\/ogg;base64,([^"]*)"/.exec(html) ?? [];
				assert.ok(Buffer.from(audio, 'base64').equals(recording), html.slice(-2_000));
				assert.match(html, /More &#38; more.*<p class="text">I want &#60;more&#62;\.<\/p>/s);
				const bytes = await get(`find-a-call?call=${sessionGuid}&download=1`);
				assert.ok(bytes.equals(recording), bytes.toString());
				assert.deepEqual(
					(await accesses()).slice(before).map((one) => [one.askedBy, one.what, one.sessionGuid]),
					['open', 'download'].map((what) => ['demo', what, sessionGuid]),
				);
			});
		}

		test('find-a-call finds by number, day and session', async () => {
			const found = async (query: string) =>
				[...(await text(`find-a-call?${query}`)).matchAll(/\?call=([^"]+)"/g)]
					.map(([, one]) => one)
					.sort();
			await ledger.insert(
				{ sessionGuid: 'find-1', number: '+49 (30) 123', endedAt: '2026-02-03T12:00:00.000Z' },
				{ sessionGuid: 'find-2', number: '+4930124', endedAt: '2026-02-04T12:00:00.000Z' },
			);
			assert.deepEqual(await found('q=4930%20123'), ['find-1']);
			assert.deepEqual(await found('q=4930-12'), ['find-1', 'find-2']);
			assert.deepEqual(await found('day=2026-02-04'), ['find-2']);
			assert.deepEqual(await found('q=%7BFIND-1%7D'), ['find-1']);
			for (const query of ['q=find-3', 'q=999', 'q=%27%20or%201=1', 'day=never']) {
				assert.deepEqual(await found(query), [], query);
			}
			const call = await text('find-a-call?call=find-1');
			assert.match(call, /This recording is not archived.*forget-caller\?number=4930123"/s);
		});

		test('the page of forget-caller removes just what it has shown', async () => {
			const shown = await text('forget-caller?number=4930124');
			assert.match(shown, /Would be removed: 1.*Ledger: its row \(call find-2\)/);
			const confirm = async (calls: string) =>
				await text('forget-caller', new URLSearchParams({ number: '4930124', calls }));
			assert.match(await confirm('find-1'), /Nothing was removed/);
			const [, calls = ''] = /name="calls" value="([^"]+)"/.exec(shown) ?? [];
			assert.match(await confirm(calls), /Removed: 1/);
			const left = (await ledger.rows()).map((row) => row.sessionGuid);
			assert.deepEqual([left.includes('find-1'), left.includes('find-2')], [true, false]);
		});

		test('no access without a note', async () => {
			await (await stack.n8n.dataTable('VoiceAgent accesses'))?.remove();
			const html = await text('find-a-call?call=of-folder');
			assert.match(html, /Nothing is shown, because the access could not be noted/);
			assert.doesNotMatch(html, /<audio|of-folder/);
		});
	});
}
