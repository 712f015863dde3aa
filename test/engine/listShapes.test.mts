import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import type { Execution } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';
import { ownService } from './ownService.mts';

const engine = await sharedEngine();

type Reply = [body: string, headers?: Record<string, string>, status?: number];

/** Lists the recordings of a service that answers as given. */
async function listed(
	t: TestContext,
	service: (query: URLSearchParams) => Reply,
	options: Record<string, unknown> = {},
): Promise<Execution> {
	const { voiceAgentApi } = await ownService(t, engine, ({ query }) => {
		const [body, headers, status] = service(query);
		return { body, headers, status };
	});
	return await engine.runNode({
		parameters: { resource: 'recording', operation: 'getMany', returnAll: true, options },
		items: [{}],
		credentials: { voiceAgentApi },
	});
}

const guids = Array.from({ length: 5 }, () => crypto.randomUUID());
const records = guids.map((sessionGuid) => ({ sessionGuid, endedAt: '2026-11-14T12:00:00Z' }));
const json = JSON.stringify(records);

function assertListed(execution: Execution, expected = guids): void {
	assert.equal(execution.status, 'success', execution.nodeError(NODE)?.message);
	const found = execution.items(NODE).map((item) => item.json.sessionGuid);
	assert.deepEqual(found, expected);
}

suite('shapes of the list', () => {
	const shapes: Array<[string, string, string?]> = [
		['a byte order mark', `\ufeff${json}`],
		['identifiers', JSON.stringify({ recordings: guids })],
	];
	for (const [name, body, type = 'application/json'] of shapes) {
		test(name, async (t) => assertListed(await listed(t, () => [body, { 'content-type': type }])));
	}

	const at = Date.UTC(2026, 10, 14, 12);
	for (const [spelled, expected] of [
		['2026-11-14T13:00:00+01:00', at],
		['2026-11-14 12:00:00', at],
		['Sat, 14 Nov 2026 12:00:00 GMT', at],
		['14 November 2026, 12:00', null],
		[`/Date(${at})/`, at],
		[at / 1000, at],
		[at, at],
		['03/04/2026 12:00', null],
		['0001-01-01T00:00:00', null],
	] as Array<[unknown, number | null]>) {
		test(`the end of the call as ${JSON.stringify(spelled)}`, async (t) => {
			const list = JSON.stringify([{ sessionGuid: guids[0], endedAt: spelled }]);
			const [item] = (await listed(t, () => [list])).items(NODE);
			const iso = expected === null ? null : new Date(expected).toISOString();
			assert.equal(item?.json.callEndedAt, iso);
		});
	}

	const refused: Array<[string, string, RegExp]> = [
		['two lists', JSON.stringify({ a: records, b: records.slice(1) }), /several lists: a, b/],
		['JSON lines', records.map((one) => JSON.stringify(one)).join('\n'), /it is text, not JSON/],
		['values by identifier', JSON.stringify({ recordings: { a: records[0] } }), /it has no list/],
		['cut off', json.slice(0, -1), /in an unknown shape: it is text, not JSON/],
		['CSV', `sessionGuid,endedAt\n${guids[0]},2026-11-14T12:00:00Z`, /it is text, not JSON/],
		['XML', `<?xml version="1.0"?><list><id>${guids[0]}</id></list>`, /answered with a web page/],
	];
	for (const [name, body, message] of refused) {
		test(`${name}: refused`, async (t) => assertFailed(await listed(t, () => [body]), message));
	}
});

suite('pages in headers', () => {
	/** Two records on a page. */
	const page = (number: number) => JSON.stringify(records.slice((number - 1) * 2, number * 2));
	const numberOf = (query: URLSearchParams) => Number(query.get('page') ?? 1);

	const followed: Array<[string, (number: number) => Record<string, string>]> = [
		['X-Next-Page', (number) => ({ 'X-Next-Page': number < 3 ? String(number + 1) : '' })],
		['X-Page and X-Total-Pages', (number) => ({ 'X-Page': String(number), 'X-Total-Pages': '3' })],
		[
			'X-Pagination',
			(number) => ({
				'X-Pagination': JSON.stringify({ CurrentPage: number, HasNext: number < 3 }),
			}),
		],
	];
	const link = '<https://h/r?page=1>; rel="first", <https://h/r?page=3>; rel="last"';
	followed.push([
		'Link',
		(number) => ({
			Link: number < 3 ? `${link}, <https://h/r?page=${number + 1}>; rel=next` : link,
		}),
	]);
	for (const [name, headers] of followed) {
		test(`${name}: followed`, async (t) =>
			assertListed(await listed(t, (query) => [page(numberOf(query)), headers(numberOf(query))])));
	}

	for (const [name, headers] of [
		['X-Total-Count', { 'X-Total-Count': '5' }],
		['X-Has-More', { 'X-Has-More': 'true' }],
		['Content-Range', { 'Content-Range': 'items 0-1/5' }],
		['X-Total-Pages', { 'X-Total-Pages': '3' }],
	] as Array<[string, Record<string, string>]>) {
		test(`${name}, and nothing that can be followed: incomplete`, async (t) =>
			assertFailed(await listed(t, () => [page(1), headers]), /list of recordings is incomplete/));
	}

	test('a link to another page as the last one: a question', async (t) => {
		const headers = { Link: '<https://h/r?page=3>; rel="last"' };
		const execution = await listed(t, () => [page(1), headers]);
		assertListed(execution, guids.slice(0, 2));
		assert.match(String(execution.hints(NODE)), /not clear .* 'last' is .*Set 'Paging' in the/);
	});

	test('a whole list is not incomplete', async (t) => {
		const headers = {
			Link: '<https://h/r?page=1>; rel="last"',
			'X-Total-Count': '5',
			'X-Total-Pages': '1',
			'X-RateLimit-Limit': '900',
		};
		assertListed(await listed(t, () => [json, headers]));
	});
});
