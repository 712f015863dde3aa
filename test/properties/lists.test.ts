import fc from 'fast-check';

import { isJsonObject } from '../../nodes/data/json';
import { findList } from '../../nodes/service/list/findList';
import { bySigns } from '../../nodes/service/list/nextPage';
import { anyDocument, longTexts, names } from './arbitraries';
import { outcomeOf, property } from './property';

/** All values in a document, at any depth. */
function valuesIn(document: unknown): Set<unknown> {
	const values = new Set<unknown>([document]);
	for (const value of values) {
		if (typeof value !== 'object' || value === null) continue;
		for (const [name, inner] of Object.entries(value)) values.add(name).add(inner);
	}
	return values;
}

const noNumbers = { calledNumberField: '', callerNumberField: '' };
const fieldNames = fc.oneof({ arbitrary: fc.constant(''), weight: 3 }, names);

property(
	'the list that is found in any document has records of this document only',
	150,
	[anyDocument, fieldNames, fieldNames],
	async (document, listField, sessionGuidField) => {
		const { value: found, reason } = await outcomeOf(() =>
			findList(document, { listField, sessionGuidField, ...noNumbers }),
		);
		if (!found) return expect(reason).toBe('unreadableList');
		const known = valuesIn(document);
		for (const record of found.records) {
			expect(isJsonObject(record)).toBe(true);
			// A list of identifiers makes records of its own.
			const isKnown = known.has(record) || Object.values(record).every((one) => known.has(one));
			expect(isKnown).toBe(true);
		}
	},
);

const FIRST = { pages: 0, records: 0 };

const headers = fc.dictionary(
	fc.constantFrom(
		'link',
		'content-range',
		'x-total-count',
		'x-pagination',
		'x-next-page',
		'x-page',
		'x-has-more',
		'x-wp-totalpages',
		'x-per-page',
		'__proto__',
	),
	fc.oneof(
		longTexts,
		fc.integer({ min: -1, max: 99 }).map(String),
		fc.constantFrom('items 0-9/50', 'bytes 0-9/50', '*/7', '{"TotalCount":5}', '{"a":', 'true'),
		fc.webUrl({ withQueryParameters: true }).map((url) => `<${url}>; rel="next"`),
		fc.array(fc.string()),
	),
);

property(
	'what any answer says about the next page can be asked for',
	150,
	[anyDocument, fc.nat({ max: 40 }), headers],
	(json, pageRecords, given) => {
		const page = { json, headers: given, pageRecords, query: { page: '1' }, earlier: FIRST };
		const { next = {}, more = '', unclear = '' } = bySigns(page);
		for (const value of [...Object.values(next), more, unclear])
			expect(typeof value).toBe('string');
	},
);

/** Says how an answer with two records and one more field is judged. */
function judged(name: string, value: unknown, isDeep: boolean) {
	const records = [{ sessionGuid: 'session-0001' }, { sessionGuid: 'session-0002' }];
	const beside = { [name]: value };
	const json = { recordings: records, ...(isDeep ? { meta: beside } : beside) };
	return bySigns({ json, headers: {}, pageRecords: 2, query: {}, earlier: FIRST });
}

/** The words of a name in one of the usual spellings. */
const spellings = fc.constantFrom(
	(words: string[]) => words.join('_'),
	(words: string[]) => words.join('-'),
	(words: string[]) => {
		const [first, ...more] = words;
		const capitalized = more.map((word) => word.replace(/^./, (letter) => letter.toUpperCase()));
		return [first, ...capitalized].join('');
	},
);
/** Words about paging. */
const stems = fc.constantFrom(
	'next',
	'more',
	'page',
	'cursor',
	'offset',
	'total',
	'token',
	'truncated',
	'count',
	'rest',
	'marker',
	'bookmark',
	'scroll',
	'continuation',
);
/** Words about something else, many of which have one about paging in them. */
const others = fc.constantFrom(
	'thing',
	'country',
	'account',
	'homepage',
	'discount',
	'region',
	'message',
	'status',
	'success',
	'elapsed',
	'request',
	'version',
	'nextcloud',
	'context',
	'tokenizer',
	'id',
);
const somethingElse = fc.oneof(
	fc.constant(true),
	// One page, or one record, is not more than were read.
	fc
		.string({ minLength: 1 })
		.filter((text) => !['0', '1', '2', '-1', 'false', 'null'].includes(text)),
	fc.integer({ min: 3 }),
);

property(
	'a list with an unknown name that has a word about paging is never taken for whole',
	500,
	[stems, fc.array(others, { minLength: 1, maxLength: 2 }), spellings, somethingElse, fc.boolean()],
	(stem, words, spell, value, isDeep) => {
		for (const order of [
			[stem, ...words],
			[...words, stem],
		]) {
			expect(judged(spell(order), value, isDeep)).not.toEqual({});
		}
	},
);

property(
	'a list with a name that has no such word is no alarm',
	500,
	[fc.array(others, { minLength: 1, maxLength: 3 }), spellings, somethingElse, fc.boolean()],
	(words, spell, value, isDeep) => expect(judged(spell(words), value, isDeep)).toEqual({}),
);

const letters = fc.string({ unit: fc.constantFrom(...'bdfgjkvwz'), minLength: 3, maxLength: 9 });
/** No list of words has these. */
const madeUpNames = fc.array(letters, { minLength: 1, maxLength: 3 });
const cursors = fc.oneof(
	fc.uuid(),
	fc.base64String({ minLength: 8 }).map((text) => `${text}7`),
);

property(
	'no number, flag or cursor with a name that nobody knows ends in a silent whole',
	300,
	[
		madeUpNames,
		spellings,
		fc.oneof(
			fc.constant(true),
			fc.integer({ min: 3, max: 1e9 }),
			cursors.filter((text) => !text.includes('/')),
		),
		fc.boolean(),
	],
	(words, spell, value, isDeep) => expect(judged(spell(words), value, isDeep)).not.toEqual({}),
);

property(
	'no alarm shows a text',
	300,
	[fc.oneof(stems, others, letters), cursors, fc.boolean()],
	(name, value, isDeep) => {
		const { more = '', unclear = '' } = judged(name, value, isDeep);
		expect(more + unclear).not.toContain(value);
	},
);
