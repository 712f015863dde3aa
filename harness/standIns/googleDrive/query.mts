/**
 * The search language of Drive (parameter `q`): `name`, `mimeType`, `trashed`, `createdTime`, `modifiedTime`,
 * `parents` and `properties has { key='…' and value='…' }`, joined by `and`, `or`, `not` and parentheses.
 */
import { invalidParameter } from './apiError.mts';

export interface Searchable {
	name: string;
	mimeType: string;
	trashed: boolean;
	createdTime: string;
	modifiedTime: string;
	parents: string[];
	/** Fields that are only stored and shown. */
	more: Record<string, unknown>;
}

export type Predicate = (file: Searchable) => boolean;

/**
 * @param q the whole expression; an empty one finds everything
 * @param resolve turns the alias `root` into the id that files carry
 * @throws {ApiError} 400 when Drive could not read it either, or the stand-in does not know the term
 */
export function parseQuery(q: string, resolve: (id: string) => string): Predicate {
	if (q.trim() === '') return () => true;
	const tokens = tokenize(q);
	let position = 0;

	const peek = () => tokens[position];
	const next = () => tokens[position++] ?? fail();
	const accept = (word: string) => peek()?.toLowerCase() === word && ++position > 0;

	function either(): Predicate {
		const sides = [both()];
		while (accept('or')) sides.push(both());
		return (file) => sides.some((side) => side(file));
	}

	function both(): Predicate {
		const sides = [negatable()];
		while (accept('and')) sides.push(negatable());
		return (file) => sides.every((side) => side(file));
	}

	function negatable(): Predicate {
		if (accept('not')) {
			const term = negatable();
			return (file) => !term(file);
		}
		if (accept('(')) {
			const inner = either();
			if (!accept(')')) fail();
			return inner;
		}
		return term();
	}

	function term(): Predicate {
		const first = next();
		if (first.startsWith("'")) {
			if (!accept('in') || !accept('parents')) fail();
			const id = resolve(unquoted(first));
			return (file) => file.parents.includes(id);
		}
		const operator = next();
		if (first === 'properties' && operator === 'has') return propertyTerm();
		const value = next();
		if (first === 'trashed') return trashedTerm(operator, value);
		if (!value.startsWith("'")) fail();
		const text = unquoted(value);
		if (first === 'name' || first === 'mimeType') return textTerm(first, operator, text);
		if (first === 'createdTime' || first === 'modifiedTime') return timeTerm(first, operator, text);
		return fail();
	}

	function propertyTerm(): Predicate {
		const given = ['{', 'key', '=', 'text', 'and', 'value', '=', 'text', '}'].map((wanted) => {
			const token = next();
			if (wanted === 'text' ? !token.startsWith("'") : token !== wanted) fail();
			return token;
		});
		const [key, value] = [given[3], given[7]].map((token) => unquoted(token ?? ''));
		return ({ more }) =>
			(more.properties as Record<string, string> | undefined)?.[key ?? ''] === value;
	}

	const predicate = either();
	return position === tokens.length ? predicate : fail();
}

function fail(): never {
	throw invalidParameter('q');
}

/** Quoted strings (with `\'` and `\\`), words, comparisons and parentheses. */
function tokenize(q: string): string[] {
	const pattern = /\s*('(?:[^'\\]|\\.)*'|[A-Za-z]+|[<>!]=|[<>=(){}])\s*/gsy;
	const tokens: string[] = [];
	while (pattern.lastIndex < q.length) tokens.push(pattern.exec(q)?.[1] ?? fail());
	return tokens;
}

const unquoted = (token: string) => token.slice(1, -1).replace(/\\(.)/gs, '$1');

function trashedTerm(operator: string, value: string): Predicate {
	if (value !== 'true' && value !== 'false') fail();
	if (operator !== '=' && operator !== '!=') fail();
	const wanted = (value === 'true') === (operator === '=');
	return ({ trashed }) => trashed === wanted;
}

function textTerm(field: 'name' | 'mimeType', operator: string, text: string): Predicate {
	// Drive compares without regard to case, with `=` too.
	const wanted = text.toLowerCase();
	const of = (file: Searchable) => file[field].toLowerCase();
	if (operator === '=') return (file) => of(file) === wanted;
	if (operator === '!=') return (file) => of(file) !== wanted;
	if (operator !== 'contains') fail();
	if (field === 'mimeType') return (file) => of(file).startsWith(wanted);
	return (file) => hasWordsFrom(of(file), wanted);
}

/** Only from the start of a word: `contains 'World'` does not find `HelloWorld`. */
function hasWordsFrom(name: string, wanted: string): boolean {
	for (let at = name.indexOf(wanted); at !== -1; at = name.indexOf(wanted, at + 1)) {
		if (at === 0 || /[^\p{L}\p{N}_]/u.test(name.charAt(at - 1))) return true;
	}
	return false;
}

function timeTerm(
	field: 'createdTime' | 'modifiedTime',
	operator: string,
	text: string,
): Predicate {
	const wanted = Date.parse(/(Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`);
	const compare = comparisons[operator];
	if (Number.isNaN(wanted) || compare === undefined) return fail();
	return (file) => compare(Date.parse(file[field]), wanted);
}

const comparisons: Record<string, (a: number, b: number) => boolean> = {
	'<': (a, b) => a < b,
	'<=': (a, b) => a <= b,
	'=': (a, b) => a === b,
	'!=': (a, b) => a !== b,
	'>': (a, b) => a > b,
	'>=': (a, b) => a >= b,
};
