/** Reports about numbers by which a person is found: the cases `match` of test/vectors/field. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NODE, type NodeRun } from '../../harness/nodeRun.mts';
import { cases, runners, waitsFor } from '../fieldCases/cases.mts';
import { fieldCases } from '../fieldCases/suite.mts';
import { sharedEngine } from './engines.mts';

interface Search {
	/** The number that somebody looks for. */
	number: string;
	/** A row of the ledger, or a recording at the service. */
	item: NonNullable<NodeRun['items']>[number];
}

const engine = await sharedEngine();
const number = '+15550100100';
const [holds, doesNotHold] = [{ contains: '"match":"same"' }, { lacks: '"match":"same"' }];

fieldCases<Search>(
	'match',
	[{ input: { number, item: { to: number } }, holds, doesNotHold }],
	async (_t, { number: wanted, item }) => {
		const parameters = { resource: 'call', operation: 'matchNumber', number: wanted };
		const execution = await engine.runNode({ parameters, items: [item] });
		return { items: execution.items(NODE).map(({ json }) => json) };
	},
);

test('each field case has a runner', () => {
	const orphans = cases.filter(({ kind }) => !runners.has(kind));
	assert.deepEqual(orphans, []);
});

test('each field case that waits is there, and waits for one thing', () => {
	const ids = new Set(cases.map(({ id }) => id));
	assert.equal(ids.size, cases.length, 'ids are unique');
	assert.deepEqual(
		[...waitsFor.keys()].filter((id) => !ids.has(id)),
		[],
	);
});
