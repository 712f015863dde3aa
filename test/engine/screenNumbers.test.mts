import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Json } from '../../harness/n8n/n8n.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { sharedEngine } from './engines.mts';
import { assertFailed } from './outcome.mts';

const engine = await sharedEngine();
const check = async (item: Record<string, Json>, values: object = {}) =>
	await engine.runNode({
		parameters: {
			resource: 'call',
			operation: 'screenNumbers',
			numbers: '={{ $json.numbers }}',
			doNotCall: 'none',
			...values,
		},
		items: [item],
	});
const UNCLEAR = 'the number is not clear: enter + and all digits, such as +15550100';
const LISTED = 'the number is on the do-not-call list';

test('Screen Numbers: each number in the one form, whether to call it, and why not', async () => {
	const numbers = [
		'+1 555-0100',
		'0049 30 123456',
		'+52 1 55 1234 5678',
		'+15550100100555',
		'001 555 0100',
	];
	const execution = await check({ numbers }, { doNotCall: '+49 30 123456, +525512345678' });
	const first = { to: '+15550100', comparedAs: '+15550100', isBlocked: false };
	const german = { to: '+4930123456', comparedAs: '+4930123456', isBlocked: true };
	const mexican = { to: '+5215512345678', comparedAs: '+525512345678', isBlocked: true };
	const unclear = { to: null, comparedAs: null, isBlocked: false };
	const repeated = 'an earlier number reaches the same telephone';
	assert.deepEqual(
		execution.items(NODE).map(({ json }) => json),
		[
			{ number: numbers[0], ...first, call: true, reason: null },
			{ number: numbers[1], ...german, call: false, reason: LISTED },
			{ number: numbers[2], ...mexican, call: false, reason: LISTED },
			{ number: numbers[3], ...unclear, call: false, reason: UNCLEAR },
			{ number: numbers[4], ...first, call: false, reason: repeated },
		],
	);
	assert.deepEqual(engine.emulator.control.requests(), []);
});

test('Screen Numbers takes rows of a table as n8n has them, each with its time zone', async () => {
	const row = (id: number, number: string | null, zone: string | null) => ({
		json: { id, number, zone },
		pairedItem: 0,
	});
	const numbers = [
		row(1, '+15550100', 'Etc/GMT'),
		row(2, '+15550101', 'Mars/Olympus'),
		row(3, '', null),
		row(4, '+881612345678', null),
		row(5, '+4930123456', null),
	];
	const doNotCall = '={{ $json.numbers.slice(4) }}';
	const options = { callingHours: '00:00-24:00' };
	const items = (await check({ numbers }, { doNotCall, options })).items(NODE);
	assert.deepEqual(
		items.map(({ json: { id, call, reason } }) => [id, call, reason]),
		[
			[1, true, null],
			[2, false, "'Time Zone' has 'Mars/Olympus': enter one such as Europe/Berlin"],
			[3, false, UNCLEAR],
			[4, false, "the time zone of +881612345678 is not known: enter 'Time Zone'"],
			[5, false, LISTED],
		],
	);
	const [{ json } = { json: {} }] = items;
	assert.equal(json.zone, 'Etc/GMT');
});

test('Screen Numbers takes one number alone, and refuses what is no number', async () => {
	const [item, ...others] = (await check({ numbers: '+15550100' })).items(NODE);
	assert.deepEqual(others, []);
	assert.equal(item?.json.to, '+15550100');
	assertFailed(await check({}), /^'Numbers' has no value/);
	assertFailed(await check({ numbers: [{ phone: '+1' }] }), /^'Numbers' has no column 'number'/);
	// The item that n8n puts out for an empty table.
	const empty = { numbers: '+15550100', list: [{ json: {} }] };
	assertFailed(await check(empty, { doNotCall: '={{ $json.list }}' }), /: it is empty/);
	const options = { callingHours: 'always' };
	assertFailed(await check({ numbers: '+15550100' }, { options }), /^'Calling Hours' has 'always'/);
});
