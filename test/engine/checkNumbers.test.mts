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
	const numbers = ['+1 555-0100', '0049 30 123456', '+52 1 55 1234 5678', '+15550100100555'];
	const execution = await check({ numbers }, '+49 30 123456, +525512345678');
	const mexican = { to: '+5215512345678', comparedAs: '+525512345678' };
	assert.deepEqual(
		execution.items(NODE).map(({ json }) => json),
		[
			{ number: numbers[0], to: '+15550100', comparedAs: '+15550100', isBlocked: false },
			{ number: numbers[1], to: '+4930123456', comparedAs: '+4930123456', isBlocked: true },
			{ number: numbers[2], ...mexican, isBlocked: true },
			{ number: numbers[3], to: null, comparedAs: null, isBlocked: false },
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
