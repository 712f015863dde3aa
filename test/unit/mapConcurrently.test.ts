import { sleep } from 'n8n-workflow';

import { mapConcurrently } from '../../nodes/VoiceAgent/mapConcurrently';

test('results have the order of the items, and no more tasks run at once than allowed', async () => {
	let running = 0;
	let most = 0;
	const results = await mapConcurrently([5, 1, 4, 2, 3, 1], 3, async (ms, index) => {
		most = Math.max(most, ++running);
		await sleep(ms * 5);
		running--;
		return `${index}:${ms}`;
	});
	expect(results).toEqual(['0:5', '1:1', '2:4', '3:2', '4:3', '5:1']);
	expect(most).toBe(3);
});

test('after a failure, no task begins; running ones end, and the first error is thrown', async () => {
	const started: number[] = [];
	const ended: number[] = [];
	const run = mapConcurrently([0, 1, 2, 3], 2, async (item) => {
		started.push(item);
		await sleep(item === 0 ? 30 : 5);
		ended.push(item);
		throw new Error(`item ${item}`);
	});
	await expect(run).rejects.toThrow('item 0');
	expect(started).toEqual([0, 1]);
	expect(ended).toEqual([1, 0]);
});

test('many items that need no time do not keep the event loop to themselves', async () => {
	let turns = 0;
	void sleep(0).then(() => (turns += 1));
	const seen = await mapConcurrently(Array(3_000).fill(0), 4, async () => turns);
	expect(seen.at(-1)).toBe(1);
});

test('no items have no results', async () => {
	await expect(mapConcurrently([], 4, async () => 1)).resolves.toEqual([]);
});
