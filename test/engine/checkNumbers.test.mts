import assert from 'node:assert/strict';
import { test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();
const check = async (item: { numbers?: string | string[] }, doNotCall = 'none') =>
	await engine.runNode({
		parameters: {
			resource: 'call',
			operation: 'checkNumbers',
			numbers: '={{ $json.numbers }}',
			doNotCall,
		},
		items: [item],
	});

test('Check Numbers: each number in the one form, and whether it is on the list', async () => {
	const numbers = ['+1 555-0100', '0049 30 123456', '030 123456'];
	const execution = await check({ numbers }, '+49 30 123456, +33 1 23456789');
	assert.deepEqual(
		execution.items(NODE).map(({ json }) => json),
		[
			{ number: numbers[0], to: '+15550100', isBlocked: false },
			{ number: numbers[1], to: '+4930123456', isBlocked: true },
			{ number: numbers[2], to: null, isBlocked: false },
		],
	);
	assert.deepEqual(engine.emulator.control.requests(), []);
});

test('Check Numbers takes one number alone, and refuses none', async () => {
	const [item, ...others] = (await check({ numbers: '+15550100' })).items(NODE);
	assert.deepEqual(others, []);
	assert.equal(item?.json.to, '+15550100');
	assertFailed(await check({}), /^'Numbers' has no value/);
});
