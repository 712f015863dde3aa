/** status-page, find-a-call and the page of forget-caller: what they show, to whom, and what they note. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';

import { createLedger } from '../../../harness/ledger.mts';
import type { Credential, DataTable, N8n } from '../../../harness/n8n/n8n.mts';
import { pageWorkflow, pageWorkflows, VIEWER } from '../../../harness/pages.mts';
import { addService, type Stack } from '../../../harness/stack.mts';
import type { GoogleDrive } from '../../../harness/standIns/googleDrive.mts';
import { startS3, type S3 } from '../../../harness/standIns/s3.mts';
import { startSftp, type Sftp } from '../../../harness/standIns/sftp.mts';
import { nodeOf, readWorkflow } from '../../../harness/workflows.mts';

const BUCKET = 'call-recordings';
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

interface Host {
	n8n: N8n;
	folder: string;
	drive: GoogleDrive;
}

export function pagesSuite(getHost: () => Host): void {
	suite('workflows: status-page, find-a-call', { concurrency: 1 }, () => {
		let stack: Stack;
		let s3: S3;
		let sftp: Sftp;
		let ledger: DataTable;
		let credentials: Record<string, Credential>;
		const published: string[] = [];
		before(async () => {
			const { n8n, drive } = getHost();
			stack = await addService(n8n);
			[s3, sftp, ledger] = [await startS3(BUCKET), await startSftp(), await createLedger(n8n)];
			credentials = {
				...stack.credentials,
				googleDriveOAuth2Api: await n8n.createCredential(drive.oauthCredential()),
				s3: await n8n.createCredential(s3.credential),
				sftp: await n8n.createCredential(sftp.credential),
				httpBasicAuth: await n8n.createCredential({
					name: 'Page',
					type: 'httpBasicAuth',
					data: VIEWER,
				}),
			};
			for (const name of pageWorkflows) {
				published.push(await n8n.importWorkflow(pageWorkflow(name, BUCKET), credentials));
				await n8n.activate(String(published.at(-1)));
			}
		});
		after(async () => {
			for (const id of published) await stack.n8n.deactivate(id);
			await Promise.all([s3?.close(), sftp?.close(), stack?.stop(), ledger?.remove()]);
		});

		async function get(page: string, password = VIEWER.password, body?: URLSearchParams) {
			const headers = { Authorization: `Basic ${btoa(`${VIEWER.user}:${password}`)}` };
			const method = body ? 'POST' : 'GET';
			const url = `${stack.n8n.url}/webhook/voiceagent/${page}`;
			const response = await fetch(url, { method, headers, body });
			return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()) };
		}
		const text = async (page: string) => (await get(page)).bytes.toString();
		const accesses = async () =>
			(await (await stack.n8n.dataTable('VoiceAgent accesses'))?.rows()) ?? [];

		test('nothing is shown without the password, and no page is published without one', async () => {
			const { httpBasicAuth: _, ...others } = credentials;
			for (const name of pageWorkflows) {
				const workflow = pageWorkflow(name, BUCKET);
				const webhooks = workflow.nodes.filter(({ type }) => type.endsWith('.webhook'));
				for (const { parameters } of webhooks.slice(0, 1)) {
					const { status, bytes } = await get(String(parameters.path).slice(11), 'wrong');
					assert.deepEqual([status, bytes.toString()], [401, 'Authentication data is wrong!']);
				}
				for (const { parameters } of webhooks) parameters.path = `${String(parameters.path)}-2`;
				const id = await stack.n8n.importWorkflow(workflow, others);
				await assert.rejects(stack.n8n.activate(id), /Missing required credential: httpBasicAuth/);
			}
		});

		test('status-page says what daily-report says, and what each call has become', async () => {
			const code = (name: string) =>
				nodeOf(readWorkflow(name), 'Write the report').parameters.jsCode;
			assert.equal(code('status-page'), code('daily-report'));
			const waiting = (await stack.emulator.control.addRecording({ endedAt: ago(140.5) }))
				.sessionGuid;
			await ledger.insert(
				{ sessionGuid: 'call-1', endedAt: ago(2), archivedAt: ago(0.5), verifiedAt: ago(0.2) },
				{ sessionGuid: 'call-1', startedAt: ago(2.1), recordingRequested: true },
				{ sessionGuid: 'call-2', endedAt: ago(24 * 20), rescuedAt: ago(24 * 19) },
				{ sessionGuid: 'call-3', endedAt: ago(24 * 20), lostAt: ago(24 * 13) },
				{ sessionGuid: 'call-4', endedAt: ago(24 * 31), archivedAt: ago(24 * 31) },
				{
					sessionGuid: waiting,
					endedAt: ago(140.5),
					failedAt: ago(1),
					attempts: 2,
					lastError: '<full>',
				},
			);
			const html = await text('status');
			assert.match(
				html,
				/<h1>VoiceAgent recordings: ALARM, 2 to look at<\/h1><p>The service purges the first recording in <strong>27 hours</,
			);
			assert.match(html, /<td>27 hours<\/td>.*2 failed: &#60;full&#62;<\/td>/);
			assert.doesNotMatch(html, /<script|<full>|https?:/);
			const status = JSON.parse(await text('status.json'));
			assert.deepEqual(
				[status.status, status.alarms, status.hoursToFirstPurge, status.hoursSinceNewestArchived],
				['alarm', 2, 27.5, 0.5],
			);
			assert.equal(status.waiting[0].lastError, '<full>');
			type Day = Record<string, number>;
			const sum = (name: string) =>
				status.days.reduce((all: number, day: Day) => all + (day[name] ?? 0), 0);
			assert.deepEqual(
				['calls', 'archived', 'rescued', 'lost', 'failed', 'other'].map(sum),
				[4, 1, 1, 1, 1, 0],
			);
			assert.equal(Math.max(...status.days.map((day: Day) => day.slowestHours)), 1.5);
		});

		const recording = randomBytes(70_000);
		const store = {
			Folder: async (name: string, bytes: Buffer) => {
				const file = join(getHost().folder, name);
				await writeFile(file, bytes);
				return file;
			},
			S3: async (name: string, bytes: Buffer) => {
				await s3.put(`a/${name}`, bytes);
				return `a/${name}`;
			},
			SFTP: async (name: string, bytes: Buffer) => {
				sftp.write(`/${name}`, bytes);
				return `/${name}`;
			},
			'Google Drive': async (name: string, bytes: Buffer) => {
				getHost().drive.addFile(name, bytes);
				return name;
			},
		};
		for (const [archive, put] of Object.entries(store)) {
			test(`find-a-call plays and downloads a recording from ${archive}, and notes who has asked`, async () => {
				const sessionGuid = `of-${archive.toLowerCase().replace(' ', '-')}`;
				await put(`${sessionGuid}.transcript.txt`, Buffer.from('I want <more>.'));
				const row = { archive, archivedAt: ago(1), transcribedAt: ago(1), summary: 'More & more' };
				const file = await put(`${sessionGuid}.opus`, recording);
				await ledger.insert({ ...row, sessionGuid, file, number: '+49 30 1', bytes: 70_000 });
				const before = (await accesses()).length;
				const html = await text(`find-a-call?call=${sessionGuid}`);
				const [, audio = ''] = /<audio [^>]*src="data:audio\/ogg;base64,([^"]*)"/.exec(html) ?? [];
				assert.ok(Buffer.from(audio, 'base64').equals(recording), html.slice(-2_000));
				assert.match(html, /More &#38; more.*<p class="text">I want &#60;more&#62;\.<\/p>/s);
				const { bytes } = await get(`find-a-call?call=${sessionGuid}&download=1`);
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
			assert.match(
				await text('find-a-call?call=find-1'),
				/This recording is not archived.*forget-caller\?number=4930123"/s,
			);
		});

		test('the page of forget-caller removes just what it has shown', async () => {
			const shown = await text('forget-caller?number=4930124');
			assert.match(shown, /Would be removed: 1.*Ledger: its row \(call find-2\)/);
			const confirm = async (calls: string) =>
				(
					await get('forget-caller', undefined, new URLSearchParams({ number: '4930124', calls }))
				).bytes.toString();
			assert.match(await confirm('find-1'), /Nothing was removed/);
			const [, calls = ''] = /name="calls" value="([^"]+)"/.exec(shown) ?? [];
			assert.match(await confirm(calls), /Removed: 1/);
			const left = (await ledger.rows()).map((row) => row.sessionGuid);
			assert.deepEqual([left.includes('find-1'), left.includes('find-2')], [true, false]);
		});

		test('no access without a note, and no all-clear without a ledger', async () => {
			await (await stack.n8n.dataTable('VoiceAgent accesses'))?.remove();
			const html = await text('find-a-call?call=of-folder');
			assert.match(html, /Nothing is shown, because the access could not be noted/);
			assert.doesNotMatch(html, /<audio|of-folder/);
			await ledger.remove();
			assert.match(await text('status'), /ALARM.*The ledger could not be read/s);
			ledger = await createLedger(stack.n8n);
		});
	});
}
