import fc from 'fast-check';

import { guardDestination } from '../../nodes/VoiceAgent/call/destinationGuard';
import { isJsonObject } from '../../nodes/data/json';
import { documents } from './arbitraries';
import { outcomeOf, property } from './property';

/**
 * Whether a number fits a pattern, with `*` for any digits and `?` for one. Other than the tested
 * code, it uses no regular expression, but all places that the pattern may have got to.
 */
function fits(number: string, pattern: string): boolean {
	let ends = new Set([0]);
	for (const mark of pattern) {
		const next = new Set<number>();
		for (const end of ends) {
			if (mark === '*') {
				for (let at = end; at <= number.length; at++) next.add(at);
			} else if (end < number.length && (mark === '?' || mark === number[end])) {
				next.add(end + 1);
			}
		}
		ends = next;
	}
	return ends.has(number.length);
}

const digits = (maxLength: number) =>
	fc.string({ unit: fc.constantFrom('0', '1', '5'), minLength: 1, maxLength });
const numbers = fc.oneof(
	{
		arbitrary: fc.tuple(fc.constantFrom('', '+'), digits(16)).map((parts) => parts.join('')),
		weight: 6,
	},
	fc.string({ unit: fc.constantFrom(...'+015 ()-./\u00a0\t\n٣,;xX*?'), maxLength: 16 }),
	fc.nat().map((number) => number as unknown),
	fc.double(),
	documents,
);
const patterns = fc
	.array(
		fc.oneof(
			{
				arbitrary: fc.string({ unit: fc.constantFrom('0', '1', '5', '*', '?', ' '), maxLength: 8 }),
				weight: 4,
			},
			fc.constantFrom(
				'*',
				'+*',
				'+1*',
				'+1 (5??)*',
				'',
				'+',
				'+1|2',
				'[0-9]',
				'*'.repeat(40) + '9',
				'*?'.repeat(20) + '9',
			),
		),
		{ maxLength: 4 },
	)
	.map((all) => all.map((one, index) => (index % 2 ? `+${one}` : one)));

const fieldNames = fc.constantFrom('to', 'To', 'call.to', 'CALL.TO', '__proto__');
const bodies = fc
	.tuple(
		fc.array(
			fc.tuple(fc.constantFrom('to', 'TO', 'call', 'Call', 'call.to', 'from', 'a', 'a.b'), numbers),
			{ maxLength: 4 },
		),
		fc.array(fc.tuple(fc.constantFrom('to', 'To', 'b', '__proto__', 'number', 'b.c'), numbers), {
			maxLength: 3,
		}),
		fc.constantFrom('call', 'Call', 'a', 'to', '__proto__', 'x'),
		fc.boolean(),
	)
	.map(([outer, inner, name, isNested]) =>
		Object.fromEntries<unknown>([
			...outer,
			...(isNested ? [[name, Object.fromEntries(inner)] as [string, unknown]] : []),
		]),
	);

/** Every value that a service may read under a name, if it ignores letter case. */
function readings(body: unknown, name: string): unknown[] {
	const fields = isJsonObject(body) ? Object.entries(body) : [];
	return fields.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value);
}

/** A body without what is read under the name, to compare the rest. */
function withoutReadings(body: unknown, name: string): unknown {
	const fields = isJsonObject(body) ? Object.entries(body) : [];
	return fields.map(([one, value]) => (one.toLowerCase() === name ? [one] : [one, value]));
}

property(
	'what is sent is what was checked',
	12_000,
	[bodies, fieldNames, patterns],
	async (body, field, allowed) => {
		const before = JSON.stringify(body);
		const { value: checked, reason } = await outcomeOf(() =>
			guardDestination(body, {
				destinationField: field,
				allowedDestinations: allowed.join(', '),
			}),
		);
		if (JSON.stringify(body) !== before) throw new Error('the item was changed');
		if (!checked) {
			if (reason !== 'callRefused' && reason !== 'invalidParameter') throw new Error(reason);
			return;
		}
		const sent: unknown = JSON.parse(JSON.stringify(checked));
		const path = field.toLowerCase();
		const read = readings(sent, path);
		const number = String(read[0]);
		const isAllowed = allowed
			.map((pattern) => pattern.replace(/[^\d+*?]/g, '').replace(/^00/, '+'))
			.some((pattern) => pattern !== '' && fits(number, pattern));
		if (read.length !== 1 || !/^\+?\d{1,15}$/.test(number) || !isAllowed) {
			throw new Error(`${JSON.stringify(sent)} is sent`);
		}
		expect(withoutReadings(sent, path)).toEqual(withoutReadings(JSON.parse(before), path));
	},
);

property(
	'a number that a pattern allows is called',
	4_000,
	[fc.constantFrom('', '+'), digits(15), fc.infiniteStream(fc.constantFrom('0', '*', '?', '1'))],
	(plus, number, marks) => {
		const pattern = [...number].map((digit) => {
			const mark = marks.next().value;
			return mark === '*' || mark === '?' ? mark : digit;
		});
		const body = { to: `${plus}${number}` };
		// 00 is read as +, which leaves nothing of a pattern that has wildcards there.
		if (body.to.startsWith('00')) return;
		const allowedDestinations = `9, ${plus}${pattern.join('')}`;
		expect(guardDestination(body, { allowedDestinations })).toEqual(body);
	},
);
