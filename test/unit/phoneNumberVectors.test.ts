/** A do-not-call list as people write it, in 124 countries: see test/vectors/README.md. */
import { guardDestination } from '../../nodes/VoiceAgent/call/destinationGuard';
import { parseDoNotCall } from '../../nodes/VoiceAgent/call/doNotCall';

interface Country {
	country: string;
	/** The number that is called. */
	e164: string;
	plus: string[];
	idd: string[];
	zero: string[];
	national: string[];
}

// From jest.config.js.
declare const phoneNumbers: Country[];

/** What becomes of a call to a number with this entry on the list. */
function outcomeOf(to: string, entry: string): 'blocked' | 'named' | 'called' {
	try {
		parseDoNotCall([entry]);
		try {
			guardDestination({ to }, { doNotCall: [entry] });
			return 'called';
		} catch {
			return 'blocked';
		}
	} catch (error) {
		const { fullText } = error as { fullText: string };
		return fullText.includes(entry) ? 'named' : 'called';
	}
}

test('there is a number of each country', () => expect(phoneNumbers).toHaveLength(124));

test.each(phoneNumbers)('$country: $e164 is blocked with spaces', ({ e164, plus }) => {
	const [withSpaces = ''] = plus;
	expect(outcomeOf(e164, e164)).toBe('blocked');
	expect(outcomeOf(e164, withSpaces)).toBe('blocked');
});

test.each(phoneNumbers)(
	'$country: $e164 is not called with any spelling of it on the list',
	({ e164, plus, idd, zero, national }) => {
		const spellings = [...plus, ...idd, ...zero, ...national];
		const called = spellings.filter((entry) => outcomeOf(e164, entry) === 'called');
		expect(called).toEqual([]);
	},
);
