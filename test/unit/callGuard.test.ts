import { requireAllowedDestination } from '../../nodes/shared/callGuard';

const guard =
	(to: unknown, patterns: string, field = 'to') =>
	() =>
		requireAllowedDestination({ to, call: { number: to } }, field, patterns);

test.each([
	['+15550100', '+1555*'],
	['+1 (555) 01-00', '+15550100'],
	['+4930123456', '+1555*, +4930??????'],
	[15550100, '1555*'],
	['0301234', '\n030*\n'],
])('%j is allowed by %j', (to, patterns) => {
	expect(guard(to, patterns)).not.toThrow();
	expect(guard(to, patterns, 'call.number')).not.toThrow();
});

test.each([
	['+15560100', '+1555*', '+15560100 is not among the Allowed Destinations'],
	['+4930123', '+4930??????', 'is not among'],
	['15550100', '+1555*', 'is not among'],
	['+1555.*', '+1555*', 'holds no phone number'],
	['', '*', 'holds no phone number'],
	[undefined, '*', "the field 'to' holds no phone number"],
	[['+15550100'], '*', 'holds no phone number'],
	['sip:someone@example.com', '*', 'holds no phone number'],
	['+15550100', '', "'Allowed Destinations' is empty"],
	['+15550100', '+1555|.*', "has the pattern '+1555|.*'"],
])('%j with %j is refused', (to, patterns, message) => {
	expect(guard(to, patterns)).toThrow(message);
});

test('a field that is missing is refused', () => {
	expect(guard('+15550100', '*', 'phone')).toThrow("the field 'phone' holds no phone number");
});
