/**
 * The part of Drive's search language (parameter `q`) that our workflows and n8n's list of folders
 * use: `trashed`, `name`, `mimeType`, `parents` and `properties`, joined by `and`, `or` and
 * parentheses.
 */

/** What a search can look at. */
interface Searched {
	name: string;
	mimeType: string;
	trashed: boolean;
	/** Ids of the folders it is in. */
	parents: string[];
	properties?: Record<string, string>;
}

/** A text in quotes. A backslash is in front of each quote in it. */
const TEXT = String.raw`'((?:[^'\\]|\\.)*)'`;
const TERMS = [
	'trashed ?= ?(true|false)',
	`(name|mimeType) = ${TEXT}`,
	`${TEXT} in parents`,
	String.raw`properties has \{ key='(\w+)' and value=${TEXT} \}`,
];
const TERM = new RegExp(TERMS.join('|'), 'g');

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1');

/** @throws {Error} for what the stand-in does not know */
export function matches(file: Searched, q: string): boolean {
	const truths = q.replace(TERM, (...term: string[]) => {
		const [, trashed, field, text = '', parent, key = '', value = ''] = term;
		if (trashed !== undefined) return String(String(file.trashed) === trashed);
		if (parent !== undefined) return String(file.parents.includes(unescaped(parent)));
		if (field === undefined) return String(file.properties?.[key] === unescaped(value));
		// Drive compares without regard to case.
		const own = file[field as 'name' | 'mimeType'];
		return String(own.toLowerCase() === unescaped(text).toLowerCase());
	});
	return joined(truths, q);
}

/** @param truths `true` and `false` in place of the terms */
function joined(truths: string, q: string): boolean {
	const flat = truths.replace(/\(([^()]*)\)/, (_whole, inner: string) => String(joined(inner, q)));
	if (flat !== truths) return joined(flat, q);
	return flat.split(' or ').some((side) =>
		side.split(' and ').every((term) => {
			if (!/^ *(?:true|false) *$/.test(term)) throw new Error(`"${term}" is not known here: ${q}`);
			return term.trim() === 'true';
		}),
	);
}
