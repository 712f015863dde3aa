/**
 * Code nodes of the pages, run as functions: with rows that a test knows, times in other zones, and
 * texts of others that look like HTML.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { suite, test } from 'node:test';

import { DateTime } from 'luxon';

import { runCode, type Json, type Outputs } from '../../harness/codeNode.mts';
import { readWorkflow, workflowNames } from '../../harness/workflows.mts';

const HOUR = 3_600_000;
const HOSTILE = `"><img src=x onerror=alert(1)>'</script><script>{{ $json }}$'`;
/**
 * Asserts that no text could end an element, an attribute or an expression of n8n, or stand for a
 * part of the text that it replaces.
 */
const assertSafe = (values: Json) => {
	JSON.stringify(values, (_, value: unknown) => {
		if (typeof value === 'string') assert.doesNotMatch(value, /[<>"'`{}$]/);
		return value;
	});
};

suite('Match list and ledger, Count the days', () => {
	const matched = async (rows: Json[], listed: Json[] = [], now: DateTime = DateTime.now()) =>
		await runCode(
			'report-and-status',
			'Match list and ledger',
			{
				'Get calls of the last days': rows,
				'Get calls that are not archived': [{}],
				'Get calls with a problem': [{}],
				'List recordings at the service': listed,
			},
			{ now },
		);
	const counted = async (rows: Json[], now: DateTime) => {
		const items = await matched(
			rows.map((row, id) => ({ id, ...row })),
			[],
			now,
		);
		const days = { 'Look at each call': items };
		return (await runCode('report-and-status', 'Count the days', days, { now })).map(
			({ json }) => json,
		);
	};

	// Clocks change in each of them within these days, but in the last.
	const moments = [
		['Europe/Berlin', '2026-10-26T09:00'],
		['America/New_York', '2026-03-10T23:59'],
		['Pacific/Auckland', '2026-04-06T00:01'],
		['Asia/Kolkata', '2026-11-25T12:00'],
	] as const;
	for (const [zone, time] of moments) {
		test(`count each call once, on the day of its end in ${zone}`, async () => {
			const now = DateTime.fromISO(time, { zone });
			// Another calendar than that of the code: n8n's luxon is not asked.
			const dayOf = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
			const columns = ['archivedAt', 'rescuedAt', 'lostAt', 'lastError', 'none'];
			const rows = Array.from({ length: 400 }, (_, index) => {
				const endedAt = new Date(now.toMillis() - index * 0.5 * HOUR).toISOString();
				return {
					recordingKey: `call-${index}`,
					endedAt,
					updatedAt: endedAt,
					[columns[index % 5] ?? '']: endedAt,
				};
			});
			const expected: Record<string, number> = {};
			for (const { endedAt } of rows) {
				const day = dayOf.format(new Date(endedAt));
				expected[day] = (expected[day] ?? 0) + 1;
			}
			const days = await counted(rows, now);
			assert.equal(days.length, 8);
			for (const { day, calls, archived, rescued, lost, failed, other } of days) {
				assert.equal(calls, expected[String(day)], String(day));
				const parts = [archived, rescued, lost, failed, other].map(Number);
				assert.equal(
					parts.reduce((sum, part) => sum + part, 0),
					calls,
				);
				assert.ok(Math.max(...parts) - Math.min(...parts) <= 1, parts.join());
			}
		});
	}

	test('a read of the ledger that fails without an error is no empty ledger', async () => {
		for (const passedOn of [
			{ id: 'abc', name: 'VoiceAgent days', projectId: 'def' },
			{ id: 1, day: '2026-11-25', calls: 7 },
		]) {
			const [first] = await matched([passedOn], [{}]);
			const { noLedger } = first?.json as { noLedger: string[] };
			assert.deepEqual(noLedger, ['The ledger could not be read: n8n does not say why']);
		}
		const [first] = await matched([{}], [{}]);
		assert.deepEqual(first?.json.noLedger, []);
	});

	test('a listed recording that nobody has tried waits, and its number and end are known', async () => {
		const now = DateTime.fromISO('2026-11-27T10:00', { zone: 'Europe/Berlin' });
		const call = { recordingKey: 'call-1', sessionGuid: '{CALL-1}', hoursLeft: 100 };
		const listed = { ...call, to: '+49301', endedAt: '2026-11-27T08:30:00.000Z' };
		const failed = { id: 1, recordingKey: 'call-1', to: null, lastError: 'No space left' };
		for (const [rows, state] of [
			[[{}], 'waiting'],
			[[failed], 'failed'],
			[[{ ...failed, archivedAt: '2026-11-27T08:31:00.000Z' }], 'archived'],
		] as Array<[Json[], string]>) {
			const [, item] = await matched(rows, [listed], now);
			assert.deepEqual([item?.json.state, item?.json.label], [state, '+49301, Fri 27 Nov, 09:30']);
		}
	});

	test('two rows of one call are one call, rows without a session GUID are none', async () => {
		const now = DateTime.now().set({ hour: 12 });
		const start = now.minus({ hours: 3 }).toISO();
		const end = now.minus({ hours: 2 }).toISO();
		const days = await counted(
			[
				{ recordingKey: 'call-1', endedAt: start, archivedAt: end, updatedAt: end },
				{ recordingKey: 'call-1', startedAt: start, archivedAt: null, updatedAt: start },
				{ recordingKey: '', startedAt: start, updatedAt: start },
				{ recordingKey: null, startedAt: start, updatedAt: start },
				{ recordingKey: 'call-2', startedAt: start, updatedAt: start },
				// A failure whose call nobody could look up: what counts is when it was noted.
				{ recordingKey: 'call-3', lastError: 'refused', createdAt: end, updatedAt: end },
				{ error: 'no table' },
			],
			now,
		);
		const { calls, archived, failed, other, slowestHours, archivedAt } = days.at(-1) ?? {};
		assert.deepEqual(
			[calls, archived, failed, other, slowestHours, archivedAt],
			[3, 1, 1, 1, 1, end],
		);
	});
});

suite('Fill the page', () => {
	const now = DateTime.fromISO('2026-11-25T10:00', { zone: 'Europe/Berlin' });
	const report = { title: 'well', alarms: 0, problems: [], lists: [], numbers: {}, waiting: [] };
	const today = { day: '2026-11-25', calls: 2, archived: 2 };
	const yesterday = { day: '2026-11-24', calls: 3, archived: 1, lost: 2 };
	const fill = async (stored: Json[], found: Json = report) => {
		const outputs = {
			'Find what is at risk': [found],
			'Count the days': [yesterday, today],
			'Get the days': stored,
		};
		const [item] = await runCode('report-and-status', 'Fill the page', outputs, { now });
		return item?.json as { status: Json & { days: Json[] }; page: Json & { bars: Json[] } };
	};

	test('a day that the report has read before its end, or not at all, is not counted', async () => {
		const later = '2026-11-24T23:00:00.000Z';
		const { status } = await fill([
			{ day: '2026-11-22', calls: 7, updatedAt: later },
			{ day: '2026-11-23', calls: 8, updatedAt: '2026-11-23T22:59:59.000Z' },
			{ day: '2026-11-24', calls: 9, updatedAt: '2026-11-24T06:00:00.000Z' },
			{ day: '2026-11-25', calls: 1, updatedAt: '2026-11-25T06:00:00.000Z' },
			// A sweep was running at that time.
			{ day: '2026-11-21', calls: null, sweptAt: '2026-11-21T22:59:00.000Z', updatedAt: later },
		]);
		assert.equal(status.daysCountedAt, later);
		assert.equal(status.lastSweepAt, '2026-11-21T22:59:00.000Z');
		assert.deepEqual(
			status.days.slice(-5).map(({ day, calls }) => [day, calls]),
			[
				['2026-11-21', null],
				['2026-11-22', 7],
				['2026-11-23', null],
				['2026-11-24', 3],
				['2026-11-25', 2],
			],
		);
		assert.equal(status.days.length, 30);
		// Once the report has counted all of yesterday, its numbers count: the page has read less.
		const counted = await fill([{ day: '2026-11-24', calls: 9, updatedAt: later }]);
		assert.equal(counted.status.days.at(-2)?.calls, 9);
	});

	test('the bars of a day stand on each other', async () => {
		const { bars } = (await fill([{}])).page;
		const ofYesterday = bars.filter(({ x, height }) => x === 28 && height !== 0);
		assert.deepEqual(ofYesterday, [
			{ state: 'archived', x: 28, y: 2, height: 1 },
			{ state: 'lost', x: 28, y: 0, height: 2 },
		]);
	});

	test('texts of others are no HTML in the page, and as they are for monitors', async () => {
		const waiting = { sessionGuid: HOSTILE, label: HOSTILE, lastError: HOSTILE };
		const group = { reason: HOSTILE, calls: [{ label: HOSTILE, text: HOSTILE }] };
		const lists = [{ name: HOSTILE, count: 1, groups: [group] }];
		const texts = { title: HOSTILE, problems: [HOSTILE], lists };
		const found = { ...report, ...texts, numbers: { [HOSTILE]: HOSTILE }, waiting: [waiting] };
		const { status, page } = await fill([{ error: { message: HOSTILE } }], found);
		assertSafe(page);
		assert.match(JSON.stringify(page.problems), /Execute create-ledger again/);
		assert.equal(status.title, HOSTILE);
	});
});

suite('find-a-call, forget-caller: texts of others', () => {
	const choose = async (query: Json, rows: Json[]) => {
		const outputs = {
			...asked(query),
			'Note the access': [{ id: 1, ticket: 'abc', what: 'open' }],
			'Match the number': rows,
		};
		const [item] = await runCode('find-a-call', 'Choose what to show', outputs);
		return item?.json ?? {};
	};
	const asked = (query: Json, number: Json = {}): Outputs => ({
		'Read the number': [{ query, pattern: null, readAs: null, ...number }],
		'Get calls to it': [],
		'Get calls from it': [],
	});
	const call = {
		sessionGuid: HOSTILE,
		recordingKey: 'call-1',
		to: HOSTILE,
		from: HOSTILE,
		status: HOSTILE,
		archive: HOSTILE,
		file: `${HOSTILE}.opus`,
		summary: HOSTILE,
		lastError: HOSTILE,
		verification: HOSTILE,
	};

	test('are no HTML, in a list, in a call and in an answer', async () => {
		const archived = { ...call, archivedAt: HOSTILE, transcribedAt: 'x' };
		for (const [query, row] of [
			[{ q: HOSTILE, day: HOSTILE }, call],
			[{ call: 'call-1', play: HOSTILE }, archived],
			[{ call: HOSTILE }, { error: { message: HOSTILE } }],
			[
				{ q: [HOSTILE], call: { a: HOSTILE } },
				{ ...call, recordingKey: HOSTILE },
			],
		] as const) {
			assertSafe(await choose(query, [row]));
		}
		const shown = {
			'Read the number': [{ query: {}, lookedFor: HOSTILE }],
			'Choose what goes': [{ calls: HOSTILE, where: 'Unclear', file: HOSTILE, place: 'Shown' }],
		};
		const names = ['problems', 'wouldRemove', 'removed', 'notRemoved', 'removeByHand', 'onHold'];
		const report = Object.fromEntries(names.map((name) => [name, [HOSTILE]]));
		const [item] = await runCode('forget-caller', 'Write the page', shown, {
			input: [{ json: report }],
		});
		assert.doesNotMatch(String(item?.json.html), /<img|onerror=alert\(1\)>|'<\/script><script>/);
	});

	test('nothing is shown if n8n silently fails to write the access or to read the ledger', async () => {
		const problem = async (noted: Json, rows: Json[]) => {
			const outputs = {
				...asked({ call: 'call-1' }),
				'Note the access': [noted],
				'Match the number': rows,
			};
			const [item] = await runCode('find-a-call', 'Choose what to show', outputs);
			assert.equal(item?.json.call, null);
			return String(item.json.problem);
		};
		const row = { id: 1, recordingKey: 'call-1', to: '+4930123' };
		assert.match(await problem(row, [row]), /could not be noted: n8n did not say why/);
		const noted = { id: 1, what: 'open' };
		assert.match(await problem(noted, [{ headers: {}, query: {} }]), /ledger could not be read/);
	});

	test('say how a search was understood, and name the zone of the times', async () => {
		const number = '+44 20 7946 0123';
		const rows = ['same', 'unclear', 'none'].map((match, index) => ({
			id: index,
			recordingKey: `call-${index}`,
			to: number,
			startedAt: `2026-11-2${index}T10:00:00.000Z`,
			endedAt: `2026-11-2${index}T10:01:05.000Z`,
			match,
		}));
		const search = async (read: Json) => {
			const outputs = {
				...asked({ q: number }, read),
				'Note the access': [{ id: 1, what: 'search' }],
				'Match the number': rows,
			};
			const now = DateTime.fromISO('2026-11-25T12:00', { zone: 'Asia/Kolkata' });
			const [item] = await runCode('find-a-call', 'Choose what to show', outputs, { now });
			return item?.json as { calls: Json[]; understood: string; zone: string };
		};
		const read = await search({ pattern: '%1%', readAs: '+442079460123' });
		assert.equal(read.understood, 'Understood as +442079460123, in any spelling.');
		assert.equal(read.zone, 'Asia/Kolkata');
		assert.deepEqual(
			read.calls.map(({ recordingKey, time, lasting }) => [recordingKey, time, lasting]),
			[
				['call-1', '21 Nov 2026, 15:31', '1:05'],
				['call-0', '20 Nov 2026, 15:31', '1:05'],
			],
		);
		assert.match((await search({ pattern: '%1%' })).understood, /part of a number.* country code/);
		assert.equal((await search({})).understood, 'Understood as a session GUID.');
	});

	test('a call of another session GUID is not shown', async () => {
		const { call: shown, problem } = await choose({ call: 'call-2' }, [call]);
		assert.deepEqual([shown, problem], [null, 'The ledger does not know this call.']);
	});
});

suite('forget-caller: which calls go', () => {
	const SETTINGS = { olderThanDays: 0, reallyRemove: true, folderFilesAreGone: false };
	interface Known {
		/** Rows of the ledger that match in this way. */
		rows?: Json[];
		/** Rows of the same calls, or with the same files. */
		others?: Json[];
		/** Recordings at the service. */
		listed?: Json[];
		settings?: Json;
	}
	/** By place; what is `Unclear`, `Stays` or `On hold` is not removed. */
	const choose = async ({ rows = [], others = [], listed = [], settings = {} }: Known) => {
		const withIds = [...rows, ...others].map((row, index) => ({ id: index + 1, ...row }));
		const items = await runCode('forget-caller', 'Choose what goes', {
			'Read the number': [{ ...SETTINGS, ...settings }],
			'Only what may go': [...withIds.slice(0, rows.length), ...listed],
			'Get all rows of these calls': withIds,
		});
		const places = [...new Set(items.map(({ json }) => String(json.place)))];
		const at = (place: string) =>
			items.filter(({ json }) => json.place === place).map(({ json }) => json.call);
		return { items, places: places.join(), ledger: at('Ledger'), held: at('On hold') };
	};
	const mine = { recordingKey: 'call-1', match: 'same', archive: 'S3', file: 'a/x.opus' };
	const listed = [{ recordingKey: 'call-1', sessionGuid: '{CALL-1}', match: 'same' }];

	test('those that certainly have the number, in the ledger and at the service', async () => {
		const unclear = { recordingKey: 'call-2', match: 'unclear', matched: '030 123456' };
		const rows = [mine, unclear, { recordingKey: 'call-3', match: 'part', matched: '+493' }];
		const { items, places } = await choose({ rows, listed });
		assert.equal(places, 'S3,Ledger,Service,Unclear');
		const files = items.filter(({ json }) => json.where !== 'S3').map(({ json }) => json.file);
		assert.deepEqual(files, ['its row', '{CALL-1}', '030 123456']);
		const shown = await choose({ rows, listed, settings: { reallyRemove: false } });
		assert.equal(shown.places, 'Shown');
	});

	test('a page removes just what it has shown, whatever the settings say', async () => {
		const old = { recordingKey: 'call-2', match: 'none', endedAt: '2020-01-01T00:00:00.000Z' };
		const page = { query: {}, olderThanDays: 1, reallyRemove: true };
		const confirm = async (calls?: string) =>
			(await choose({ rows: [mine, old], settings: { ...page, body: { calls } } })).places;
		assert.equal(await confirm(), 'Shown');
		assert.equal(await confirm('call-1 call-2'), 'Shown');
		assert.equal(await confirm('call-1'), 'S3,Ledger');
	});

	test('what is too old goes, but no recording that waits at the service for its archive', async () => {
		const endedAt = '2020-01-01T00:00:00.000Z';
		const row = { ...mine, match: 'none' };
		const rows = [
			{ ...row, recordingKey: 'call-1', endedAt },
			{ ...row, recordingKey: 'call-2', archivedAt: endedAt, file: 'b' },
			{ ...row, recordingKey: 'call-3', endedAt: new Date().toISOString(), file: 'c' },
		];
		const waiting = [{ recordingKey: 'call-4', match: 'none', endedAt }];
		const { ledger } = await choose({ rows, listed: waiting, settings: { olderThanDays: 30 } });
		assert.deepEqual(ledger, ['call-1', 'call-2']);
		assert.deepEqual((await choose({ rows })).ledger, []);
	});

	test('a call is held by any of its rows', async () => {
		const hold = { recordingKey: 'call-1', hold: true };
		for (const known of [{ rows: [mine], others: [hold] }, { others: [hold] }]) {
			const { places, held } = await choose({ ...known, listed });
			assert.deepEqual([places, new Set(held)], ['On hold', new Set(['call-1'])]);
		}
		const old = { ...hold, match: 'none', endedAt: '2020-01-01T00:00:00.000Z' };
		const { ledger } = await choose({ rows: [old], settings: { olderThanDays: 1 } });
		assert.deepEqual(ledger, []);
	});

	test('a file stays if another call has it too, or if its archive is not known', async () => {
		const placesOf = async (row: Json, ...others: Json[]) =>
			(await choose({ rows: [{ ...mine, ...row }], others })).places;
		const other = { recordingKey: 'call-2', archive: 'S3' };
		assert.equal(await placesOf({}), 'S3,Ledger');
		assert.equal(await placesOf({}, { ...other, file: 'a/y.opus' }), 'S3,Ledger');
		const elsewhere = { ...other, file: 'a/x.opus', archive: 'SFTP' };
		assert.equal(await placesOf({}, elsewhere), 'S3,Ledger');
		// The metadata and the transcript have the same names.
		for (const file of ['a/x.opus', 'a/X.mp3']) {
			assert.equal(await placesOf({}, { ...other, file }), 'Stays');
		}
		const both = { ...mine, recordingKey: 'call-2' };
		assert.equal((await choose({ rows: [mine, both] })).places, 'S3,Ledger');
		const held = { ...both, hold: true };
		assert.equal((await choose({ rows: [mine, held] })).places, 'Stays,On hold');
		for (const archive of ['Dropbox', '', null, 'constructor']) {
			assert.equal(await placesOf({ archive }), 'Stays', String(archive));
		}
	});

	test('all rows of a call go, and rows without a session GUID alone', async () => {
		const rows = [
			{ recordingKey: 'call-1', match: 'same' },
			{ recordingKey: '', match: 'same' },
			{ recordingKey: '', match: 'unclear' },
		];
		const others = [{ recordingKey: 'call-1', hold: false }];
		const { ledger } = await choose({ rows, others });
		assert.deepEqual(ledger, ['call-1', 'of row 2', 'call-1']);
	});
});

suite('forget-caller: what is gone', () => {
	const CALL = { call: 'call-1', isHeld: false };
	const chosen = (where: string, more: Json = {}) => ({ ...CALL, where, place: where, ...more });
	const atService = chosen('Service', { file: 'Call-1' });
	const row = chosen('Ledger', { row: 7 });
	const gone = async (outputs: Outputs) => {
		const items = await runCode('forget-caller', 'Find calls that are forgotten', {
			'Choose what goes': [atService, row],
			'Delete recording from service': [{ recordingKey: 'call-1', deleted: true }],
			...outputs,
		});
		const { problems } = items.at(-1)?.json as { problems: string[] };
		return { rows: items.slice(0, -1).map(({ json }) => json.row), problems };
	};
	test('the row goes if the recording is deleted, or the file of an archive', async () => {
		assert.deepEqual(await gone({}), { rows: [7], problems: [] });
		const outputs = {
			'Choose what goes': [chosen('S3'), chosen('SFTP'), chosen('Google Drive'), row],
			'Delete the files from S3': [{ statusCode: 204 }],
			'Delete the files by SFTP': [{ error: 'No such file' }],
			'Find the files in Google Drive': [],
		};
		assert.deepEqual(await gone(outputs), { rows: [7], problems: [] });
	});

	for (const [name, outputs, reason] of [
		[
			'a refused delete',
			{ 'Delete recording from service': [{ error: 'on legal hold' }] },
			/on legal hold \(call call-1\)/,
		],
		[
			'a delete that is accepted only',
			{ 'Delete recording from service': [{ deleted: false, kept: false }] },
			/has not deleted it yet \(call call-1\)/,
		],
		[
			'a node that is deactivated',
			{ 'Delete recording from service': [atService] },
			/its node is deactivated/,
		],
		['no answer', { 'Delete recording from service': [] }, /was not executed/],
		[
			'a file that stays',
			{ 'Choose what goes': [{ ...chosen('S3', { why: 'so' }), place: 'Stays' }, row] },
			/^S3: so \(call call-1\)$/,
		],
		[
			'an archive that refuses',
			{ 'Choose what goes': [chosen('S3'), row], 'Delete the files from S3': [{ error: '403' }] },
			/^S3: 403 \(call call-1\)$/,
		],
	] as Array<[string, Outputs, RegExp]>) {
		test(`after ${name}, the row stays, and the report says why`, async () => {
			const { rows, problems } = await gone(outputs);
			assert.deepEqual(rows, []);
			assert.equal(problems.length, 1);
			assert.match(String(problems[0]), reason);
		});
	}

	test('the report calls removed what is gone, and no row that is still there', async () => {
		const report = async (deletedRows: Json[]) => {
			const [item] = await runCode('forget-caller', 'Report what goes', {
				'Choose what goes': [{ ...row, file: 'its row' }],
				'Find calls that are forgotten': [{ row: 0, problems: [], failed: [] }],
				'Delete the rows from the ledger': deletedRows,
				'Get calls from the ledger': [],
			});
			return item?.json;
		};
		const line = ['Ledger: its row (call call-1)'];
		const { removed, problems } = (await report([{ id: 7 }])) ?? {};
		assert.deepEqual([removed, problems], [line, []]);
		const failed = await report([{ error: 'database is locked' }]);
		assert.deepEqual([failed?.removed, failed?.notRemoved], [[], line]);
		assert.deepEqual(failed?.problems, ['Ledger: database is locked']);
	});
});

suite('find-a-call: Send the part', () => {
	const whole = randomBytes(9_000_000);
	const binary = { data: { data: whole.toString('base64') } };
	const send = async (headers: Json, changed: Outputs = {}, query: Json = {}) => {
		const outputs: Outputs = {
			'When a player asks': [{ query, headers }],
			'Get the access': [{ id: 1 }],
			'Get the call from the ledger': [{ id: 2, file: 'calls/ü 1.mp3' }],
			'Collect the files': [{ json: {}, binary }],
			...changed,
		};
		const input = [{ json: { data: headers.range === undefined ? undefined : binary.data.data } }];
		const [item] = await runCode('find-a-call', 'Send the part', outputs, { input });
		const bytes = Buffer.from(item?.binary?.data.data ?? '', 'base64');
		return { ...item?.json, bytes } as Json & { bytes: Buffer };
	};

	test('a range is answered with that part of the file, and with at most 2 MiB of it', async () => {
		for (const [first, last] of [
			[0, 0],
			[8_999_999, 8_999_999],
			[1, 2_097_152],
			[123, 4_567],
		] as const) {
			const { code, range, bytes } = await send({ range: `bytes=${first}-${last}` });
			assert.deepEqual([code, range], [206, `bytes ${first}-${last}/9000000`]);
			assert.ok(bytes.equals(whole.subarray(first, last + 1)));
		}
		assert.equal((await send({ range: 'bytes=0-' })).bytes.length, 2 * 1024 * 1024);
		assert.equal((await send({ range: 'bytes=7-99999999' })).range, 'bytes 7-2097158/9000000');
		assert.ok((await send({ range: 'bytes=-9' })).bytes.equals(whole.subarray(-9)));
		for (const range of ['bytes=9000000-', 'bytes=9-3', 'bytes=-0']) {
			const { code, range: said } = await send({ range });
			assert.deepEqual([code, said], [416, 'bytes */9000000'], range);
		}
		for (const range of [undefined, 'bytes=-', 'bytes=1-2,4-5', 'words=1-2']) {
			const { code, type, bytes } = await send({ range });
			assert.deepEqual([code, type], [200, 'audio/mpeg']);
			assert.ok(bytes.equals(whole), range);
		}
		const { disposition } = await send({ range: 'bytes=0-1' }, {}, { download: '1' });
		assert.equal(disposition, "attachment; filename*=UTF-8''%C3%BC%201.mp3");
	});

	test('only a reason is sent without a valid ticket, an archived call or its file', async () => {
		const cases: Array<[Outputs, number, RegExp]> = [
			[{ 'Get the access': [{}] }, 403, /no longer valid/],
			[
				{ 'Get the access': [{ error: { message: 'locked' } }] },
				503,
				/The ledger could not be read: locked/,
			],
			[{ 'Get the call from the ledger': [{}] }, 404, /not archived/],
			[{ 'Collect the files': [{ error: 'refused' }] }, 404, /archive: refused/],
			[
				{ 'Collect the files': [{ error: 'wrong' }], 'Decrypt the recording': [{}] },
				404,
				/^It could not be decrypted: wrong/,
			],
			[
				{ 'Get the call from the ledger': [{ id: 2, file: 'a.enc' }] },
				404,
				/^It is kept encrypted\. Activate/,
			],
		];
		for (const [changed, code, reason] of cases) {
			const { bytes, ...said } = await send({}, changed);
			assert.deepEqual([said.code, said.type], [code, 'text/plain; charset=utf-8']);
			assert.match(bytes.toString(), reason);
		}
	});
});

suite('failure-notice', () => {
	const now = DateTime.fromISO('2026-11-27T10:00', { zone: 'Europe/Berlin' });
	const RECORDING = {
		recordingKey: 'call-1',
		sessionGuid: '{CALL-1}',
		to: '+4930901820',
		from: '+4940999',
		endedAt: '2026-11-27T08:30:00.000Z',
		keptUntil: '2026-12-04T08:30:00.000Z',
		hoursLeft: 167,
	};
	const ABOUT = { recordingKey: 'call-1', sessionGuid: '{CALL-1}', keptUntil: RECORDING.keptUntil };
	const FOLDER = { httpCode: 'ENOENT', message: 'The file or directory does not exist' };
	interface Failure {
		error?: Json;
		execution?: Json;
		listed?: Json[];
		rows?: Json[];
	}
	/** From the failure to its notice, node by node. */
	const notice = async ({ error = FOLDER, execution = {}, listed = [], rows = [{}] }: Failure) => {
		const outputs: Outputs = {
			'When a workflow fails': [
				{
					workflow: { name: 'archive-to-folder' },
					execution: { url: 'https://n8n/1', lastNodeExecuted: 'Write it', error, ...execution },
				},
			],
			'List recordings at the service': listed,
			'Get the newest calls': rows,
		};
		for (const node of ['Choose what helps', 'Read the failure']) {
			outputs[node] = await runCode('failure-notice', node, outputs, { now });
		}
		const [item] = await runCode('failure-notice', 'Write the notice', outputs, { now });
		return item?.json as { text: string; notice: string; cause: string; row: Json | null };
	};
	const executionContext = ABOUT;

	test('names node, number, end, deadline in local time, reason and what helps', async () => {
		const {
			text,
			notice: key,
			row,
		} = await notice({
			execution: { executionContext },
			listed: [RECORDING],
		});
		const helps =
			'The folder is missing: create it, and let n8n write to it. In Docker, mount it as a volume.';
		const call = '+4930901820, Fri 27 Nov, 09:30 GMT+1, call {CALL-1}';
		assert.deepEqual(text.split('\n'), [
			'*archive-to-folder* has failed in *Write it*: https://n8n/1',
			`Recording at risk: ${call}, kept by the service until Fri 4 Dec, 09:30 GMT+1`,
			'Reason: The file or directory does not exist',
			`What helps: ${helps}`,
			'Recordings that are still at the service: 1',
		]);
		assert.equal(key, 'call-1 failed');
		const { to, from, endedAt } = RECORDING;
		const lastError = `The file or directory does not exist. ${helps}`;
		assert.deepEqual(row, {
			recordingKey: 'call-1',
			sessionGuid: '{CALL-1}',
			...{ to, from, endedAt, lastError },
		});
	});

	for (const [error, helps] of [
		[{ message: 'Access to the file is not allowed.' }, /N8N_RESTRICT_FILE_ACCESS_TO/],
		[{ message: 'ENOSPC: no space left on device, write' }, /^The disk is full/],
		[
			{ message: "EROFS: read-only file system, open '/proc/self/fd/44'" },
			/^The disk is read-only/,
		],
		[
			{ httpCode: '404', messages: ['404 - "<Code>NoSuchBucket</Code>"'], message: 'not found' },
			/^The bucket is missing/,
		],
		[{ message: 'Data table with name "VoiceAgent calls" not found' }, /execute create-ledger/],
		[{ httpCode: '404', message: 'x', description: 'File not found: abc.' }, /correct its ID/],
		[{ message: 'x', description: 'invalid_grant' }, /^The archive refuses the credential/],
	] as Array<[Json, RegExp]>) {
		test(`${JSON.stringify(error)} has a remedy`, async () => {
			const { text } = await notice({ error });
			assert.match(/^What helps: (.*)$/m.exec(text)?.[1] ?? text, helps);
		});
	}

	test('an error of a VoiceAgent node says itself what helps, and the deadline stands once', async () => {
		const description = `Enter the old one. The service keeps the recording {CALL-1} until ${ABOUT.keptUntil}.`;
		const metadata = { ...ABOUT, reason: 'wrongPasswordOrAltered' };
		const error = { message: 'wrong password', description, context: { metadata } };
		const { text, row } = await notice({ error, listed: [RECORDING] });
		assert.match(text, /Reason: wrong password\nWhat helps: Enter the old one\.\n/);
		assert.equal(row?.lastError, 'wrong password');
	});

	test('what else is at the service stands together by its reason, the first to be purged first', async () => {
		const others = ['call-2', 'call-3', 'call-4', 'call-5'].map((recordingKey, index) => ({
			...RECORDING,
			recordingKey,
			sessionGuid: recordingKey,
			hoursLeft: 160 - index,
		}));
		const rows = [
			...['call-2', 'call-3'].map((key) => ({
				recordingKey: key,
				lastError: 'No space. Free it.',
			})),
			{ recordingKey: 'call-4', archivedAt: RECORDING.endedAt },
		];
		const listed = [RECORDING, ...others];
		const { text } = await notice({ execution: { executionContext }, listed, rows });
		const purged = 'purged Fri 4 Dec, 09:30 GMT+1';
		const name = (key: string) => `+4930901820, Fri 27 Nov, 09:30 GMT+1, call ${key}`;
		assert.deepEqual(text.split('\n').slice(4), [
			'Recordings that are still at the service: 5',
			`- ${name('call-5')}, ${purged}: no attempt noted`,
			`- ${name('call-4')}, ${purged}: archived, and kept or not deleted yet`,
			`- 2 calls, the first ${purged}: No space`,
		]);
	});

	test('after a kill, it names the recordings that nobody has tried', async () => {
		const tried = { ...RECORDING, recordingKey: 'call-2', sessionGuid: 'call-2' };
		const {
			text,
			notice: key,
			row,
		} = await notice({
			error: { message: 'Workflow did not finish, possible out-of-memory issue' },
			listed: [RECORDING, tried],
			rows: [{ recordingKey: 'call-2', lastError: 'No space' }],
		});
		const [, about] = text.split('\n');
		const untried = '+4930901820, Fri 27 Nov, 09:30 GMT+1, call {CALL-1}';
		assert.equal(about, `The failure names no recording. No attempt is noted for ${untried}.`);
		assert.match(key, /^archive-to-folder Workflow did not finish, .* 2026-11-27$/);
		assert.equal(row, null);
	});

	test('a cause is the same for each call, and another one for each node, state, status and kind of error', async () => {
		const causeOf = async (message: string, more: Failure = {}, node = 'Write it') => {
			const error = { message, node: { name: node } };
			return (await notice({ execution: { executionContext }, error, ...more })).cause;
		};
		const first = await causeOf('No space for /archive/2026-11-27_0830_+4930901820_{CALL-1}.opus');
		const same = [
			await causeOf('No space for /archive/2026-11-28_0930_+4930901821_{CALL-2}.opus.'),
			await causeOf('No space for /archive/2026-11-28_0931_+4930901822_{CALL-3}.opus'),
		];
		for (const cause of same) assert.equal(cause, first);
		const soon = { ...RECORDING, keptUntil: '2026-11-28T08:30:00.000Z' };
		const causes = [
			first,
			await causeOf('No space for /archive/2026-11-27.opus', { listed: [soon] }),
			await causeOf('No space for /archive/2026-11-27.opus', {}, 'Write its metadata'),
			await causeOf('The archive answered with 403.'),
			await causeOf('The archive answered with 404.'),
			// A failure that names no recording stands alone.
			await causeOf('out of memory', { execution: {} }),
		];
		assert.equal(new Set(causes).size, causes.length, causes.join('\n'));
		for (const cause of causes) assert.doesNotMatch(cause, /CALL-1|4930901820/);
	});

	test('notices of the same cause become one message with a line for each of the first 20', async () => {
		const rows = Array.from({ length: 23 }, (_, index) => ({
			id: index + 1,
			cause: index === 4 ? 'another' : 'folder',
			text: `text ${index}`,
			summary: 'The folder is missing.',
			line: `- call ${index}`,
		}));
		const together = async (rowsOf: Json[], outputs: Outputs = {}) => {
			const input = rowsOf.map((json) => ({ json }));
			const node = 'Put the same causes together';
			const messages = await runCode('failure-notice', node, outputs, { now, input });
			return messages.map(({ json }) => json);
		};
		const [folder, another, ...others] = await together(rows);
		assert.deepEqual(others, []);
		const lines = String(folder?.text).split('\n');
		assert.equal(lines[0], '*22 calls:* The folder is missing.');
		assert.deepEqual(lines.slice(-2), ['- call 20', '- and 2 more']);
		assert.deepEqual([folder?.firstId, folder?.lastId, another?.text], [1, 23, 'text 4']);

		// Of one that was just stored, nothing is posted if an earlier one has the same cause.
		const [first = {}, second = {}] = rows;
		const stored = { 'Store the notice': [second] };
		assert.deepEqual(await together([first], stored), []);
		const [posted] = await together([second], stored);
		assert.equal(posted?.text, 'text 1');
		const failed = { 'Store the notice': [{ error: 'x' }], 'Write the notice': [{ text: 'it' }] };
		assert.deepEqual(await together([{ error: 'x' }], failed), [{ text: 'it' }]);

		// Telegram takes 4096 characters, and 20 lines with long names can be more.
		const long = rows.map((row) => ({ ...row, line: `- ${'x'.repeat(500)}` }));
		const [cut] = await together(long);
		assert.match(String(cut?.text), /^\*22 calls:\* The folder is missing\.\n- x+\n/);
		assert.ok(String(cut?.text).length <= 4096);
	});

	test('each state of a recording has a notice of its own, and a sweep has noted it itself', async () => {
		const node = { name: 'Report', type: 'n8n-nodes-base.stopAndError' };
		const said = (metadata: Json) => ({ message: 'x', node, context: { metadata } });
		const soon = { ...RECORDING, keptUntil: '2026-11-28T08:30:00.000Z' };
		const states: Array<[Failure, string, boolean]> = [
			[{ error: said(ABOUT), listed: [RECORDING] }, 'call-1 failed', false],
			[{ error: said(ABOUT), listed: [soon] }, 'call-1 alarm', false],
			[{ error: said({ ...ABOUT, lostAt: RECORDING.endedAt }) }, 'call-1 lost', false],
			// rescue-before-purge stops itself, after a node of ours has named the recording.
			[
				{ error: { message: 'x', node }, execution: { executionContext }, listed: [soon] },
				'call-1 archive-to-folder',
				true,
			],
			// Of a call whose recording is not at the service, nothing is noted.
			[{ execution: { executionContext } }, 'call-1 failed', false],
		];
		for (const [failure, expected, isNoted] of states) {
			const { notice: key, row } = await notice(failure);
			assert.deepEqual([key, row !== null], [expected, isNoted]);
		}
		const called = { executionContext, mode: 'integrated' };
		const { text, row } = await notice({ execution: called, listed: [RECORDING] });
		assert.deepEqual([text, row !== null], ['', true]);
	});
});

test('code fits into the editor of a node', () => {
	for (const name of workflowNames) {
		for (const { parameters, name: node } of readWorkflow(name).nodes) {
			const lines = String(parameters.jsCode ?? '')
				.trim()
				.split('\n').length;
			assert.ok(lines <= 60, `${name}, ${node}: ${lines}`);
		}
	}
});
