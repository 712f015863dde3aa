/**
 * The part of Drive's search language (parameter `q`) that our workflows and n8n's list of folders use: `trashed`, `name`,
 * `mimeType` and `properties`, joined by `and`, `or` and parentheses.
 */
import type { DriveFile } from './files.mts';

export type Predicate = (file: DriveFile) => boolean;

/** Several words at once, because nothing in them differs between queries. */
const TERMS: Array<[pattern: RegExp, term: (...texts: string[]) => Predicate]> = [
	[/^trashed ?= ?(true|false)/, (wanted) => (file) => String(file.trashed) === wanted],
	[/^(name|mimeType) = '((?:[^'\\]|\\.)*)'/, equals],
	[/^properties has \{ key='(\w+)' and value='((?:[^'\\]|\\.)*)' \}/, hasProperty],
];

/** @throws {Error} for what the stand-in does not know */
export function parseQuery(q: string): Predicate {
	let rest = q.trim();

	/** Whether the rest begins with this, which is then used up. */
	function accept(start: string): boolean {
		if (!rest.startsWith(start)) return false;
		rest = rest.slice(start.length).trimStart();
		return true;
	}

	function either(): Predicate {
		const sides = [both()];
		while (accept('or ')) sides.push(both());
		return (file) => sides.some((side) => side(file));
	}

	function both(): Predicate {
		const sides = [term()];
		while (accept('and ')) sides.push(term());
		return (file) => sides.every((side) => side(file));
	}

	function term(): Predicate {
		if (accept('(')) {
			const inner = either();
			if (!accept(')')) throw new Error(`A parenthesis is missing in ${q}`);
			return inner;
		}
		for (const [pattern, toPredicate] of TERMS) {
			const match = pattern.exec(rest);
			if (match === null) continue;
			const [whole, ...texts] = match;
			accept(whole);
			return toPredicate(...texts.map((text) => text.replace(/\\(.)/g, '$1')));
		}
		throw new Error(`The stand-in of Google Drive does not understand ${rest} in ${q}`);
	}

	const predicate = either();
	if (rest !== '')
		throw new Error(`The stand-in of Google Drive does not understand ${rest} in ${q}`);
	return predicate;
}

/** Drive compares without regard to case. */
function equals(field: string, text: string): Predicate {
	const wanted = text.toLowerCase();
	return (file) => file[field as 'name' | 'mimeType'].toLowerCase() === wanted;
}

function hasProperty(key: string, value: string): Predicate {
	return ({ properties }) => properties?.[key] === value;
}
