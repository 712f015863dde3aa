import { sleep } from 'n8n-workflow';

import { withPauses } from '../../nodes/data/pauses';

test('n8n gets on with its other work before the first item, and after each thousand', async () => {
	let turns = 0;
	let isOver = false;
	const others = (async () => {
		for (; !isOver; turns++) await sleep(0);
	})();
	const pausedBefore: number[] = [];
	let turn = turns;
	for await (const item of withPauses(Array(2_001).keys())) {
		if (turns > turn) pausedBefore.push(item);
		turn = turns;
	}
	isOver = true;
	await others;
	expect(pausedBefore).toEqual([0, 1_000, 2_000]);
});
