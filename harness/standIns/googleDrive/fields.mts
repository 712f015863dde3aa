/** The parameter `fields`, which selects what an answer of Google's APIs contains. */
import { invalidParameter } from './apiError.mts';

type Json = Record<string, unknown>;

/** Of each name either everything (`true`) or a selection. */
interface Mask {
	[name: string]: true | Mask;
}

/**
 * Cuts an answer down to the fields asked for.
 *
 * @param answer everything that could be answered
 * @param fields for example `*`, `id,name` or `nextPageToken, files(id, capabilities/canEdit)`
 * @param known names that may be asked for at the top, present in this answer or not
 * @param knownInside the same for the entries of a list, by the name of the list
 * @throws {ApiError} 400 for a mask that cannot be read or names an unknown field
 */
export function select(
	answer: Json,
	fields: string,
	known: ReadonlySet<string>,
	knownInside: Record<string, ReadonlySet<string>> = {},
): Json {
	const mask = parseMask(fields);
	check(mask, known);
	for (const [name, names] of Object.entries(knownInside)) {
		const inner = mask[name];
		if (typeof inner === 'object') check(inner, names);
	}
	return cut(answer, mask);
}

function check(mask: Mask, known: ReadonlySet<string>): void {
	for (const name of Object.keys(mask)) {
		if (name !== '*' && !known.has(name)) refuse(name);
	}
}

function refuse(text: string): never {
	throw invalidParameter('fields', `Invalid field selection ${text}`, 'invalidParameter');
}

function parseMask(fields: string): Mask {
	const tokens = fields.replaceAll(/\s+/g, '').match(/[A-Za-z0-9_*]+|./g) ?? [];
	let position = 0;
	const accept = (token: string) => tokens[position] === token && ++position > 0;

	function list(): Mask {
		const mask: Mask = {};
		do Object.assign(mask, path());
		while (accept(','));
		return mask;
	}

	function path(): Mask {
		const name = tokens[position++];
		if (name === undefined || !/^(\w+|\*)$/.test(name)) refuse(fields);
		if (accept('/')) return { [name]: path() };
		if (!accept('(')) return { [name]: true };
		const inner = list();
		if (!accept(')')) refuse(fields);
		return { [name]: inner };
	}

	const mask = list();
	return position === tokens.length ? mask : refuse(fields);
}

function cut(answer: Json, mask: Mask): Json {
	const entries = Object.entries(answer).flatMap(([name, value]) => {
		const wanted = mask[name] ?? mask['*'];
		return wanted === undefined || value === undefined ? [] : [[name, inside(value, wanted)]];
	});
	return Object.fromEntries(entries) as Json;
}

function inside(value: unknown, mask: true | Mask): unknown {
	if (mask === true || typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) return value.map((entry) => inside(entry, mask));
	return cut(value as Json, mask);
}
