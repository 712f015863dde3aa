import { sleep } from 'n8n-workflow';

import { First, mapWithBreaks, sortWithBreaks, withBreaks } from '../../nodes/data/breaks';
import { findRecords } from '../../nodes/service/list/findList';
import { parseJson } from '../../nodes/data/parseJson';
import { readPages } from '../../nodes/service/list/pages';
import { jsonText } from '../../nodes/data/writeJson';

jest.mock('n8n-workflow', () => ({ sleep: jest.fn() }));
const workflow = jest.requireActual<{ sleep(ms: number): Promise<void> }>('n8n-workflow');

/** Work that takes time by the clock of the test, and how much of it was done in each turn of the event loop. */
let clockMs = 1_000_000;
let turns: number[][];
beforeEach(() => {
	turns = [[]];
	jest.spyOn(Date, 'now').mockImplementation(() => clockMs);
	jest.mocked(sleep).mockImplementation(async (ms) => {
		await workflow.sleep(ms);
		turns.push([]);
	});
});
// What the test before has begun ends first.
afterEach(async () => await sleep(0));

function work(ms: number): void {
	clockMs += ms;
	turns.at(-1)?.push(ms);
}

/** How long n8n had to wait, each time. */
const busyMs = () => turns.map((turn) => turn.reduce((sum, ms) => sum + ms, 0));

/** The same ones in each run, with many alike. */
const shuffled = (length: number) =>
	Array.from({ length }, (_, index) => ({ key: (index * 7919) % 97, index }));
const byKey = (a: { key: number }, b: { key: number }) => a.key - b.key;

async function* each<T>(items: readonly T[]) {
	yield* items;
}

describe.each<[string, (items: number[]) => Promise<unknown[]>]>([
	['a list', (items) => mapWithBreaks(items, (ms) => (work(ms), ms))],
	[
		'chunks',
		async (items) => {
			const seen: number[] = [];
			for await (const ms of withBreaks(each(items))) {
				work(ms);
				seen.push(ms);
			}
			return seen;
		},
	],
])('%s', (_name, go) => {
	test('short work takes no break', async () => {
		expect(await go([1, 2, 3])).toEqual([1, 2, 3]);
		expect(busyMs().filter(Boolean)).toEqual([6]);
	});

	test('long work takes a break each time that 15 ms are over', async () => {
		const items = Array.from({ length: 100 }, () => 1);
		expect(await go(items)).toEqual(items);
		const full = busyMs().filter(Boolean).slice(0, -1);
		expect(Math.min(...full)).toBe(15);
		// The first one after a break does not count.
		expect(Math.max(...full)).toBe(16);
	});
});

test('computations that follow one another share the time', async () => {
	for (const ms of [10, 10, 10]) await mapWithBreaks([ms], work);
	expect(busyMs().filter(Boolean)).toEqual([20, 10]);
});

describe('sorting', () => {
	test.each([0, 1, 2, 999, 1_000, 1_001, 2_000, 5_500])('%i items', async (length) => {
		const items = shuffled(length);
		const before = [...items];
		expect(await sortWithBreaks(items, byKey)).toEqual([...before].sort(byKey));
		expect(items).toEqual(before);
	});

	test('takes breaks', async () => {
		// 1,000 items take about 15 ms, to merge all of them takes about 70 ms.
		await sortWithBreaks(shuffled(10_000), (a, b) => {
			work(0.002);
			return byKey(a, b);
		});
		expect(Math.max(...busyMs())).toBeLessThan(40);
	});
});

describe('the first few of many', () => {
	test.each([1, 3, 1_000])('%i, of pages of any length', async (count) => {
		const first = new First<{ key: number; index: number }>(count, byKey);
		const items = shuffled(5_000);
		for (const end of [1, 900, 4_000, 4_001, 5_000]) {
			const start = { 900: 1, 4_000: 900, 4_001: 4_000, 5_000: 4_001 }[end] ?? 0;
			await first.add(items.slice(start, end));
		}
		expect(await first.sorted()).toEqual([...items].sort(byKey).slice(0, count));
	});

	test('are sorted out only when many have come together, so that the others leave the memory', async () => {
		const compare = jest.fn(byKey);
		const first = new First(2, compare);
		for (const item of shuffled(1_004)) await first.add([item]);
		expect(compare).not.toHaveBeenCalled();
		await first.add(shuffled(1));
		expect(compare).toHaveBeenCalled();
	});
});

const records = Array.from({ length: 200 }, (_, index) => ({ id: index }));
test.each<[string, () => Promise<unknown>]>([
	['reading JSON', async () => await parseJson(JSON.stringify(records))],
	['writing JSON', async () => await jsonText(records)],
	['searching a list', async () => await findRecords({ a: { b: records } }, {})],
	[
		'reading a list',
		async () => {
			const fetchPage = async () => ({ json: records });
			const pages = readPages(fetchPage, { identify: ({ id }) => String(id) });
			while (!(await pages.next()).done);
		},
	],
])('%s takes breaks', async (_name, go) => {
	// Each look at the clock takes a millisecond.
	jest.mocked(Date.now).mockImplementation(() => (clockMs += 1));
	await go();
	expect(turns.length).toBeGreaterThan(5);
});
