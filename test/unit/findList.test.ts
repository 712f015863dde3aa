import { VoiceAgentError } from '../../nodes/errors';
import { findList } from '../../nodes/service/list/findList';

const guid = '6f1c2a34-5d0e-4b7a-8c11-0a9b3e5f7d21';
const records = [{ sessionGuid: guid, seconds: 60 }];
const live = [{ sessionGuid: '9a8e4c02-13f6-4d5b-b7e0-2c4d6f8a1b32' }];

interface Named {
	listField?: string;
	sessionGuidField?: string;
}

const unnamed = {
	listField: '',
	sessionGuidField: '',
	calledNumberField: '',
	callerNumberField: '',
};
const find = (document: unknown, named: Named = {}) => findList(document, { ...unnamed, ...named });

function problemIn(document: unknown, named?: Named): string {
	try {
		return `found ${find(document, named).path}`;
	} catch (error) {
		return error instanceof VoiceAgentError ? `${error.reason}: ${error.detail}` : String(error);
	}
}

describe('the list is', () => {
	test.each<[string, unknown, string]>([
		['the answer itself', records, ''],
		['the list with a usual name', { tags: [], data: records, errors: [] }, 'data'],
		['in any spelling', { Call_Recordings: records }, 'Call_Recordings'],
		['the only list', { appointments: records, status: 'ok' }, 'appointments'],
		['deeper', { a: { b: { c: records } } }, 'a.b.c'],
		['the outermost with a usual name', { data: { items: records, page: {} } }, 'data.items'],
		['the one whose records show session GUIDs', { users: [{ id: 1 }], calls: records }, 'calls'],
		['the one of those with a usual name', { a: records, b: { data: records } }, 'b.data'],
		['the one that is not empty', { entries: [], order: records }, 'order'],
		['HAL', { _embedded: { recordings: records }, _links: {} }, '_embedded.recordings'],
		['that of bare session GUIDs', { calls: [guid] }, 'calls'],
		['the outermost of those with a usual name', { data: records, a: { items: live } }, 'data'],
	])('%s', (_name, document, path) => {
		const found = find(document);
		expect(found.path).toBe(path);
		expect(found.records).toMatchObject([{ sessionGuid: guid }]);
	});

	test.each([
		[undefined, ''],
		[null, ''],
		[{}, ''],
		[[], ''],
		[{ recordings: [] }, 'recordings'],
		[{ data: null }, 'data'],
		[{ data: { items: [] } }, 'data.items'],
	])('empty in %j', (document, path) =>
		expect(find(document)).toMatchObject({ records: [], path, others: [] }),
	);

	test.each(['recordings', 'callRecordings', 'recording_list'])(
		'%s, whether it is empty or not, beside other lists',
		(path) => {
			const others = { activeCalls: live };
			expect(find({ [path]: [], ...others })).toMatchObject({ records: [], path, others: live });
			expect(find({ [path]: records, ...others })).toMatchObject({ records, path, others: live });
		},
	);

	test('that of two lists with usual names which is not empty', () =>
		expect(find({ data: [], items: [{ id: 1 }] }).path).toBe('items'));

	test.each([
		['{"a":1}', 'it is text, not JSON'],
		[5, 'it is text, not JSON'],
		[{ message: 'hello' }, 'it has no list'],
		[{ recordings: { [guid]: { seconds: 60 } } }, 'it has no list'],
		[{ data: [1, 2] }, 'it has no list'],
		[{ data: [...records, 1] }, 'it has no list'],
		[{ calls: [guid, 'call_0001'] }, 'it has no list'],
		[{ calls: records, queue: live }, 'it has several lists: calls, queue'],
		[{ data: records, items: live }, 'it has several lists: data, items'],
	])('unclear in %j: %s', (document, detail) =>
		expect(problemIn(document)).toBe(`unreadableList: ${detail}`),
	);

	test('the one in the field that the user names', () => {
		const document = { data: live, a: { b: records } };
		expect(find(document, { listField: 'a.b' })).toMatchObject({
			records,
			path: 'a.b',
			others: [],
		});
		expect(find({ a: null }, { listField: 'a' }).records).toEqual([]);
		expect(problemIn(document, { listField: 'a.c' })).toBe(
			"unreadableList: it has no list in its field 'a.c'",
		);
	});

	test('that of records with the session GUID in the field that the user names', () => {
		const named = { users: [{ id: 1 }], calls: [{ ref: guid }] };
		expect(find(named, { sessionGuidField: 'ref' }).path).toBe('calls');
		expect(find({ calls: [guid] }, { sessionGuidField: 'ref' }).records).toEqual([{ ref: guid }]);
	});
});

test('a list is not searched for more than 8 levels down, nor in a large object', () => {
	const deep = (levels: number): unknown => (levels === 0 ? records : { inner: deep(levels - 1) });
	expect(find(deep(8)).records).toEqual(records);
	expect(problemIn(deep(9))).toBe('unreadableList: it has no list');
	const wide = (fields: number) => ({ calls: records, ...Array(fields - 1).fill(0) });
	expect(find({ wide: wide(1_000) }).path).toBe('wide.calls');
	expect(problemIn({ wide: wide(1_001) })).toBe('unreadableList: it has no list');
});
