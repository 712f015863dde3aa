/**
 * The page of report-and-status, find-a-call, play-a-call and the page of forget-caller: what they
 * show, to whom, and what they note.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { before, suite, test } from 'node:test';

import { createLedger, LEDGER_DAYS } from '../../../harness/ledger.mts';
import type { Row } from '../../../harness/n8n/n8n.mts';
import {
	pageWorkflow,
	pageWorkflows,
	publishPages,
	VIEWER,
	viewerAuthorization,
} from '../../../harness/pages.mts';
import {
	filesBelow,
	findSecrets,
	valuesIn,
	type Finding,
	type Source,
} from '../../../harness/secrets.mts';
import { until } from '../../../harness/until.mts';
import { readWorkflow } from '../../../harness/workflows.mts';
import { unzip } from '../../../harness/zip.mts';
import { missingOpenSsh } from '../../../harness/standIns/sftp.mts';
import { sha256 } from '../../../harness/standIns/storedFiles.mts';
import { deleteRecording, ledgerOf, serviceOf } from '../suite.mts';
import { archives, archivesOf, type ArchiveHost } from './store.mts';

/** Text of others that must not act as HTML, an expression of n8n, or a pattern of replacements. */
const HOSTILE = `"><img src=x onerror=alert(1)> {{ $json.page.title }} $' $&`;
/** A row of the ledger about this call. */
const rowOf = (sessionGuid: string, row: Row): Row => ({
	sessionGuid: sessionGuid.toUpperCase(),
	recordingKey: sessionGuid,
	...row,
});
const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export function pagesSuite(getHost: () => ArchiveHost): void {
	suite('workflows: status page, find-a-call', { concurrency: 1, skip: missingOpenSsh() }, () => {
		const getN8n = () => getHost().n8n;
		before(async () => await (await getN8n().dataTable(LEDGER_DAYS))?.remove());
		const stack = serviceOf(getN8n);
		const all = archivesOf(getHost);
		const ledger = ledgerOf(getN8n);
		before(async () => {
			Object.assign(stack.credentials, all.credentials);
			await publishPages(getN8n(), stack.credentials, all.s3FileUrl);
		});

		async function get(page: string, body?: URLSearchParams, password = VIEWER.password) {
			const headers = { Authorization: viewerAuthorization(password) };
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
					parameters.path = `${page}-2`;
					// The player has a ticket.
					if (parameters.authentication === undefined) continue;
					assert.equal(await text(page, body, 'wrong'), 'Authentication data is wrong!');
				}
				const id = await stack.n8n.importWorkflow(workflow, stack.credentials);
				await assert.rejects(stack.n8n.activate(id), /Missing required credential: httpBasicAuth/);
			}
		});

		test('no page can be shown in a frame of another', async () => {
			const headers = { Authorization: viewerAuthorization() };
			const url = `${stack.n8n.url}/webhook/voiceagent`;
			for (const page of ['status', 'status.json', 'find-a-call', 'play-a-call', 'forget-caller']) {
				const answer = await fetch(`${url}/${page}`, { headers });
				assert.equal(answer.headers.get('x-frame-options'), 'DENY', page);
			}
			const body = new URLSearchParams({ number: '+49301', calls: 'call-1' });
			const confirmed = await fetch(`${url}/forget-caller`, { method: 'POST', headers, body });
			assert.equal(confirmed.headers.get('x-frame-options'), 'DENY');
		});

		test('a long search is cut, before anything looks at it', async () => {
			const digits = '1'.repeat(14_000);
			for (const page of ['find-a-call?q=', 'find-a-call?day=', 'forget-caller?number=']) {
				const html = await text(`${page}${digits}`);
				assert.ok(html.includes('</h1>') && !html.includes('1'.repeat(101)), page);
			}
			const rows = (await accesses()).map(({ sessionGuid }) => String(sessionGuid).length);
			await text(`find-a-call?call=${digits}`);
			assert.deepEqual(
				(await accesses()).map(({ sessionGuid }) => String(sessionGuid).length),
				[...rows, 100],
			);
		});

		const status = async () =>
			JSON.parse(await text('status.json')) as Row & { days: Array<Record<string, number>> };

		test('the page says what the report says, and what each call has become', async () => {
			const endedAt = ago(140.5);
			const verifiedAt = ago(0.2);
			const { sessionGuid } = await stack.emulator.control.addRecording({ endedAt });
			const recordingKey = sessionGuid.toLowerCase();
			const failed = { failedAt: ago(1), attempts: 2, lastError: HOSTILE };
			const done = { archivedAt: ago(0.5), deletedAt: ago(0.5), verifiedAt };
			await ledger.insert(
				{ recordingKey: 'call-1', endedAt: ago(2), ...done },
				{ recordingKey: 'call-1', startedAt: ago(2.1), recordingRequested: true },
				{ recordingKey: 'call-2', endedAt: ago(80), rescuedAt: ago(70.5) },
				{ recordingKey: 'call-3', endedAt: ago(72), lostAt: ago(20.5) },
				{ recordingKey: 'call-4', endedAt: ago(24 * 31), archivedAt: ago(24 * 31) },
				{ recordingKey: 'call-5', endedAt: ago(80), archivedAt: ago(79), deletedAt: ago(79) },
				{ recordingKey: 'call-6', startedAt: ago(9.5), recordingRequested: true },
				{ recordingKey: '', startedAt: ago(9.5), recordingRequested: true },
				{ ...failed, recordingKey, sessionGuid, endedAt },
			);
			const html = await text('status');
			const purge = 'The service purges the next recording in <strong>27 hours<';
			const title = new RegExp(
				`<h1>VoiceAgent recordings: ALARM, 4 to look at</h1>\\s*<p>${purge}`,
			);
			assert.match(html, title);
			// Its reason stands once, and its link leads to what the ledger says of it.
			assert.match(html, /<p class="reason">&#34;&#62;&#60;img [^<>]*<\/p>/);
			assert.equal(html.match(/&#60;img/g)?.length, 1);
			const row = String.raw`<td>27 h</td>\s*<td><a href="find-a-call\?call=${recordingKey}">`;
			assert.match(html, new RegExp(`${row}[^<]*</a><small>${sessionGuid}</small></td>`));
			assert.match(html, /Failed, and tried again<small>2 failed attempts<\/small>/);
			assert.doesNotMatch(html, /<script/);
			assert.match(
				html,
				/Sweep last seen running<\/dt><dd>not yet: is sweep-before-purge published\? It is noted each hour\.</,
			);
			assert.match(html, /the days before by the report of each morning\. Days not counted: 28\./);
			const first = await status();
			const counted = async () => {
				const { days } = await status();
				const sum = (name: string) => days.reduce((result, day) => result + (day[name] ?? 0), 0);
				return ['calls', 'archived', 'rescued', 'lost', 'failed', 'other', 'slowestHours'].map(sum);
			};
			assert.deepEqual(await counted(), [2, 1, 0, 0, 0, 1, 1.5]);
			assert.equal((first.numbers as Row)['Calls in the last 24 hours'], 2);
			const { n8n, credentials } = stack;
			const report = await n8n.importWorkflow(readWorkflow('report-and-status'), credentials);
			const run = async (destination: string) =>
				(await n8n.run(report, { trigger: 'Every morning', destination })).items(destination);
			const [found] = await run('Find what is at risk');
			for (const name of ['title', 'alarms', 'lists', 'numbers']) {
				assert.deepEqual(first[name], found?.json[name], name);
			}
			assert.equal((await run('Keep the days')).length, 8);
			assert.deepEqual(await counted(), [6, 2, 1, 1, 1, 1, 2.5]);
			const sweep = await n8n.importWorkflow(readWorkflow('sweep-before-purge'), credentials);
			await n8n.run(sweep, { trigger: 'Every hour', destination: 'Note that the sweep runs' });
			assert.match(await text('status'), /Sweep last seen running<\/dt><dd>\d+ seconds? ago<\/dd>/);
			const { lastVerifiedAt, lastSweepAt, lastFailureAt, hoursToFirstPurge, daysCountedAt } =
				await status();
			assert.ok(Date.now() - Date.parse(String(lastSweepAt)) < 60_000);
			assert.deepEqual([lastVerifiedAt, lastFailureAt], [verifiedAt, failed.failedAt]);
			assert.equal(hoursToFirstPurge, 27.5);
			assert.ok(Date.now() - Date.parse(String(daysCountedAt)) < 60_000);
		});

		test('a recording that nobody has tried is counted once, as waiting, and links to nothing', async () => {
			const before = (await status()).days.at(-1)?.other;
			const { sessionGuid } = await stack.emulator.control.addRecording({ to: '+4930901820' });
			const today = (await status()).days.at(-1);
			assert.deepEqual([today?.waiting, today?.other], [1, before]);
			const html = await text('status');
			const row = String.raw`<td>\+4930901820, [^<]*<small>${sessionGuid}</small></td>`;
			assert.match(html, new RegExp(String.raw`${row}\s*<td>.*Waiting, no attempt noted</td>`));
			await deleteRecording(stack, sessionGuid);
		});

		test('no execution of the page is stored', async () => {
			const filter = encodeURIComponent(
				JSON.stringify({ status: ['success', 'error', 'running'] }),
			);
			await until(async () => {
				const path = `/rest/executions?filter=${filter}&limit=100`;
				const { results } = await stack.n8n.rest<{
					results: Array<{ workflowName: string; mode: string }>;
				}>('GET', path);
				const modes = results
					.filter(({ workflowName }) => workflowName === 'report-and-status')
					.map(({ mode }) => mode);
				return modes.includes('manual') && !modes.includes('webhook');
			});
		});

		test('the page without its data tables, or without the service, says what it does not know', async () => {
			await (await stack.n8n.dataTable(LEDGER_DAYS))?.remove();
			assert.match(
				await text('status'),
				/The days could not be read: .* Execute create-ledger again/,
			);
			const fault = { kind: 'status', status: 500 } as const;
			stack.emulator.control.addFault({ match: {}, times: 'always', fault });
			const answer = JSON.parse(await text('status.json'));
			assert.deepEqual([answer.status, answer.complete], ['alarm', false]);
			assert.equal(answer.numbers['Recordings waiting at the service'], 'unknown');
			stack.emulator.control.clearFaults();
			await createLedger(stack.n8n);
		});

		/** The address of the recording in the page of a call. */
		async function opened(sessionGuid: string): Promise<string> {
			const html = await text(`find-a-call?call=${sessionGuid}`);
			return /<audio [^>]*src="([^"]+)"/.exec(html)?.[1] ?? assert.fail(html.slice(0, 2_000));
		}
		/** What a player gets, which has no password. */
		async function play(page: string, range?: string) {
			const headers = range === undefined ? undefined : { Range: range };
			const answer = await fetch(`${stack.n8n.url}/webhook/voiceagent/${page}`, { headers });
			const bytes = Buffer.from(await answer.arrayBuffer());
			return { status: answer.status, range: answer.headers.get('content-range'), bytes };
		}

		for (const archive of archives) {
			test(`a recording plays from ${archive}, part by part, and it is noted who has asked`, async () => {
				const put = all.store[archive];
				const recording = randomBytes(3_000_000);
				const sessionGuid = `of-${archive.toLowerCase().replace(' ', '-')}`;
				await put(`${sessionGuid}.transcript.txt`, 'I want <more>.');
				const row = { archive, archivedAt: ago(1), transcribedAt: ago(1), summary: HOSTILE };
				const file = await put(`${sessionGuid}.opus`, recording);
				await ledger.insert(rowOf(sessionGuid, { ...row, file, to: '+49 30 1', bytes: 3_000_000 }));
				const before = (await accesses()).length;
				const html = await text(`find-a-call?call=${sessionGuid}`);
				assert.match(html, /<p class="text">&#34;&#62;&#60;img [^<>]*<\/p>/);
				assert.equal(html.includes(HOSTILE), false);
				const [, ticket = ''] = /play-a-call\?ticket=(\w{64})"/.exec(html) ?? [];
				const parts: Buffer[] = [];
				for (let at = 0; at < recording.length; at += parts.at(-1)?.length ?? 0) {
					const part = await play(`play-a-call?ticket=${ticket}`, `bytes=${at}-`);
					const end = at + part.bytes.length - 1;
					assert.equal(part.status, 206, part.bytes.toString().slice(0, 200));
					assert.equal(part.range, `bytes ${at}-${end}/3000000`);
					parts.push(part.bytes);
				}
				assert.ok(Buffer.concat(parts).equals(recording));
				const download = await play(`play-a-call?ticket=${ticket}&download=1`);
				assert.ok(download.bytes.equals(recording));
				const transcript = await play(`play-a-call?ticket=${ticket}&transcript=1`);
				assert.equal(transcript.bytes.toString(), 'I want <more>.');
				assert.deepEqual(
					(await accesses()).slice(before).map((one) => [one.askedBy, one.what, one.sessionGuid]),
					[['demo', 'open', sessionGuid]],
				);
			});
		}

		for (const archive of archives) {
			test(`all about a call in ${archive} comes as one package, and it is noted who took it`, async () => {
				const put = all.store[archive];
				const sessionGuid = `pack-${archive.toLowerCase().replace(' ', '-')}`;
				const recording = randomBytes(50_000);
				const metadata = JSON.stringify({ sessionGuid, file: { sha256: sha256(recording) } });
				const name = `2026-11-27_${sessionGuid}`;
				const file = await put(`${name}.opus`, recording);
				await put(`${name}.json`, metadata);
				await put(`${name}.transcript.txt`, 'I want <more>.');
				const row = { archive, file, archivedAt: ago(2), transcribedAt: ago(1), to: '+49 30 1' };
				const checked = { verification: 'whole', verifiedAt: ago(1), sha256: sha256(recording) };
				await ledger.insert(rowOf(sessionGuid, { ...row, ...checked, summary: HOSTILE }));
				const html = await text(`find-a-call?call=${sessionGuid}`);
				const [, link = ''] = /href="(play-a-call\?ticket=\w+&amp;package=1)"/.exec(html) ?? [];
				const { status, bytes } = await play(link.replace('&amp;', '&'));
				assert.equal(status, 200, bytes.toString().slice(0, 300));
				const { 'index.html': page, SHA256SUMS, ...files } = unzip(bytes);
				const { 'ledger.json': noted, 'accesses.json': accessed, ...stored } = files;
				const sums = Object.entries({
					[`${name}.opus`]: recording,
					[`${name}.json`]: metadata,
					[`${name}.transcript.txt`]: 'I want <more>.',
				}).map(([one, content]) => `${sha256(content)}  ${one}`);
				const sumOf = ([one, content]: [string, Buffer]) => `${sha256(content)}  ${one}`;
				assert.deepEqual(Object.entries(stored).map(sumOf).sort(), sums.sort());
				assert.deepEqual(String(SHA256SUMS).trim().split('\n').sort(), sums);
				assert.partialDeepStrictEqual(JSON.parse(String(noted)), { ...checked, summary: HOSTILE });
				const whats = (JSON.parse(String(accessed)) as Row[]).map(({ askedBy, what }) => [
					askedBy,
					what,
				]);
				assert.deepEqual(whats.sort(), [
					['demo', 'open'],
					['demo', 'package'],
				]);
				// A person reads it offline, and no text of others acts in it.
				assert.match(String(page), /<p>Whole: it has the checksum that the ledger noted/);
				assert.ok(String(page).includes(checked.verifiedAt) && !String(page).includes('<img'));
				assert.match(String(page), new RegExp(`<audio controls src="${name}\\.opus">`));
				// Whoever gets the package gets no way to open other things.
				const [ticket = ''] = /\w{64}/.exec(link) ?? [];
				for (const one of Object.values(unzip(bytes))) assert.ok(!one.includes(ticket));
			});
		}

		test('a package says of a recording that it is altered, or not there', async () => {
			const row = { archive: 'Folder', archivedAt: ago(1), sha256: sha256('as it was') };
			const file = await all.store.Folder('altered-1.opus', 'as it is');
			await ledger.insert(
				rowOf('altered-1', { ...row, file }),
				rowOf('absent-1', { ...row, file: file.replace('altered', 'absent') }),
			);
			const pageOf = async (sessionGuid: string) =>
				String(unzip((await play(`${await opened(sessionGuid)}&package=1`)).bytes)['index.html']);
			assert.match(await pageOf('altered-1'), /<p>ALTERED: its checksum is not [\da-f]{64}/);
			assert.match(await pageOf('absent-1'), /<p>NOT HERE: it could not be read\. No file/);
			assert.equal((await play('play-a-call?package=1&ticket=former')).status, 403);
		});

		test('play-a-call opens nothing but what its ticket is for', async () => {
			const page = await opened('of-folder');
			const recording = (await play(page)).bytes;
			const beyond = await play(page, 'bytes=3000000-');
			assert.deepEqual([beyond.status, beyond.range], [416, 'bytes */3000000']);
			const ticket = page.replace(/.*=/, '');
			const wrong = ['', '?ticket=', '?ticket=%25', `?ticket=${ticket.slice(1)}0`];
			for (const one of [...wrong, '?ticket=null', `?file=/etc/passwd&ticket=${'0'.repeat(64)}`]) {
				const { status, bytes } = await play(`play-a-call${one}`);
				assert.deepEqual(
					[status, bytes.toString().slice(0, 30)],
					[403, 'This link is no longer valid. '],
					one,
				);
			}
			const traversal = await play(`${page}&file=../../etc/passwd&call=of-s3`);
			assert.ok(traversal.bytes.equals(recording));
			assert.match(
				await text('find-a-call?call=../../etc/passwd'),
				/The ledger does not know this call/,
			);
		});

		test('a ticket is valid for an hour', async () => {
			const ticket = (await opened('of-folder')).replace(/.*=/, '');
			const table = await stack.n8n.dataTable('VoiceAgent accesses');
			const noted = (await table?.rows())?.find((one) => one.ticket === ticket);
			const minutes = (Date.parse(String(noted?.validUntil)) - Date.now()) / 60_000;
			assert.ok(minutes > 58 && minutes <= 60, String(minutes));
			const access = { sessionGuid: 'of-folder', what: 'open' };
			await table?.insert(
				{ ...access, ticket: 'former', validUntil: ago(0.01) },
				{ ...access, ticket: 'valid', validUntil: ago(-0.1) },
			);
			assert.equal((await play('play-a-call?ticket=former')).status, 403);
			assert.equal((await play('play-a-call?ticket=valid')).status, 200);
		});

		test('the player gets the reason if the archive does not answer, or has no such file', async () => {
			const row = { archivedAt: ago(1), to: '1', archive: 'Folder' };
			await ledger.insert(
				rowOf('gone-1', { ...row, file: '/nowhere/../etc/gone.opus' }),
				rowOf('gone-2', { ...row, archive: 'Tape', file: 'gone.opus' }),
			);
			for (const sessionGuid of ['gone-1', 'gone-2']) {
				const { status, bytes } = await play(await opened(sessionGuid));
				assert.equal(status, 404);
				assert.match(bytes.toString(), /^It could not be read from the archive: \w/);
			}
		});

		const found = async (query: string) =>
			[...(await text(`find-a-call?${query}`)).matchAll(/\?call=([^"&]+)"/g)]
				.map(([, one]) => one)
				.sort();

		test('find-a-call finds by day and session', async () => {
			await ledger.insert(
				rowOf('find-1', { to: '+4940998', endedAt: '2026-02-03T12:00:00.000Z' }),
				rowOf('find-2', { to: '+4940997', endedAt: '2026-02-04T12:00:00.000Z' }),
			);
			assert.deepEqual(await found('day=2026-02-04'), ['find-2']);
			assert.deepEqual(await found('q=%7BFIND-1%7D'), ['find-1']);
			assert.deepEqual(await found('q=4940998&day=2026-02-03'), ['find-1']);
			assert.deepEqual(await found('q=4940998&day=2026-02-04'), []);
			for (const query of ['q=find-3', 'q=995', 'q=%27%20or%201=1', 'day=never']) {
				assert.deepEqual(await found(query), [], query);
			}
		});

		test('find-a-call finds every call of a person, called or calling, in any spelling', async () => {
			const person = {
				'person-1': { to: '+442079460123' },
				'person-2': { to: '+49 40 999', from: '+44 (0)20 7946 0123' },
				'person-3': { from: 'sip:+442079460123@192.0.2.1:5060;user=phone' },
				'person-4': { to: '020 7946 0123' },
				'person-5': { from: '0044 20 7946-0123 ext 7' },
				'person-6': { from: JSON.stringify({ phoneNumber: '+44 20 7946 0123', name: 'Jane' }) },
			};
			await ledger.insert(
				...Object.entries(person).map(([call, row]) => rowOf(call, row)),
				rowOf('other-1', { to: '+442079460124', from: '+442079460132' }),
				rowOf('other-2', { to: '+44207946012', from: null }),
			);
			for (const spelling of [
				'+442079460123',
				'020 7946 0123',
				'+44 (0)20 7946 0123',
				'0044 20 7946-0123',
				'sip:+442079460123@example.com',
				'79460123',
			]) {
				const query = `q=${encodeURIComponent(spelling)}`;
				assert.deepEqual(await found(query), Object.keys(person), spelling);
			}
			const query = `q=${encodeURIComponent('+44 20 7946 0123 ext 7')}`;
			assert.deepEqual(await found(query), Object.keys(person), 'with an extension');
			const understood = async (q: string) =>
				/<p>(Understood as [^<]*)<\/p>/.exec(await text(`find-a-call?q=${q}`))?.[1];
			assert.equal(
				await understood('%2B44%20(0)20%2079460123'),
				'Understood as +442079460123, in any spelling.',
			);
			assert.match(
				(await understood('020%2079460123')) ?? '',
				/part of a number.*without a country code/,
			);
		});

		test('a call leads to all calls of its numbers, and to forget-caller', async () => {
			await ledger.insert(rowOf('find-3', { to: '+49 (30) 123', from: '+4940999' }));
			const call = await text('find-a-call?call=find-3');
			const inOrder = [
				'This recording is not archived',
				String.raw`find-a-call\?q=%2B49%20\(30\)%20123"`,
				String.raw`forget-caller\?number=%2B49%20\(30\)%20123"`,
				String.raw`forget-caller\?number=%2B4940999"`,
			];
			assert.match(call, new RegExp(inOrder.join('.*'), 's'));
		});

		test('the page of forget-caller removes just what it has shown', async () => {
			await ledger.insert(
				rowOf('page-1', { to: '+4930123' }),
				rowOf('page-2', { to: '+4940998', from: '+4930124' }),
			);
			// Without its plus, it may be a number of another country.
			const unclear = await text('forget-caller?number=4930124');
			assert.match(unclear, /Unclear, stays: 1.*href="forget-caller\?number=%2B4930124"/s);
			assert.doesNotMatch(unclear, /<form/);
			const shown = await text('forget-caller?number=%2B4930124');
			assert.match(shown, /Would be removed: 1.*Ledger: its row \(call page-2\)/);
			const confirm = async (calls: string) =>
				await text('forget-caller', new URLSearchParams({ number: '+4930124', calls }));
			assert.match(await confirm('page-1'), /Nothing was removed/);
			const [, calls = ''] = /name="calls" value="([^"]+)"/.exec(shown) ?? [];
			assert.match(await confirm(calls), /Removed: 1/);
			const left = (await ledger.rows()).map((row) => row.recordingKey);
			assert.deepEqual([left.includes('page-1'), left.includes('page-2')], [true, false]);
		});

		test('of a page, no password, number or recording stays in n8n', async () => {
			const number = '+442079460177';
			// Text, which can be found in any encoding.
			const recording = randomBytes(300_000).toString('base64');
			const file = await all.store.Folder('trace-1.opus', recording);
			const bytes = recording.length;
			const row = { to: number, archive: 'Folder', archivedAt: ago(1), file, bytes };
			await ledger.insert(rowOf('trace-1', row));
			const query = `number=${encodeURIComponent(number)}`;
			assert.deepEqual(await found(query.replace('number', 'q')), ['trace-1']);
			const page = await opened('trace-1');
			assert.equal((await play(page)).bytes.toString(), recording);
			assert.equal((await play(page, 'bytes=0-')).bytes.toString(), recording);
			const packed = unzip((await play(`${page}&package=1`)).bytes);
			assert.equal(String(packed['trace-1.opus']), recording);
			assert.ok(String(packed['ledger.json']).includes(number));
			// An execution that fails is not saved, either.
			stack.emulator.control.addFault({ match: {}, fault: { kind: 'status', status: 403 } });
			assert.doesNotMatch(await text(`forget-caller?${query}`), /<h1>/);
			const shown = await text(`forget-caller?${query}`);
			const [, calls = ''] = /name="calls" value="([^"]+)"/.exec(shown) ?? [];
			const confirmed = { number, calls, folderFilesAreGone: 'on' };
			assert.match(await text('forget-caller', new URLSearchParams(confirmed)), /Removed: 5/);

			const secrets = {
				password: btoa(`${VIEWER.user}:${VIEWER.password}`),
				number,
				'number in a search': '79460177',
				recording: recording.slice(200_000, 200_040),
			};
			const { userFolder } = stack.n8n;
			async function* stores(): AsyncGenerator<Source> {
				yield* valuesIn(join(userFolder, '.n8n', 'database.sqlite'));
				// Deleted values may stay in the file of the database until something is written there.
				for await (const one of filesBelow(userFolder)) {
					if (!one.name.includes('database.sqlite')) yield one;
				}
			}
			let left: Finding[] = [];
			await until(
				async () => {
					left = await findSecrets(secrets, stores());
					return left.length === 0 || undefined;
				},
				() => `n8n still has ${JSON.stringify(left)}`,
			);
		});

		test('nothing is shown if the access cannot be noted', async () => {
			await (await stack.n8n.dataTable('VoiceAgent accesses'))?.remove();
			const html = await text('find-a-call?call=of-folder');
			assert.match(html, /Nothing is shown, because the access could not be noted/);
			assert.doesNotMatch(html, /<audio|of-folder/);
		});
	});
}
