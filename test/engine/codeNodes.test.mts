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
			'When someone asks': [{ query }],
			'Note the access': [{ id: 1, ticket: 'abc', what: 'open' }],
			'Get calls from the ledger': rows,
		};
		const [item] = await runCode('find-a-call', 'Choose what to show', outputs);
		return item?.json ?? {};
	};
	const call = {
		sessionGuid: 'call-1',
		number: HOSTILE,
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
			[{ call: ' {CALL-1} ', play: HOSTILE }, archived],
			[{ call: HOSTILE }, { error: { message: HOSTILE } }],
			[
				{ q: [HOSTILE], call: { a: HOSTILE } },
				{ ...call, sessionGuid: HOSTILE },
			],
		] as const) {
			assertSafe(await choose(query, [row]));
		}
		const asked = {
			'When a page asks': [{ query: { number: HOSTILE } }],
			'Choose what goes': [{ calls: HOSTILE, where: 'Unclear', file: HOSTILE }],
		};
		const names = ['problems', 'wouldRemove', 'removed', 'notRemoved', 'removeByHand', 'onHold'];
		const report = Object.fromEntries(names.map((name) => [name, [HOSTILE]]));
		const [item] = await runCode('forget-caller', 'Write the page', asked, {
			input: [{ json: report }],
		});
		assert.doesNotMatch(String(item?.json.html), /<img|onerror=alert\(1\)>|'<\/script><script>/);
	});

	test('nothing is shown if n8n silently fails to write the access or to read the ledger', async () => {
		const problem = async (noted: Json, rows: Json[]) => {
			const outputs = {
				'When someone asks': [{ query: { call: 'call-1' } }],
				'Note the access': [noted],
				'Get calls from the ledger': rows,
			};
			const [item] = await runCode('find-a-call', 'Choose what to show', outputs);
			assert.equal(item?.json.call, null);
			return String(item.json.problem);
		};
		const row = { id: 1, sessionGuid: 'call-1', number: '+4930123' };
		assert.match(await problem(row, [row]), /could not be noted: n8n did not say why/);
		const noted = { id: 1, what: 'open' };
		assert.match(await problem(noted, [{ headers: {}, query: {} }]), /ledger could not be read/);
	});

	test('a call of another session GUID is not shown', async () => {
		const { call: shown, problem } = await choose({ call: 'call-2' }, [call]);
		assert.deepEqual([shown, problem], [null, 'The ledger does not know this call.']);
	});
});

suite('forget-caller: whose calls go', () => {
	const NUMBER = '+4930123456';
	interface Known {
		rows?: Json[];
		listed?: Json[];
		number?: string;
		olderThanDays?: number;
	}
	/** What would go, by place; `unclear` and `onHold` stay. */
	const choose = async ({ rows = [], listed = [], number = NUMBER, olderThanDays = 0 }: Known) => {
		const outputs = {
			Settings: [{ number, olderThanDays, reallyRemove: false, folderFilesAreGone: false }],
			'Get calls from the ledger': rows.map((row, index) => ({ id: index + 1, ...row })),
			'List recordings at the service': listed.map((recording) => ({
				sessionGuid: 'Call-1',
				recording,
			})),
		};
		const items = await runCode('forget-caller', 'Choose what goes', outputs);
		const at = (place: string) =>
			items.filter(({ json }) => json.place === place).map(({ json }) => json.sessionGuid);
		return {
			ledger: at('Ledger'),
			service: at('Service'),
			unclear: at('Unclear'),
			held: at('On hold'),
		};
	};
	const ofRow = async (text: unknown, number?: string) => {
		const rows = [{ sessionGuid: 'call-1', number: text }];
		const { ledger, unclear } = await choose({ rows, number });
		return ledger.length > 0 ? 'same' : unclear.length > 0 ? 'unclear' : 'other';
	};

	// One telephone, as services, switchboards and people write it.
	const same = [
		'+49 30 123456',
		'+49 (30) 12-34.56',
		'+49 (0)30 123456',
		'+49(0)30/123456',
		'0049 30 123456',
		'00 49 (0) 30 123456',
		'sip:+4930123456@192.0.2.1:5060;user=phone',
		'<sips:%2B4930123456@example.com>',
		'"Jane" <sip:+4930123456;npdi@example.com>;tag=1',
		'tel:+49-30-123456',
		'TEL:+49-30-123456;phone-context=example.com',
		'＋４９ ３０ １２３４５６',
		'\u202A+49 30 123456\u202C',
	];
	for (const text of same) {
		test(`${text} is the number`, async () => {
			assert.equal(await ofRow(text), 'same');
			assert.equal(await ofRow(NUMBER, text), 'same');
		});
	}

	// It may be the same telephone. Nobody is forgotten by a guess, and nobody is overlooked.
	for (const text of [
		'030 123456',
		'4930123456',
		'011 49 30 123456',
		'+49 030 123456',
		'+49 49 30 123456',
		'+49 30 123456 ext 2',
		'+49 30 123456x2',
		'tel:+4930123456;ext=2',
		'+49 30 123456 / 57',
		'+49 30 123456-0',
		'sip:30123456@example.com',
		'+4930123456, +4940999999',
		4930123456,
	]) {
		test(`${text} is unclear`, async () => {
			assert.equal(await ofRow(text), 'unclear');
			if (typeof text !== 'string') return;
			assert.equal(await ofRow(NUMBER, text), 'unclear', 'asked for in this form');
			assert.equal(await ofRow(text, text), 'same', 'as it is written');
		});
	}
	test('two valid forms of one telephone are unclear', async () => {
		for (const [one, other] of [
			['+525512345678', '+52 1 55 1234 5678'],
			['+541123456789', '+54 9 11 2345 6789'],
			['+551112345678', '+55 11 91234-5678'],
			['+3906698124', '+39 6 698124'],
		] as const) {
			assert.equal(await ofRow(one, other), 'unclear');
			assert.equal(await ofRow(other, one), 'unclear');
		}
	});

	for (const text of [
		'+4930123457',
		'+49301234567',
		'+4130123456',
		'+49 30 12345',
		'',
		null,
		'unknown',
		{},
	]) {
		test(`${JSON.stringify(text)} is another number`, async () => {
			assert.equal(await ofRow(text), 'other');
		});
	}
	test('without a number, nobody is forgotten', async () => {
		for (const number of ['', ' ', '+', 'unknown']) {
			for (const text of ['', number, NUMBER]) assert.equal(await ofRow(text, number), 'other');
		}
	});

	test('numbers are read from fields of numbers only, at any depth', async () => {
		for (const recording of [
			{ to: NUMBER },
			{ FROM: NUMBER },
			{ from: { phoneNumber: NUMBER, name: 'Jane' } },
			{ call: { legs: [{ Caller: [NUMBER] }] } },
			{ participants: [{ number: NUMBER }] },
		]) {
			assert.deepEqual((await choose({ listed: [recording] })).service, ['call-1']);
		}
		for (const recording of [
			{ sizeBytes: 4930123456, durationSeconds: '4930123456' },
			{ note: NUMBER, summary: `Call ${NUMBER} back` },
			{ files: { sizeBytes: 4930123456 } },
		]) {
			const { service, unclear } = await choose({ listed: [recording] });
			assert.deepEqual([service, unclear], [[], []]);
		}
		// What is below a field of numbers is a number only in international form.
		const listed = [{ from: { id: '4930123456' } }];
		const { service, unclear } = await choose({ listed, number: '4930123456' });
		assert.deepEqual([service, unclear], [[], ['call-1']]);
	});

	test('calls from the number are found, in the ledger too', async () => {
		for (const from of [NUMBER, JSON.stringify({ phoneNumber: NUMBER, name: 'Jane' })]) {
			const rows = [{ sessionGuid: 'call-1', number: '+4940999999', from }];
			assert.deepEqual((await choose({ rows })).ledger, ['call-1']);
		}
	});

	test('a call is held by any of its rows, however its session GUID is written', async () => {
		const listed = [{ to: NUMBER }];
		for (const hold of [
			{ sessionGuid: 'call-1', hold: true },
			{ sessionGuid: '{CALL-1}', hold: true, number: '' },
		]) {
			const rows = [{ sessionGuid: 'call-1', number: NUMBER, archive: 'S3', file: 'a.mp3' }, hold];
			const { service, ledger, held } = await choose({ rows, listed });
			assert.deepEqual([service, ledger, new Set(held)], [[], [], new Set(['call-1'])]);
			assert.deepEqual((await choose({ rows: [hold], listed })).service, []);
			const old = [{ ...hold, endedAt: '2020-01-01T00:00:00.000Z' }];
			assert.deepEqual((await choose({ rows: old, number: '', olderThanDays: 1 })).ledger, []);
		}
	});

	test('a file stays if another call has it too, or if its archive is not known', async () => {
		const placesOf = async (row: Json, ...others: Json[]) => {
			const mine = {
				sessionGuid: 'call-1',
				number: NUMBER,
				archive: 'S3',
				file: 'a/x.opus',
				...row,
			};
			const items = await runCode('forget-caller', 'Choose what goes', {
				Settings: [{ number: NUMBER, olderThanDays: 0 }],
				'Get calls from the ledger': [mine, ...others].map((one, index) => ({
					id: index + 1,
					...one,
				})),
				'List recordings at the service': [],
			});
			return [...new Set(items.map(({ json }) => String(json.place)))].join();
		};
		const other = { sessionGuid: 'call-2', number: '+4940999999', archive: 'S3' };
		assert.equal(await placesOf({}), 'S3,Ledger');
		assert.equal(await placesOf({}, { ...other, file: 'a/y.opus' }), 'S3,Ledger');
		const elsewhere = { ...other, file: 'a/x.opus', archive: 'SFTP' };
		assert.equal(await placesOf({}, elsewhere), 'S3,Ledger');
		// The metadata and the transcript have the same names.
		for (const file of ['a/x.opus', 'a/X.mp3']) {
			assert.equal(await placesOf({}, { ...other, file }), 'Stays');
		}
		const held = { ...other, number: NUMBER, file: 'a/x.opus', hold: true };
		assert.equal(await placesOf({}, held), 'Stays,On hold');
		for (const archive of ['Dropbox', '', null, 'constructor']) {
			assert.equal(await placesOf({ archive }), 'Stays', String(archive));
		}
	});

	test('all rows of a call go, and rows without a session GUID alone', async () => {
		const rows = [
			{ sessionGuid: 'call-1', number: NUMBER },
			{ sessionGuid: 'call-1', hold: false },
			{ sessionGuid: '', number: NUMBER },
			{ sessionGuid: '', number: '+4940999999' },
		];
		assert.deepEqual((await choose({ rows })).ledger, ['call-1', 'call-1', 'of row 3']);
	});

	test('a long text takes no long time', async () => {
		const start = performance.now();
		const digits = '1'.repeat(500_000);
		const spaces = ' '.repeat(500_000);
		for (const text of [`sip:${digits}${spaces}`, `+4930${spaces}123${digits}`]) {
			assert.equal(await ofRow(text), 'other');
			assert.equal(await ofRow(NUMBER, text), 'other');
		}
		assert.ok(performance.now() - start < 5_000, 'quadratic time would be minutes');
	});
});

suite('forget-caller: what is gone', () => {
	const CALL = { sessionGuid: 'call-1', isHeld: false };
	const chosen = (where: string, more: Json = {}) => ({ ...CALL, where, place: where, ...more });
	const atService = chosen('Service', { file: 'Call-1' });
	const row = chosen('Ledger', { row: 7 });
	const gone = async (outputs: Outputs) => {
		const items = await runCode('forget-caller', 'Find calls that are forgotten', {
			'Choose what goes': [atService, row],
			'Delete recording from service': [{ sessionGuid: 'Call-1', deleted: true }],
			'List what is left at the service': [{}],
			...outputs,
		});
		const { problems } = items.at(-1)?.json as { problems: string[] };
		return { rows: items.slice(0, -1).map(({ json }) => json.row), problems };
	};
	const record = { sessionGuid: '{CALL-1}', recording: {} };

	test('the row goes if the service no longer lists the recording, or lists it as deleted', async () => {
		for (const left of [[{}], [{ sessionGuid: 'call-2' }]]) {
			const outputs = { 'List what is left at the service': left };
			assert.deepEqual(await gone(outputs), { rows: [7], problems: [] });
		}
		for (const recording of [{ deletedAt: '2026-01-01T00:00:00Z' }, { status: 'Deleted' }]) {
			const outputs = { 'List what is left at the service': [{ ...record, recording }] };
			assert.deepEqual((await gone(outputs)).rows, [7]);
		}
	});

	for (const [name, outputs, reason] of [
		[
			'a refused delete',
			{ 'Delete recording from service': [{ error: 'on legal hold' }] },
			/on legal hold \(call call-1\)/,
		],
		[
			'a recording that is still listed',
			{ 'List what is left at the service': [record] },
			/still lists it \(call call-1\)/,
		],
		[
			'a list that cannot be read',
			{ 'List what is left at the service': [{ error: { message: 'HTTP 500' } }] },
			/not known .*HTTP 500/,
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
			/^S3: 403$/,
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
				'Choose what goes': [{ ...row, really: true, file: 'its row' }],
				'Find calls that are forgotten': [{ row: 0, problems: [], failed: [] }],
				'Delete the rows from the ledger': deletedRows,
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

suite('play-a-call: Send the part', () => {
	const whole = randomBytes(9_000_000);
	const binary = { data: { data: whole.toString('base64') } };
	const send = async (headers: Json, changed: Outputs = {}, query: Json = {}) => {
		const outputs: Outputs = {
			'When a player asks': [{ query, headers }],
			'Get the access': [{ id: 1 }],
			'Get the call from the ledger': [{ id: 2, file: 'calls/ü 1.mp3' }],
			'Read the recording from the folder': [{ json: {}, binary }],
			...changed,
		};
		const input = [{ json: { data: headers.range === undefined ? undefined : binary.data.data } }];
		const [item] = await runCode('play-a-call', 'Send the part', outputs, { input });
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
			[{ 'Read the recording from the folder': [{ error: 'refused' }] }, 404, /archive: refused/],
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
		return item?.json as { text: string; once: string; row: Json | null };
	};
	const executionContext = ABOUT;

	test('names node, number, end, deadline in local time, reason and what helps', async () => {
		const { text, once, row } = await notice({
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
		assert.equal(once, 'call-1 failed');
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
		const { text, once, row } = await notice({
			error: { message: 'Workflow did not finish, possible out-of-memory issue' },
			listed: [RECORDING, tried],
			rows: [{ recordingKey: 'call-2', lastError: 'No space' }],
		});
		const [, about] = text.split('\n');
		const untried = '+4930901820, Fri 27 Nov, 09:30 GMT+1, call {CALL-1}';
		assert.equal(about, `The failure names no recording. No attempt is noted for ${untried}.`);
		assert.match(once, /^archive-to-folder Workflow did not finish, .* 2026-11-27$/);
		assert.equal(row, null);
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
			const { once, row } = await notice(failure);
			assert.deepEqual([once, row !== null], [expected, isNoted]);
		}
		const called = { executionContext, mode: 'integrated' };
		const { text, row } = await notice({ execution: called, listed: [RECORDING] });
		assert.deepEqual([text, row !== null], ['', true]);
	});
});

test('a workflow of a page has few nodes, and code that fits into the editor', () => {
	for (const [name, most] of [
		// A report and a page, of what both look at.
		['report-and-status', 23],
		['find-a-call', 13],
		['play-a-call', 13],
		['failure-notice', 13],
	] as const) {
		assert.ok(workflowNames.includes(name));
		const nodes = readWorkflow(name).nodes.filter(({ type }) => !type.endsWith('.stickyNote'));
		assert.ok(nodes.length <= most, `${name}: ${nodes.length}`);
		for (const { parameters, name: node } of nodes) {
			const lines = String(parameters.jsCode ?? '')
				.trim()
				.split('\n').length;
			assert.ok(lines <= 52, `${name}, ${node}: ${lines}`);
		}
	}
});
