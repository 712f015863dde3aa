import type { IExecuteFunctions } from 'n8n-workflow';

import { plainNumber } from '../../nodes/data/phoneNumbers';
import { assertMayPlace, requireMaxCalls } from '../../nodes/VoiceAgent/call/callGuard';
import { guardDestination } from '../../nodes/VoiceAgent/call/destinationGuard';

const guard =
	(to: unknown, patterns: string, field = 'to') =>
	() =>
		guardDestination({ to }, { destinationField: field, allowedDestinations: patterns });

test.each([
	['+15550100', '+1555*'],
	['+1 (555) 01-00', '+15550100'],
	['+4930123456', '+1555*, +4930??????'],
	[15550100, '1555*'],
	['123456789012345', `${'*?'.repeat(15)}`],
	['123', '?*?1*23, **3*'],
	['+123456789012345', '+*'],
])('%j is allowed by %j', (to, patterns) => {
	expect(guard(to, patterns)).not.toThrow();
});

test.each<[unknown, string, string | RegExp, string?]>([
	['+15560100', '+1555*', "+15560100 is not among the 'Allowed Destinations'"],
	['+4930123', '+4930??????', 'is not among'],
	['15550100', '+1555*', 'is not among'],
	['+1555.*', '+1555*', 'holds no phone number'],
	[undefined, '*', "the field 'to' holds no phone number"],
	[['+15550100'], '*', 'holds no phone number'],
	['sip:someone@example.com', '*', 'holds no phone number'],
	...[...'\u061c\u200f\u202b\u202e\u2067'].map((hidden): [string, string, string] => [
		`+1555${hidden}0199`,
		'+1555*',
		'holds no phone number',
	]),
	['+15550100', ' +1555|.* ', "has the pattern '+1555|.*'"],
	...[-15550100, 1555.5, 1e21, NaN, true].map((to): [unknown, string, string] => [
		to,
		'*',
		'holds no phone number',
	]),
	['+1234567890123456', '+*', 'holds no phone number of up to 15 digits'],
	// Checked at once.
	...[`${'*'.repeat(60)}+`, `${'*'.repeat(60)}9`, `${'*?'.repeat(9)}*9`].map(
		(pattern): [string, string, RegExp] => [
			'111111111111111',
			pattern,
			/is not among|has the pattern/,
		],
	),
	['+15550100', '*', "the field 'phone' holds no phone number", 'phone'],
	['+15550100', '', "'Allowed Destinations' must have"],
	['+15550100', ' , ', "'Allowed Destinations' must have"],
	['+15550100', '*', "'Destination Field' must be the name", ' '],
])('%j with %j is refused', (to, patterns, message, field = 'to') => {
	expect(guard(to, patterns, field)).toThrow(message);
});

test.each([
	['+1 (555) 01-00', '+15550100'],
	['+1555/0100', '+15550100'],
	['+15550100', '+15550100'],
	[15550100, 15550100],
])('%j is sent as it was checked', (given, sent) => {
	const body = { to: given, TO2: given };
	expect(guardDestination(body, { allowedDestinations: '*, +*' })).toEqual({ ...body, to: sent });
	expect(body.to).toBe(given);
});

test.each([
	[{ to: '+1', To: '+2' }, 'to', "'to', 'To'"],
	[{ TO: '+1', to: '+1' }, 'To', "'TO', 'to'"],
])('%j with the number in %s is refused', (body, field, names) => {
	const options = { destinationField: field, allowedDestinations: '*' };
	expect(() => guardDestination(body, options)).toThrow(
		`the number to call is in more than one field: ${names}`,
	);
});

test('calls up to the maximum are placed', () => {
	expect(() => requireMaxCalls(3, 3)).not.toThrow();
	expect(() => requireMaxCalls(999)).not.toThrow();
	expect(() => requireMaxCalls(4, 3)).toThrow('4 calls in one execution are more than');
});

test('numbers and patterns are read alike', () => {
	expect(plainNumber('0049 (0)30*')).toBe('+4930*');
	expect(plainNumber('1+49 (0)30')).toBe('1+49(0)30');
	expect(guard('+49 (0)30 12', '0049 30*')()).toEqual({ to: '+493012' });
});

test.each([
	[{ isTool: true }, {}, /needs 'Allowed Destinations' and 'Max Calls per Execution'/],
	[{ isTool: true }, { allowedDestinations: '+1*' }, /needs 'Allowed Destinations' and/],
	[{ isTool: true }, { maxCalls: 1 }, /needs 'Allowed Destinations' and/],
	[{ isTool: true }, { allowedDestinations: '+1*', maxCalls: 1 }, undefined],
	[{ mode: 'retry' }, { maxCalls: 1 }, /may have been placed before this Retry/],
	[{ mode: 'integrated' }, {}, /another workflow has started this one, .* Set 'Claimed By' or/],
	[{ mode: 'integrated', isTool: true }, { allowedDestinations: '+1*', maxCalls: 1 }, /Set 'Cl/],
	...['cli', 'error', 'internal', 'evaluation', 'chat', 'agent', 'new in n8n 9'].map(
		(mode): [object, object, RegExp] => [{ mode }, {}, /again.*Set 'Claimed By' or 'Place Once/],
	),
	...['cli', 'error', 'integrated', 'chat', 'new in n8n 9'].map(
		(mode): [object, object, undefined] => [{ mode }, { placeOnce: 'a' }, undefined],
	),
	...['manual', 'trigger', 'webhook'].map((mode): [object, object, undefined] => [
		{ mode },
		{},
		undefined,
	]),
	[{ mode: 'retry' }, { placeOnce: 'a' }, undefined],
	[{ mode: 'retry' }, { claimedBy: '7' }, undefined],
	[{}, { claimedBy: '6', placeOnce: 'a' }, /execution '6' has claimed it, not this one/],
	[{}, { claimedBy: '' }, /execution '' has claimed it/],
	[{ id: undefined }, { claimedBy: '__UNKNOWN__' }, /execution '__UNKNOWN__' has claimed it/],
	[{ id: '__UNKNOWN__' }, { claimedBy: '__UNKNOWN__' }, /execution '__UNKNOWN__' has claimed it/],
	[{}, { placeOnce: ' ' }, /'Place Once per Key' is empty/],
	[{}, {}, undefined],
])('%j with %j may place calls: %s', (execution, options, refusal) => {
	const given = { id: '7', mode: 'webhook', isTool: false, ...execution };
	const { id, mode, isTool } = given;
	const context = {
		getExecutionId: () => id,
		getMode: () => mode,
		// As in version 3 of the AI Agent.
		isToolExecution: () => false,
		getNode: () => ({ type: isTool ? 'x.voiceAgentTool' : 'x.voiceAgent' }),
	} as unknown as IExecuteFunctions;
	const check = expect(() => assertMayPlace(context, options));
	if (refusal) check.toThrow(refusal);
	else check.not.toThrow();
});
