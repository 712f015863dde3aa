import { requireMaxCalls, withAllowedDestination } from '../../nodes/VoiceAgent/call/callGuard';

const guard =
	(to: unknown, patterns: string, field = 'to') =>
	() =>
		withAllowedDestination({ to }, field, patterns);

test.each([
	['+15550100', '+1555*'],
	['+1 (555) 01-00', '+15550100'],
	['+4930123456', '+1555*, +4930??????'],
	[15550100, '1555*'],
	['123456789012345', `${'*?'.repeat(15)}`],
	['123', '?*?1*23, **3*'],
])('%j is allowed by %j', (to, patterns) => {
	expect(guard(to, patterns)).not.toThrow();
});

test.each([
	['+15560100', '+1555*', "+15560100 is not among the 'Allowed Destinations'"],
	['+4930123', '+4930??????', 'is not among'],
	['15550100', '+1555*', 'is not among'],
	['+1555.*', '+1555*', 'holds no phone number'],
	[undefined, '*', "the field 'to' holds no phone number"],
	[['+15550100'], '*', 'holds no phone number'],
	['sip:someone@example.com', '*', 'holds no phone number'],
	['+15550100', '+1555|.*', "has the pattern '+1555|.*'"],
])('%j with %j is refused', (to, patterns, message) => {
	expect(guard(to, patterns)).toThrow(message);
});

test.each([-15550100, 1555.5, 1e21, NaN, true])('%j is no phone number', (to) =>
	expect(guard(to as never, '*')).toThrow('holds no phone number'),
);

test.each([
	['+1 (555) 01-00', '+15550100'],
	['+1555/0100', '+15550100'],
	['+15550100', '+15550100'],
	[15550100, 15550100],
])('%j is sent as it was checked', (given, sent) => {
	const body = { to: given, TO2: given };
	expect(withAllowedDestination(body, 'to', '*, +*')).toEqual({ ...body, to: sent });
	expect(body.to).toBe(given);
});

test('a number has at most 15 digits', () => {
	expect(guard('+123456789012345', '+*')).not.toThrow();
	expect(guard('+1234567890123456', '+*')).toThrow('holds no phone number of up to 15 digits');
});

test.each([`${'*'.repeat(60)}+`, `${'*'.repeat(60)}9`, `${'*?'.repeat(9)}*9`])(
	'%s is checked at once',
	(pattern) => expect(guard('111111111111111', pattern)).toThrow(/is not among|has the pattern/),
);

test('a field that is missing is refused', () => {
	expect(guard('+15550100', '*', 'phone')).toThrow("the field 'phone' holds no phone number");
});

test.each(['', ' , '])('the patterns %j are refused', (patterns) =>
	expect(guard('+15550100', patterns)).toThrow("'Allowed Destinations' must have"),
);

test('a field without a name is refused', () =>
	expect(guard('+15550100', '*', ' ')).toThrow("'Destination Field' must be the name"));

test.each([
	[{ to: '+1', To: '+2' }, 'to', "'to', 'To'"],
	[{ TO: '+1', to: '+1' }, 'To', "'TO', 'to'"],
])('%j with the number in %s is refused', (body, field, names) => {
	expect(() => withAllowedDestination(body, field, '*')).toThrow(
		`the number to call is in more than one field: ${names}`,
	);
});

test('calls up to the maximum are placed', () => {
	expect(() => requireMaxCalls(3, 3)).not.toThrow();
	expect(() => requireMaxCalls(999)).not.toThrow();
	expect(() => requireMaxCalls(4, 3)).toThrow('4 calls in one execution are more than');
});
