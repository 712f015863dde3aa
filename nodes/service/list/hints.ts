import type { JsonObject } from '../../data/json';
import { isJsonObject, plainName } from '../../data/json';
import type { FoundList } from './findList';
import { NEXT } from './names';

/** The headers of an answer, by name in lower case. */
export type Headers = Readonly<Record<string, unknown>>;

/** A value beside a list. */
export interface Hint {
	name: string;
	/** The name in lower case, without separators. */
	plain: string;
	/** Where it is, with dots. */
	path: string;
	value: unknown;
	/** Whether it is in a header, where only well-known names count. */
	isHeader: boolean;
}

/** How many levels of objects beside the list are read. */
const MAX_DEPTH = 3;

/** What is said beside a list in the body, the outermost first, and then in the headers. */
export function hintsIn({ around }: FoundList, headers: Headers): Hint[] {
	const body = around[0] ? hintsBelow(around[0], around) : [];
	const inHeaders = hintsBelow(asObject(headers), []);
	return [...body, ...inHeaders.map((hint) => ({ ...hint, isHeader: true }))];
}

function hintsBelow(root: JsonObject, around: JsonObject[]): Hint[] {
	const hints: Hint[] = [];
	const places = [{ object: root, path: '', parent: '', depth: 0 }];
	// The loop also visits the places that are added meanwhile.
	for (const { object, path, parent, depth } of places) {
		for (const [name, content] of Object.entries(object)) {
			const value = valueOf(content);
			const plain = plainName(parent === 'cursors' ? parent + name : name);
			const inner = path === '' ? name : `${path}.${name}`;
			// What is around the list does not count as deep.
			const level = around.includes(value as JsonObject) ? 0 : depth + 1;
			if (isJsonObject(value) && !NEXT.has(plain)) {
				if (level <= MAX_DEPTH)
					places.push({ object: value, path: inner, parent: name, depth: level });
			} else if (!Array.isArray(value)) {
				hints.push({ name, plain, path: inner, value, isHeader: false });
			}
		}
	}
	return hints;
}

/** The value itself, also of `{ href: "…" }` and `{ value: 3 }`. A list of links becomes an object with them. */
function valueOf(content: unknown): unknown {
	if (isJsonObject(content)) {
		const name = ['href', 'url', 'value'].find((one) => one in content);
		return name === undefined ? content : content[name];
	}
	if (!Array.isArray(content) || !content.every(isJsonObject)) return content;
	const links = content.filter(({ rel }) => typeof rel === 'string');
	return links.length > 0 ? Object.fromEntries(links.map((one) => [one.rel, one.href])) : content;
}

/** Links (RFC 8288), `X-Total-Count: 300`, `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`. */
function asObject({ link, ...headers }: Headers): JsonObject {
	const links = [...String(link ?? '').matchAll(/<([^>]*)>([^<]*)/g)].map(
		([, address, parameters = '']) => [/\brel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1], address],
	);
	const [, total] = /^(?!bytes)\w* ?[\d*-]+\/(\d+)$/i.exec(String(headers['content-range'])) ?? [];
	const others = Object.entries(headers).map(([name, value]) => [
		name.replace(/^x-(?:wp-)?/, ''),
		name.endsWith('pagination') ? jsonIn(value) : value,
	]);
	return Object.fromEntries([...links, ['total', total], ...others]) as JsonObject;
}

function jsonIn(text: unknown): unknown {
	try {
		return JSON.parse(String(text));
	} catch {
		return text;
	}
}
