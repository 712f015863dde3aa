import assert from 'node:assert/strict';
import { suite, test, type TestContext } from 'node:test';

import type { Shapes } from '../../emulator/src/index.mts';
import type { Execution, Item, Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';
import { sharedEngine } from './engines.mts';
import { always, getMany, reply } from './oneRecording.mts';
import { assertFailed } from './outcome.mts';
import { ownService, type Reply } from './ownService.mts';

const engine = await sharedEngine();

suite('Get Many', () => {
	async function listed(parameters: Record<string, unknown>): Promise<Item[]> {
		const execution = await engine.runNode({ parameters: getMany(parameters) });
		assert.equal(execution.status, 'success', execution.error?.message);
		return execution.items(NODE);
	}

	test('outputs untouched records, and less by Limit and Simplify', async () => {
		const added: string[] = [];
		for (let index = 0; index < 3; index++) {
			added.push((await engine.emulator.control.addRecording()).sessionGuid);
		}
		const answer = await fetch(`${engine.emulator.url}/api/customer/recordings`, {
			headers: { Token: API_KEY },
		});
		const records = (await answer.json()) as Array<Record<string, Json>>;

		const all = await listed({ simple: false });
		assert.deepEqual(all.map(({ json }) => json.sessionGuid).sort(), added.sort());
		assert.deepEqual(
			all.map(({ json }) => json.recording),
			records,
		);
		for (const [index, { json }] of all.entries()) {
			const ended = Date.parse(String(records[index]?.endedAt));
			assert.equal(json.endedAt, new Date(ended).toISOString());
			assert.equal(json.keptUntil, new Date(ended + 7 * 86_400_000).toISOString());
			assert.equal(json.hoursLeft, 168);
		}

		const [simple, ...others] = await listed({ returnAll: false, limit: 2 });
		assert.equal(others.length, 1);
		assert.equal(simple?.json.recording, undefined);
		assert.equal(simple?.json.durationSeconds, records[0]?.durationSeconds);
	});

	const names = Array.from({ length: 20 }, (_, index) => `field${index}`);
	const many = Object.fromEntries(names.map((name) => [name, name]));
	for (const [what, record, others] of [
		[
			'ten fields of a record with many',
			{ sessionGuid: 'call-0001', nested: { value: 1 }, ...many },
			names.slice(0, 3),
		],
		[
			'the direction if the record shows it',
			{ sessionGuid: 'call-0001', Direction: 'incoming', ...many },
			['direction', ...names.slice(0, 2)],
		],
		[
			'no direction of a record with an unknown one',
			{ sessionGuid: 'call-0001', direction: 'sideways', ...many },
			names.slice(0, 3),
		],
		[
			'the session GUID once',
			{ SESSIONGUID: 'call-0001', SessionGuid: 'call-0001', note: 'x' },
			['note'],
		],
	] as const) {
		test(`outputs with Simplify ${what}`, async () => {
			always(engine, 'listRecordings', reply([record]));
			const [simple] = await listed({});
			assert.deepEqual(Object.keys(simple?.json ?? {}), [
				'sessionGuid',
				'recordingKey',
				'to',
				'from',
				'endedAt',
				'hoursLeft',
				'keptUntil',
				...others,
			]);
		});
	}

	test('counts the hours that are left by the clock of the service [fault 49]', async (t) => {
		const { control } = engine.emulator;
		const endedAt = new Date(control.now() - 6 * 86_400_000).toISOString();
		const { sessionGuid } = await control.addRecording({ endedAt });
		const hoursLeft = async () => {
			const items = await listed({});
			return items.find(({ json }) => json.sessionGuid === sessionGuid)?.json.hoursLeft;
		};
		assert.equal(await hoursLeft(), 24);
		await control.advanceClock(-20 * 3_600_000);
		t.after(async () => await control.advanceClock(20 * 3_600_000));
		assert.equal(await hoursLeft(), 44);
	});

	/** Reads a list whose pages are asked for by their number. */
	const readPages = async (t: TestContext, answer: (page: number) => Reply, more: object = {}) => {
		const { run, requests } = await ownService(t, engine, ({ query }) =>
			answer(Number(query.get('page') ?? 1)),
		);
		const execution = await run({ parameters: getMany(more) });
		const guids = execution.items(NODE).map(({ json }) => String(json.sessionGuid));
		const calls = guids.map((guid) => Number(guid.slice(-1)));
		return { execution, calls, requests: requests.length };
	};

	test('reads no further page than it needs', async (t) => {
		const endedAt = new Date().toISOString();
		const pages = [
			[{ sessionGuid: 'call-0001' }, { sessionGuid: 'call-0002' }],
			[{ sessionGuid: 'call-0003' }, { sessionGuid: 'call-0004', endedAt }],
			[{ sessionGuid: 'call-0005', endedAt }],
		];
		const answer = (page: number) => {
			const next = pages[page] && `/api/customer/recordings?page=${page + 1}`;
			return { body: { recordings: pages[page - 1], next } };
		};
		const read = async (limit: number) => {
			const { calls, requests } = await readPages(t, answer, { returnAll: false, limit });
			return [calls, requests];
		};
		assert.deepEqual(await read(2), [[1, 2], 1]);
		assert.deepEqual(await read(3), [[1, 2, 3], 2]);
		assert.deepEqual(await read(9), [[1, 2, 3, 4, 5], 3]);
	});

	const pageOf = (calls: number[], next?: number) => ({
		recordings: calls.map((call) => ({ sessionGuid: `call-000${call}` })),
		next: next && `?page=${next}`,
	});

	const again = /complete: \d were read, and asking for the next page brings the same one again\./;
	const odd: Array<[string, (page: number) => Reply, expected: number[], hint: RegExp]> = [
		[
			'with the same next page again',
			(page) => ({ body: pageOf(page === 1 ? [1] : [], 2) }),
			[1],
			again,
		],
		['with the same recordings again', (page) => ({ body: pageOf([1], page + 1) }), [1], again],
		[
			'that share a recording',
			(page) => ({ body: page === 1 ? pageOf([1, 2], 2) : pageOf([2, 3]) }),
			[1, 2, 3],
			/^$/,
		],
		['with status 206', () => ({ status: 206, body: pageOf([1]) }), [1], /the status is 206\./],
	];
	for (const [name, answer, expected, hint] of odd) {
		test(`outputs each recording of pages once: pages ${name}`, async (t) => {
			const { execution, calls } = await readPages(t, answer);
			assert.deepEqual(calls, expected);
			assert.match(execution.hints(NODE).join(), hint);
		});
	}

	test('asks for no further page after a quarter of an hour', async (t) => {
		const { now } = Date;
		t.after(() => (Date.now = now));
		const startMs = now();
		const { execution, requests } = await readPages(t, (page) => {
			Date.now = () => startMs + page * 8 * 60_000;
			return { body: pageOf([page], page + 1) };
		});
		assertFailed(execution, /incomplete: 2 were read, and reading all pages takes too long$/);
		assert.equal(requests, 2);
	});

	test('asks below the output whether the list is complete, with the field and the setting', async () => {
		const body = { recordings: [{ sessionGuid: 'call-0001' }], shown: '1/300' };
		always(engine, 'listRecordings', reply(body));
		const execution = await engine.runNode({ parameters: getMany() });
		assert.equal(execution.items(NODE).length, 1);
		const why = "1 were read, and the field 'shown' is 1/300";
		const question = new RegExp(`^It is not clear whether .* complete: ${why}\\. Set 'Paging'`);
		assert.match(String(execution.hints(NODE)), question);
	});
});

const keeping = await sharedEngine();
/** Recordings that stay at its service, oldest first. */
const kept: string[] = [];
for (let index = 0; index < 5; index++) {
	const endedAt = new Date(keeping.emulator.control.now() - (5 - index) * 60_000).toISOString();
	kept.push((await keeping.emulator.control.addRecording({ endedAt })).sessionGuid);
}

/** What the specification does not show, in every shape that the emulator can take. */
suite('unknowns of the list', () => {
	const { control } = keeping.emulator;
	const run = async (parameters: object = {}): Promise<Execution> =>
		await keeping.runNode({ parameters: getMany(parameters) });

	const lists: Array<Partial<Shapes>> = [
		{ list: 'recordings', recordFields: 'PascalCase' },
		{ list: 'items', listOrder: 'newestFirst' },
		{ list: 'paged', paging: 'nextUrl', pageSize: 2 },
		{ list: 'paged', paging: 'emptyPages', pageSize: 2 },
		{ list: 'paged', paging: 'pageNumber', pageSize: 2 },
		{ list: 'paged', paging: 'linkHeader', pageSize: 2 },
	];
	for (const shapes of lists) {
		test(`Get Many reads all recordings: ${Object.values(shapes).join(', ')}`, async () => {
			control.setShapes(shapes);
			const items = (await run({ simple: false })).items(NODE).map(({ json }) => json);
			assert.deepEqual(items.map(({ sessionGuid }) => sessionGuid).sort(), kept.toSorted());
			for (const { endedAt, hoursLeft } of items) {
				assert.ok(!Number.isNaN(Date.parse(String(endedAt))));
				assert.ok(Number(hoursLeft) > 167 && Number(hoursLeft) <= 168);
			}
		});
	}

	test('Get Many fails if it cannot ask for the next page, unless it has read enough', async () => {
		control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		assertFailed(
			await run(),
			/list of recordings is incomplete: 2 were read, and the field 'hasMore' is true/,
		);
		assert.equal((await run({ returnAll: false, limit: 2 })).items(NODE).length, 2);
	});
});
