import type { JsonAnswer } from '../../nodes/service/http/request';
import * as requests from '../../nodes/service/http/request';
import * as transport from '../../nodes/service/http/transport';
import { recordingPages } from '../../nodes/service/recordings';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const context = {} as Parameters<typeof recordingPages>[0];

/** What the list gives if the service answers as given, by the number of the request. */
async function read(answer: (request: number) => unknown) {
	let count = 0;
	let open = 0;
	let most = 0;
	jest.spyOn(transport, 'serviceAccess').mockResolvedValue({
		baseUrl: 'https://service.example',
		apiKey: 'k'.repeat(32),
		named: {
			listField: '',
			sessionGuidField: '',
			callEndField: '',
			calledNumberField: '',
			callerNumberField: '',
		},
		paging: { mode: 'automatic' },
		query: {},
		documentPath: undefined,
		data: {},
		secrets: [],
	});
	jest.spyOn(requests, 'request').mockImplementation(async (): Promise<JsonAnswer> => {
		count += 1;
		open += 1;
		most = Math.max(most, open);
		const json = await Promise.resolve(answer(count));
		open -= 1;
		return { status: 200, headers: {}, json, serviceTimeMs: NOW, secrets: [] };
	});
	const guids: unknown[] = [];
	let problem = '';
	for await (const { recordings, incomplete } of recordingPages(context)) {
		guids.push(...recordings.map(({ sessionGuid }) => sessionGuid));
		if (incomplete) problem = `${incomplete.reason}: ${incomplete.detail}`;
	}
	return { recordings: guids.length, requests: count, problem, most };
}

const record = (number: number) => ({ sessionGuid: `call-${String(number).padStart(6, '0')}` });

describe('pages that never end', () => {
	afterEach(() => jest.restoreAllMocks());

	test('empty ones: no more than 100 in a row', async () => {
		expect(await read((request) => ({ recordings: [], nextCursor: `c${request}` }))).toEqual({
			recordings: 0,
			requests: 100,
			problem: 'unclearList: 0 were read, and the last 100 pages have no records',
			most: 1,
		});
	});

	test('99 empty ones between two with records are read', async () => {
		const answer = (request: number) => {
			const isFilled = request === 1 || request === 101;
			const nextCursor = request === 101 ? null : `c${request}`;
			return { recordings: isFilled ? [record(request)] : [], nextCursor };
		};
		expect(await read(answer)).toMatchObject({ recordings: 2, requests: 101, problem: '' });
	});

	test('with what was read before: no further one', async () => {
		const answer = (request: number) => ({
			recordings: [record(request === 1 ? 1 : 2), record(2)],
			nextCursor: `c${request}`,
		});
		expect(await read(answer)).toMatchObject({ recordings: 2, requests: 2 });
	});

	test('with something new each time: 10,000', async () => {
		const answer = (request: number) => ({
			recordings: [record(request)],
			nextCursor: `c${request}`,
		});
		expect(await read(answer)).toEqual({
			recordings: 10_000,
			requests: 10_000,
			problem: 'incompleteList: 10000 were read, and there are more than 10000 pages',
			most: 1,
		});
	});

	test('as many as there may be', async () => {
		const answer = (request: number) => ({
			recordings: [record(request)],
			nextCursor: request === 10_000 ? null : `c${request}`,
		});
		expect(await read(answer)).toMatchObject({ recordings: 10_000, problem: '' });
	});
});
