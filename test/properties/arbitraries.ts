import fc from 'fast-check';

/** GUIDs, and identifiers of other forms that may be session GUIDs. */
export const guids = fc.oneof(
	fc.uuid(),
	fc.uuid().map((guid) => `{${guid.toUpperCase()}}`),
	fc.uuid().map((guid) => guid.replaceAll('-', '')),
	fc.stringMatching(/^[A-Za-z0-9_-]{7,63}\d$/),
);

/** Names that the readers know, in many spellings, and parts of them. */
const KNOWN_NAMES = {
	identifiers: [
		'sessionGuid',
		'SessionGUID',
		'session_guid',
		'session',
		'guid',
		'id',
		'call[sessionGuid]',
	],
	lists: ['recordings', 'Recording', 'data', 'items', 'results', 'value'],
	besideLists: ['errors', 'deleted', 'links'],
	nextPages: [
		'next',
		'nextPage',
		'next_page_token',
		'nextCursor',
		'@odata.nextLink',
		'nextLink',
		'cursor',
	],
	signsOfMore: [
		'hasMore',
		'has_next',
		'isLast',
		'truncated',
		'lastEvaluatedKey',
		'continuationToken',
	],
	pages: ['page', 'pageNumber', 'pageSize', 'limit', 'offset', 'skip', 'size'],
	counts: ['totalPages', 'pages', 'total', 'totalCount', 'count', 'remaining'],
	aroundPages: ['meta', 'info', 'pagination', 'paging', '_links'],
	endsOfCalls: ['endedAt', 'CallEnd', 'end_time', 'ended'],
	failures: ['success', 'error', 'status', 'code', 'message'],
	links: ['rel', 'href', 'url'],
	schemas: ['$ref', 'allOf', 'oneOf', 'properties', 'required', 'enum', 'type'],
	traps: ['__proto__', 'constructor', 'toString', '', '.'],
	instructions: ['recordCall', 'recordCallPassword'],
};

/** Texts that an expression with nested repetitions would take forever to read. */
export const longTexts = fc
	.record({
		start: fc.constantFrom('', 'next', '<', '2026-11-22T', 'session', 'items 0-', '{"a":'),
		unit: fc.oneof(
			fc.constantFrom(...'-_.,;:<>[]{}()"\'\\/*?+= \t\n0a'),
			fc.constantFrom('rel=', ';rel="next', 'items', 'at', 'guid', '<a>;', '*?', '00', '[[', '\\u'),
		),
		length: fc.integer({ min: 0, max: 16_000 }),
		end: fc.constantFrom('', '!', 'token', 'x', ']', '"', '>; rel="next"', '/7', '\u0000'),
	})
	.map(({ start, unit, length, end }) => start + unit.repeat(length / unit.length) + end);

const scalars = fc.oneof(
	{ arbitrary: fc.constantFrom(null, true, false, 0, 1, -1, '', 'true', '0', 'none'), weight: 4 },
	{ arbitrary: guids, weight: 3 },
	{ arbitrary: fc.integer({ min: 0, max: 100 }).map((number) => number as unknown), weight: 2 },
	fc.double({ noNaN: true }),
	fc.integer({ min: 0, max: 100 }).map(String),
	fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
	fc.webUrl({ withQueryParameters: true }),
	fc.string(),
	fc.json({ maxDepth: 2 }),
);

export const names = fc.oneof(
	{ arbitrary: fc.constantFrom(...Object.values(KNOWN_NAMES).flat()), weight: 5 },
	fc.string({ maxLength: 12 }),
	guids,
);

/** As `JSON.parse` makes it: even a key `__proto__` is a field of its own. */
function objectOf(entries: ReadonlyArray<readonly [string, unknown]>): object {
	return Object.fromEntries(entries);
}

/** A JSON document with the names that the readers look for. */
export const documents: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', withCrossShrink: true },
		{ arbitrary: scalars, weight: 3 },
		{ arbitrary: tie('list'), weight: 2 },
		{ arbitrary: tie('object'), weight: 4 },
	),
	list: fc.array(tie('value'), { maxLength: 5 }),
	object: fc.array(fc.tuple(names, tie('value')), { maxLength: 6 }).map(objectOf),
})).value;

/** The same with a long text as a name or a value somewhere. */
export const documentsWithLongTexts = fc
	.tuple(documents, names, longTexts, fc.constantFrom('name', 'value', 'around'))
	.map(([document, name, text, where]) => {
		if (where === 'name') return objectOf([[text, document]]);
		if (where === 'value') return objectOf([[name, text]]);
		return objectOf([[text, objectOf([[name, document]])]]);
	});

/** Documents that are nested so deeply that a recursive reader might fail. */
export const deepDocuments = fc
	.tuple(fc.integer({ min: 0, max: 3_000 }), names, fc.boolean(), scalars)
	.map(([depth, name, isList, scalar]) => {
		let document: unknown = scalar;
		for (let level = 0; level < depth; level++) {
			document = isList ? [document] : objectOf([[name, document]]);
		}
		return document;
	});

export const anyDocument = fc.oneof(
	{ arbitrary: documents, weight: 20 },
	{ arbitrary: documentsWithLongTexts, weight: 2 },
	{ arbitrary: deepDocuments, weight: 1 },
);
