import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NODE, type NodeRun } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();

test('Match Number adds to each item whether it has the number, and asks the service for nothing', async () => {
	const parameters = { resource: 'call', operation: 'matchNumber', number: '(020) 7946 0123' };
	const items: NonNullable<NodeRun['items']> = [
		{ id: 1, to: '+44 20 7946 0123' },
		{ id: 2, to: '+15550100', from: '+442079460124' },
		{ id: 3, recording: { caller: '020 7946 0123' } },
	];
	const execution = await engine.runNode({ parameters, items });
	const wanted = { lookedFor: '(020) 7946 0123', readAs: null, pattern: '%4%6%0%1%2%3%' };
	assert.deepEqual(
		execution.items(NODE).map(({ json }) => json),
		[
			{ ...items[0], ...wanted, match: 'unclear', matched: '+44 20 7946 0123' },
			{ ...items[1], ...wanted, match: 'none', matched: null },
			{ ...items[2], ...wanted, match: 'unclear', matched: '020 7946 0123' },
		],
	);
	assert.deepEqual(engine.emulator.control.requests(), []);
});

test('Match Number: an empty number matches nothing, and one without a value is refused', async () => {
	const match = async (number: string) => {
		const parameters = { resource: 'call', operation: 'matchNumber', number };
		return await engine.runNode({ parameters, items: [{ to: '' }] });
	};
	const [item] = (await match('')).items(NODE);
	assert.deepEqual([item?.json.match, item?.json.pattern], ['none', null]);
	assertFailed(await match('={{ $json.none }}'), /^'Number' must be text/);
});
