import type { JsonObject } from '../../data/json';
import { isJsonObject, plainName } from '../../data/json';
import type { Field } from './fields';
import { fieldsIn } from './fields';
import type { Meaning } from './names';
import { mayMeanMore, meaningOf } from './names';

/** The headers of an answer, by name in lower case. */
export type Headers = Readonly<Record<string, unknown>>;

/** A value beside a list. */
export interface Hint extends Partial<Meaning> {
	/** The name in lower case, without separators. */
	name: string;
	/** Whether the name may mean that there are more. */
	mayMeanMore: boolean;
	/** Where it is, with dots. */
	path: string;
	text: string;
	/** NaN for anything but a whole number, which may be text. */
	number: number;
}

/** What is said beside a list in the body, the outermost first, and then in the headers. */
export function hintsIn(json: unknown, headers: Headers): Hint[] {
	const inHeaders = fieldsIn(linksAndCounts(headers)).flatMap(hintsOf);
	// There, only well-known names are about the list.
	return [...fieldsIn(json).flatMap(hintsOf), ...inHeaders.filter(({ role }) => role)];
}

function hintsOf({ name, around, path, value }: Field): Hint[] {
	const isWrapper = ['href', 'url', 'value'].includes(name);
	// `{ next: { href: "…" } }` and `{ total: { value: 3 } }`
	const hint = isWrapper ? hintOf(around, '', path, value) : hintOf(name, around, path, value);
	if (Array.isArray(value)) {
		const links = value.filter(isJsonObject).filter(({ rel }) => typeof rel === 'string');
		return links.map(({ rel, href }) => hintOf(String(rel), '', `${path}.${String(rel)}`, href));
	}
	if (!isJsonObject(value)) return [hint];
	const isReadInside = 'href' in value || 'url' in value || 'value' in value;
	if (hint.role !== 'next' || isReadInside) return [];
	// It says that there is a next page, and no parameter takes it.
	return [{ ...hint, parameter: undefined }];
}

function hintOf(name: string, around: string, path: string, value: unknown): Hint {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
	const meaning = meaningOf(name) ?? meaningOf(`${around} ${name}`);
	return {
		...meaning,
		name: plainName(name),
		mayMeanMore: mayMeanMore(name),
		path,
		text,
		number,
	};
}

/** Links (RFC 8288), `X-Total-Count: 300`, `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`. */
function linksAndCounts({ link, ...headers }: Headers): JsonObject {
	const links = [...String(link ?? '').matchAll(/<([^>]*)>([^<]*)/g)].map(
		([, address, parameters = '']) => [/\brel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1], address],
	);
	const total = /^(?!bytes)\w* ?[\d*-]+\/(\d+)$/i.exec(String(headers['content-range']))?.[1];
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
