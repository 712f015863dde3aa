import type { IExecuteFunctions } from 'n8n-workflow';

import { plainNumber } from '../../nodes/data/phoneNumbers';
import { requireMayPlace, requireMaxCalls } from '../../nodes/VoiceAgent/call/callGuard';
import { guardDestination } from '../../nodes/VoiceAgent/call/destinationGuard';

/** Reads the body of a call, and checks its number. */
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

test.each<[unknown, string, string]>([
	['+15560100', '+1555*', "+15560100 is not among the 'Allowed Destinations'"],
	['+4930123', '+4930??????', 'is not among'],
	['15550100', '+1555*', 'is not among'],
	['+1555.*', '+1555*', 'holds no phone number'],
	[undefined, '*', "the field 'to' holds no phone number"],
	[['+15550100'], '*', 'holds no phone number'],
	['sip:someone@example.com', '*', 'holds no phone number'],
	['+15550100', ' +1555|.* ', "has the pattern '+1555|.*'"],
	['+1234567890123456', '+*', 'holds no phone number of up to 15 digits'],
	['+15550100', '', "'Allowed Destinations' must have"],
	['+15550100', ' , ', "'Allowed Destinations' must have"],
])('%j with %j is refused: %s', (to, patterns, message) => {
	expect(guard(to, patterns)).toThrow(message);
});

test.each([...'\u061c\u200f\u202b\u202e\u2067'])(
	'a number with the hidden character %j is refused',
	(hidden) => {
		expect(guard(`+1555${hidden}0199`, '+1555*')).toThrow('holds no phone number');
	},
);

test.each([-15550100, 1555.5, 1e21, NaN, true])('%p is refused: it is no phone number', (to) => {
	expect(guard(to, '*')).toThrow('holds no phone number');
});

// A regular expression with as many wildcards would take forever.
test.each([`${'*'.repeat(60)}+`, `${'*'.repeat(60)}9`, `${'*?'.repeat(9)}*9`])(
	'the pattern %j is compared without delay',
	(pattern) => {
		expect(guard('111111111111111', pattern)).toThrow(/is not among|has the pattern/);
	},
);

test.each([
	['phone', "the field 'phone' holds no phone number"],
	[' ', "'Destination Field' must be the name"],
])('with %j as the field of the number, a call is refused: %s', (field, message) => {
	expect(guard('+15550100', '*', field)).toThrow(message);
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
])('%j with the number in %s is refused: both %s may be read', (body, field, names) => {
	const options = { destinationField: field, allowedDestinations: '*' };
	expect(() => guardDestination(body, options)).toThrow(
		`the number to call is in more than one field: ${names}`,
	);
});

test('calls up to the maximum may be placed, and no more', () => {
	expect(() => requireMaxCalls(3, 3)).not.toThrow();
	expect(() => requireMaxCalls(999)).not.toThrow();
	expect(() => requireMaxCalls(4, 3)).toThrow('4 calls in one execution are more than');
});

test('a number and a pattern are written in the same ways', () => {
	expect(plainNumber('0049 (0)30*')).toBe('+4930*');
	expect(plainNumber('1+49 (0)30')).toBe('1+49(0)30');
	expect(guard('+49 (0)30 12', '0049 30*')()).toEqual({ to: '+493012' });
});

/** An execution, by default of a webhook, with the id 7. */
interface GivenExecution {
	id?: string;
	mode?: string;
	isTool?: boolean;
}

const placing = (execution: GivenExecution, options: object) => () => {
	const given = { id: '7', mode: 'webhook', isTool: false, ...execution };
	const context = {
		getExecutionId: () => given.id,
		getMode: () => given.mode,
		// As in version 3 of the AI Agent.
		isToolExecution: () => false,
		getNode: () => ({ type: given.isTool ? 'x.voiceAgentTool' : 'x.voiceAgent' }),
	} as unknown as IExecuteFunctions;
	requireMayPlace(context, options);
};

test.each<[GivenExecution, object, RegExp]>([
	[{ isTool: true }, {}, /needs 'Allowed Destinations' and 'Max Calls per Execution'/],
	[{ isTool: true }, { allowedDestinations: '+1*' }, /needs 'Allowed Destinations' and/],
	[{ isTool: true }, { maxCalls: 1 }, /needs 'Allowed Destinations' and/],
	[{ mode: 'retry' }, { maxCalls: 1 }, /may have been placed before this Retry/],
	[{ mode: 'integrated' }, {}, /another workflow has started this one, .* Set 'Claimed By' or/],
	[{ mode: 'integrated', isTool: true }, { allowedDestinations: '+1*', maxCalls: 1 }, /Set 'Cl/],
	[{}, { claimedBy: '6', placeOnce: 'a' }, /execution '6' has claimed it, not this one/],
	[{}, { claimedBy: '' }, /execution '' has claimed it/],
	[{ id: undefined }, { claimedBy: '__UNKNOWN__' }, /execution '__UNKNOWN__' has claimed it/],
	[{ id: '__UNKNOWN__' }, { claimedBy: '__UNKNOWN__' }, /execution '__UNKNOWN__' has claimed it/],
	[{}, { placeOnce: ' ' }, /'Place Once per Key' is empty/],
])('an execution %j with the options %j may not place calls: %s', (execution, options, why) => {
	expect(placing(execution, options)).toThrow(why);
});

test.each(['cli', 'error', 'internal', 'evaluation', 'chat', 'agent', 'new in n8n 9'])(
	'an execution in the mode %s may not place calls without a claim or a key',
	(mode) => {
		expect(placing({ mode }, {})).toThrow(/again.*Set 'Claimed By' or 'Place Once/);
	},
);

test.each<[GivenExecution, object]>([
	[{}, {}],
	[{ mode: 'manual' }, {}],
	[{ mode: 'trigger' }, {}],
	[{ mode: 'webhook' }, {}],
	[{ isTool: true }, { allowedDestinations: '+1*', maxCalls: 1 }],
	[{ mode: 'retry' }, { placeOnce: 'a' }],
	[{ mode: 'retry' }, { claimedBy: '7' }],
	[{ mode: 'cli' }, { placeOnce: 'a' }],
	[{ mode: 'error' }, { placeOnce: 'a' }],
	[{ mode: 'integrated' }, { placeOnce: 'a' }],
	[{ mode: 'chat' }, { placeOnce: 'a' }],
	[{ mode: 'new in n8n 9' }, { placeOnce: 'a' }],
])('an execution %j with the options %j may place calls', (execution, options) => {
	expect(placing(execution, options)).not.toThrow();
});
