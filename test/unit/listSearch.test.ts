import { findRecords } from '../../nodes/service/list/findList';
import { markAsLines } from '../../nodes/data/payload';

const A = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const B = '9b2d6c1a-0000-4000-8000-123456789abc';
const one = { sessionGuid: A, endedAt: '2026-11-14T12:00:00Z' };
const other = { sessionGuid: B, endedAt: '2026-11-14T13:00:00Z' };
const records = [one, other];
const guidsOnly = [{ sessionGuid: A }, { sessionGuid: B }];
/** A session GUID that is not a GUID. */
const SHORT = 'call_0001_x';
const unidentified = [{ reference: 1 }, { reference: 2 }];

const find = async (json: unknown, listField = '', sessionGuidField = '') =>
	(await findRecords(json, { listField, sessionGuidField })).records;

describe('the list is found', () => {
	test.each<[string, unknown, object[]]>([
		['at the top', records, records],
		['by its name', { recordings: records }, records],
		['under any name', { aufnahmen: records }, records],
		['without GUIDs, as the only list', { aufnahmen: unidentified }, unidentified],
		['one level down', { data: { items: records }, status: 'ok' }, records],
		['five levels down', { a: { b: { c: { d: { e: records } } } } }, records],
		['in an object in a list', [{ recordings: records, total: 2 }], records],
		[
			'in groups, one after the other',
			{
				days: [
					{ day: 1, calls: [one] },
					{ day: 2, calls: [other] },
				],
			},
			records,
		],
		['in lists of lists', [[one], [other]], records],
		['in nodes of a graph', { data: { recordings: { edges: [{ node: one }] } } }, [{ node: one }]],
		['beside warnings', { aufnahmen: records, errors: [], warnings: ['slow'] }, records],
		['beside a list of other things', { aufnahmen: records, filters: [{ name: 'day' }] }, records],
		['beside a list of other names', { recordings: [], users: [{ name: 'Ann' }] }, []],
		['beside related objects', { data: [], included: [{ type: 'call', id: 1 }] }, []],
		['beside identifiers', { recordings: unidentified, ids: [A, B] }, unidentified],
		['twice, the outer one', { recordings: records, page: { recordings: records } }, records],
		[
			'with lists in its records',
			{ data: [{ sessionGuid: A, recordings: [{ part: 1 }] }] },
			[{ sessionGuid: A, recordings: [{ part: 1 }] }],
		],
		['beside failures', { recordings: [], failures: guidsOnly }, []],
		['beside deleted ones', { active: records, deletedRecordings: guidsOnly }, records],
		['beside ones deleted lately', { recordings: [], recently_deleted: guidsOnly }, []],
		['those that are not deleted', { notDeleted: records, purged: guidsOnly }, records],
		['identifiers at the top', [A, B], guidsOnly],
		['identifiers by name', { recordings: [A, B] }, guidsOnly],
		[
			'identifiers that are not GUIDs',
			{ recordings: ['call_0001_x'] },
			[{ sessionGuid: 'call_0001_x' }],
		],
		['identifiers under any name', { data: { sessions: [A, B] } }, guidsOnly],
		[
			'values by identifier',
			{ recordings: { [A]: { format: 'mp3' }, [B]: { format: 'wav' } } },
			[
				{ format: 'mp3', sessionGuid: A },
				{ format: 'wav', sessionGuid: B },
			],
		],
		['values by identifier, at the top', { [A]: { n: 1 } }, [{ n: 1, sessionGuid: A }]],
		['values by identifier beside others', { [A]: { n: 1 }, total: 1 }, [{ n: 1, sessionGuid: A }]],
		['values by identifier that show their own', { recordings: { [A]: other } }, [other]],
		['text by identifier', { recordings: { [A]: 'a.wav' } }, [{ sessionGuid: A, value: 'a.wav' }]],
		[
			'an order and the records',
			{ result: [A, B], entities: { recordings: { [A]: { n: 1 } } } },
			[{ n: 1, sessionGuid: A }],
		],
		['by day', { '2026-11-14': records }, records],
		['by several days', { '2026-11-14': [one], '2026-11-15': [other] }, records],
		[
			'by days, under its name',
			{ recordings: { '2026-11-14': [one], '2026-11-15': [other] } },
			records,
		],
		['by year and month', { 2026: { 11: [one], 12: [other] } }, records],
		['by phone number', { calls: { '+15550100': [one], '+15550101': [other] } }, records],
		['by position, as PHP writes lists', { recordings: { 0: one, 3: other } }, records],
		['beside settings', { recordingSettings: [{ name: 'x' }], data: unidentified }, unidentified],
		['beside another thing', { otherRecording: [{ name: 'x' }], data: unidentified }, unidentified],
		['identifiers under a name', { sessionGuid: [SHORT] }, [{ sessionGuid: SHORT }]],
		['identifiers as the result', { result: [SHORT] }, [{ sessionGuid: SHORT }]],
		['identifiers as the value', { value: [SHORT] }, [{ sessionGuid: SHORT }]],
		[
			'further out, of two alike',
			{ items: unidentified, page: { items: [{ reference: 3 }] } },
			unidentified,
		],
		[
			'further in, if the other is empty',
			{ results: [], page: { items: unidentified } },
			unidentified,
		],
		['beside an empty one', { b: unidentified, a: [] }, unidentified],
		['under a name that ends like another', { myErrors: unidentified }, unidentified],
		['under a name that begins like another', { linksOfCalls: unidentified }, unidentified],
		...['error', 'warning', 'message', 'failure'].map((name): [string, unknown, object[]] => [
			`beside one ${name}`,
			{ [name]: [{ text: 'slow' }], aufnahmen: unidentified },
			unidentified,
		]),
		[
			'with recordings in its records',
			{ data: [{ sessionGuid: A, recordings: [other] }] },
			[{ sessionGuid: A, recordings: [other] }],
		],
		[
			'values by short identifiers',
			{ recordings: { [SHORT]: { n: 1 } } },
			[{ n: 1, sessionGuid: SHORT }],
		],
		['by long positions', { recordings: { 10: { n: 1 }, 11: { n: 2 } } }, [{ n: 1 }, { n: 2 }]],
		['as JSON in a text', { d: JSON.stringify(records) }, records],
		['as a text that is JSON', JSON.stringify({ recordings: records }), records],
	])('%s', async (_name, json, expected) => expect(await find(json)).toEqual(expected));
});

describe('an empty list', () => {
	test.each<[string, unknown]>([
		['a list', []],
		['under its name', { recordings: [] }],
		['under any name', { aufnahmen: [] }],
		['nothing, as with status 204', undefined],
		['null', null],
		['null under its name', { recordings: null }],
		['null under its name, nested', { data: { items: null }, status: 'ok', errors: [] }],
		['an empty object', {}],
		['an empty object under its name', { recordings: {} }],
		['two of them', { data: null, items: [] }],
	])('%s', async (_name, json) => expect(await find(json)).toEqual([]));
});

describe('refused', () => {
	test.each<[string, unknown, string]>([
		['text', 'text', ''],
		['no text', '', ''],
		['a number', 5, ''],
		['no list', { count: 0 }, ''],
		['a text in place of the list', { recordings: 'none' }, ''],
		['only errors', { errors: [] }, ''],
		['only links', { links: [{ rel: 'self', href: '/x' }] }, ''],
		['a list of other things', [1, 2], ''],
		['a list of mixed things', { recordings: [one, null] }, ''],
		['pairs', { recordings: [[A, { format: 'mp3' }]] }, ''],
		['words', { recordings: ['none yet'] }, ''],
		['a table', { columns: ['sessionGuid', 'endedAt'], rows: [[A, 'x y']] }, ''],
		['two lists', { a: unidentified, b: [{ reference: 3 }] }, 'several lists: a, b'],
		['numbered lists', { q1: unidentified, q2: [{ reference: 3 }] }, 'several lists: q1, q2'],
		['identifiers that are not GUIDs, under any name', { aufnahmen: [SHORT] }, ''],
		['values by such identifiers', { data: { [SHORT]: { n: 1 } } }, ''],
		['values by name', { recordings: { a1: { n: 1 } } }, ''],
		['values by number and name', { recordings: { '1a': { n: 1 } } }, ''],
		['two lists with GUIDs', { active: records, archived: guidsOnly }, 'active, archived'],
		[
			'two lists of the same name',
			{ eu: { recordings: records }, us: { recordings: guidsOnly } },
			'eu.recordings, us.recordings',
		],
		[
			'recordings without GUIDs beside calls with GUIDs',
			{ recordings: unidentified, calls: records },
			'several lists',
		],
	])('%s', async (_name, json, detail) => {
		const finding = find(json);
		await expect(finding).rejects.toMatchObject({ reason: 'unreadableList' });
		await expect(finding).rejects.toThrow(detail);
	});
});

describe('a list that the user names', () => {
	test.each<[string, unknown, string, object[]]>([
		['of several', { a: records, b: guidsOnly }, 'b', guidsOnly],
		['nested', { a: { b: records }, recordings: [] }, 'a.b', records],
		['with a dot in its name', { 'a.b': records }, 'a.b', records],
		['even among errors', { errors: records }, 'errors', records],
		['of identifiers', { x: ['call_0001_x'] }, 'x', [{ sessionGuid: 'call_0001_x' }]],
		['that is null', { x: null, recordings: records }, 'x', []],
		['whose records have numbers as names', { x: [{ 1: { n: 1 } }] }, 'x', [{ 1: { n: 1 } }]],
		['in elements of a list', [{ x: [one] }, { x: [other] }], 'x', records],
		['in a text', { d: JSON.stringify({ x: records, y: records }) }, 'd.x', records],
	])('%s', async (_name, json, field, expected) =>
		expect(await find(json, field)).toEqual(expected),
	);

	test.each<[string, unknown, string]>([
		['is missing', { recordings: records }, 'calls'],
		['is something else', { calls: 5, recordings: records }, 'calls'],
		['has none in a list', records, 'calls'],
	])('%s', async (_name, json, field) =>
		expect(find(json, field)).rejects.toMatchObject({
			reason: 'unreadableList',
			message: expect.stringContaining("'calls'"),
		}),
	);
});

test('the field that the user names for the session GUID', async () => {
	const nested = [{ call: { ref: A } }];
	expect(await find({ a: nested, b: [{ x: 1 }] }, '', 'call.ref')).toEqual(nested);
	expect(await find([A], '', 'call.ref')).toEqual([{ 'call.ref': A }]);
});

test('the objects around the list', async () => {
	const meta = { total: 2 };
	const inner = { items: records, hasMore: true };
	const json = { meta, data: inner };
	const { envelopes } = await findRecords(json, {});
	expect(envelopes).toEqual([json, inner]);
	expect((await findRecords(json, { listField: 'data.items' })).envelopes).toEqual([json, inner]);
	const keyed = { [A]: { n: 1 }, hasMore: true };
	expect((await findRecords(keyed, {})).envelopes).toEqual([keyed]);
});

test('the records of the other lists', async () => {
	const filters = [{ name: 'day' }];
	expect((await findRecords({ recordings: records, filters }, {})).others).toEqual(filters);
	expect((await findRecords({ recordings: records }, {})).others).toEqual([]);
});

test.each<[unknown, string | undefined]>([
	['text', 'it is text, not JSON'],
	[5, undefined],
	[{ count: 0 }, undefined],
])('of %j, which has no list, the error says no more than is true', async (json, detail) => {
	await expect(find(json)).rejects.toMatchObject({ detail });
});

test('the list is found 62 levels down, and no further', async () => {
	const nested = (levels: number) => {
		let json: unknown = unidentified;
		for (let level = 0; level < levels; level++) json = { a: json };
		return json;
	};
	expect(await find(nested(62))).toEqual(unidentified);
	await expect(find(nested(63))).rejects.toThrow('nested deeper than 64 levels');
});

test('of many groups, the objects around the first ten are read', async () => {
	const days = Array.from({ length: 20 }, (_, day) => ({ day, calls: [one] }));
	const { records, envelopes } = await findRecords({ days }, {});
	expect(records).toHaveLength(20);
	expect(envelopes).toEqual([{ days }, ...days.slice(0, 10)]);
});

test('of many lists, eleven are named', async () => {
	const lists = [...'abcdefghijklmnop'].map((name) => [name, unidentified]);
	await expect(find(Object.fromEntries(lists))).rejects.toThrow(
		/several lists: a, b, c, d, e, f, g, h, i, j, k$/,
	);
});

test('nothing need be named', async () => {
	expect((await findRecords([A, B], {})).records).toEqual(guidsOnly);
});

describe('JSON lines', () => {
	const about = { total: 2 };
	const end = { type: 'end' };
	test.each<[string, object[], object[], object[]]>([
		['with records only', records, records, []],
		['with one record', [one], [one], []],
		['with a line before them', [about, ...records], records, [about]],
		['with a line after them', [...records, end], records, [end]],
		['with a line before and after them', [about, one, end], [one], [about, end]],
		['that show no identifier', unidentified, unidentified, []],
		['with the list in the first line', [{ recordings: records, total: 2 }, end], records, []],
		['without a record, with two lines about it', [about, end], [about, end], []],
		[
			'with one record after a line about them',
			[about, { sessionGuid: A }],
			guidsOnly.slice(0, 1),
			[about],
		],
		[
			'with a session GUID in a list of a line only',
			[{ recordings: [A] }, { recordings: [B] }],
			guidsOnly,
			[{ recordings: [A] }, { recordings: [B] }],
		],
	])('%s', async (_name, lines, expected, envelopes) => {
		const found = await findRecords(markAsLines([...lines]), {});
		expect(found.records).toEqual(expected);
		if (envelopes.length > 0) expect(found.envelopes).toEqual(envelopes);
	});

	test('with a line that is no object', async () => {
		const { envelopes, records } = await findRecords(markAsLines(['begin', one, other]), {});
		expect(records).toEqual([one, other]);
		expect(envelopes).toEqual([]);
	});

	test('with records only: nothing is around them', async () => {
		expect((await findRecords(markAsLines([one, other]), {})).envelopes).toEqual([]);
	});

	test('with a list that the user names', async () => {
		const lines = markAsLines([about, { x: [one] }, { x: [other] }]);
		expect((await findRecords(lines, { listField: 'x' })).records).toEqual(records);
		const named = markAsLines([one, other]);
		await expect(findRecords(named, { listField: 'x' })).rejects.toThrow("'x'");
	});

	test('with a session GUID that the user names', async () => {
		const lines = markAsLines([about, { ref: A }]);
		const found = await findRecords(lines, { sessionGuidField: 'ref' });
		expect(found.records).toEqual([{ ref: A }]);
	});

	test('a list that was not lines has no line about it', async () => {
		const { envelopes } = await findRecords([about, one], {});
		expect(envelopes).toEqual([]);
	});
});
