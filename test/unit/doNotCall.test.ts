import { guardDestination } from '../../nodes/VoiceAgent/call/destinationGuard';

const call = (to: unknown, list: unknown) => () => guardDestination({ to }, { doNotCall: list });

test.each([
	['+4930123456', ['+442071838750', '+49 (0)30 123456']],
	['0049 30 123456', '+15550100, +4930123456'],
	['+4930123456', '+15550100\r\n+4930123456\r\n'],
	['+4930123456', '+15550100;+4930123456\n\n'],
	['+4930123456', [{ id: 7654321, number: '+49 30 123456', since: '2026-11-01T10:00:00.000Z' }]],
	['+4930123456', [{ number: '+49 30 123456', reason: 'asked on 2026-11-01', phone: null }]],
])('%j is on the list %j', (to, list) => {
	expect(call(to, list)).toThrow('+4930123456 is on the do-not-call list');
});

test.each([
	['+525512345678', '+52 1 55 1234 5678'],
	['+5215512345678', '+52 55 1234 5678'],
	['+541123456789', '+54 9 11 2345 6789'],
	['+5491123456789', '+54 11 15 2345 6789'],
	['+5511912345678', '+55 11 1234 5678'],
	['+551187654321', '+55 11 98765-4321'],
])('%s reaches the telephone of %s', (to, entry) => {
	expect(call(to, [entry])).toThrow(`${to} is on the do-not-call list`);
});

test('any other number is called, as it was given', () => {
	expect(call('+49 (0)30 123457', ['+4930123456'])()).toEqual({ to: '+4930123457' });
	expect(call('+5215512345678', ['+525512345679'])()).toEqual({ to: '+5215512345678' });
	expect(call('+49 (0)30 123457', ' none\n')()).toEqual({ to: '+4930123457' });
});

test.each(['030123456', '+49030123456', '+15550100100555', '+49 30 123456-0', 4930123456])(
	'%j, which is not clear, is not called',
	(to) => {
		expect(call(to, ['+15550100'])).toThrow(/is not clear|holds no phone number/);
	},
);

test.each<[unknown, string | RegExp]>([
	['', 'it is empty'],
	[[], 'it is empty'],
	[[null, ''], 'it is empty'],
	[undefined, 'it is not a list'],
	[{ number: '+15550100' }, 'it is not a list'],
	[['none'], "'none'"],
	[['+15550100', undefined], 'it has no such column'],
	[[undefined], 'it has no such column'],
	[['+15550100', ''], 'entry 2 is empty'],
	[['+15550100', ' '], 'entry 2 is empty'],
	[['+15550100', null, '+15550101'], 'entry 2 is empty'],
	['+15550100\n\n+15550101', 'entry 2 is empty'],
	['+15550100,', 'entry 2 is empty'],
	[['+15550100', '011 49 30 123457'], "'011 49 30 123457'"],
	[['+49 30 123472 / 73'], "'+49 30 123472 / 73'"],
	[['+1 1 555 555 0123'], "'+1 1 555 555 0123'"],
	[['+15550100100.0'], "'+15550100100.0'"],
	[[4930123456], "'4930123456'"],
	[[['+15550100']], `'["+15550100"]'`],
	['["+15550100"]', `'["+15550100"]'`],
	[['x'.repeat(65)], `'${'x'.repeat(64)}'`],
	[[{ number: '+15550100' }, { number: '' }], 'entry 2 is empty'],
	[[{ number: '+15550100' }, { number: null, phone: '+15550199' }], /another number.*'phone'/],
	[[{ number: '+15550100', number2: '+15550199' }], /entry 1 .* in the column 'number2'/],
	[[{ number: '+15550100', mobile: 4915123456789 }], /in the column 'mobile'/],
	[[{ number: '+15550100', notes: 'or 030 / 123456' }], /in the column 'notes'/],
	[[{ number: '+15550100', more: ['+15550199'] }], /in the column 'more'/],
	[[{ phone: '+15550100' }], 'it has no such column'],
	[[{ Number: '+15550100' }], 'it has no such column'],
])('a list that cannot be used stops all calls: %j', (list, why) => {
	const unusable = typeof why === 'string' ? `'Do Not Call' cannot be used: ${why}` : why;
	expect(call('+442079460958', list)).toThrow(unusable);
});
