import { jsonParse } from 'n8n-workflow';

import { type Field, fieldsIn } from '../../data/fields';
import { isJsonObject, type JsonObject } from '../../data/json';
import type { Answer } from '../http/answer';
import { type Meaning, meaningOf } from './conventions';

/**
 * A value beside a list. It has a role and a parameter if a convention explains its name:
 * `conventions.ts` has them. What the others may mean is judged in `unexplained.ts`.
 */
export interface Sign extends Partial<Meaning> {
	name: string;
	/** Where it is, with dots. */
	path: string;
	text: string;
	/** The value if it is a whole number, which may be text. */
	number: number | undefined;
}

/** A whole number of up to 15 digits, which is below 2^53. */
const WHOLE_NUMBER = /^\d{1,15}$/;

/** Names under which an object has the value that its own name is about: `next: { href: "…" }`. */
const WRAPPERS = ['href', 'link', 'uri', 'url', 'value'];

/** The signs in the body, the outermost first, and then those in the headers. */
export function signsIn(json: unknown, headers: Answer['headers']): Sign[] {
	const inBody = fieldsIn(json).flatMap(signsOf);
	const inHeaders = fieldsIn(headerFields(headers)).flatMap(signsOf);
	// Most headers are not about the list: there, only the conventions count.
	return [...inBody, ...inHeaders.filter(({ role }) => role !== undefined)];
}

/**
 * What headers say about a list, as fields: links by their relation (RFC 8288),
 * `X-Total-Count: 300`, `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`.
 */
function headerFields({ link, ...headers }: Answer['headers']): JsonObject {
	const fields: JsonObject = {};
	for (const { address, parameters } of linksIn(String(link ?? ''))) {
		const relation = /\brel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1];
		if (relation !== undefined) fields[relation] = address;
	}
	// The expression cannot backtrack, however long the header is: no two parts of it take the same
	// characters.
	const range = /^(?!bytes)[a-z]* ?[\d*-]+\/(\d+)$/i.exec(String(headers['content-range']));
	if (range) fields.total = range[1];
	for (const [header, value] of Object.entries(headers)) {
		const name = header.replace(/^x-(?:wp-)?/, '');
		const isObject = name.endsWith('pagination');
		fields[name] = isObject ? jsonParse(String(value), { fallbackValue: value }) : value;
	}
	return fields;
}

/** The links of a `Link` header: `<address>; parameters`. */
function linksIn(header: string): Array<{ address: string; parameters: string }> {
	const [, ...parts] = header.split('<');
	return parts
		.map((part) => ({ part, end: part.indexOf('>') }))
		.filter(({ end }) => end !== -1)
		.map(({ part, end }) => ({ address: part.slice(0, end), parameters: part.slice(end + 1) }));
}

function signsOf({ name, around, path, value }: Field): Sign[] {
	if (Array.isArray(value)) return signsOfList(name, path, value);
	if (isJsonObject(value)) return signsOfObject(signOf(name, around, path, value), value);
	// `{ next: { href: "…" } }` and `{ total: { value: 3 } }`: the object has the name that counts.
	const isWrapped = WRAPPERS.includes(name) && around !== '';
	return [signOf(isWrapped ? around : name, around, path, value)];
}

/** What an object says as a whole. Its fields are signs of their own. */
function signsOfObject(sign: Sign, value: JsonObject): Sign[] {
	// `{ next: { href: "…" } }`: its field says it.
	if (WRAPPERS.some((wrapper) => wrapper in value)) return [];
	// `{ nextKey: { id: 7 } }`: there is a next page, and no parameter takes the object.
	const isNext = sign.role === 'next' || /^next/i.test(sign.name);
	return isNext ? [{ ...sign, parameter: undefined }] : [];
}

function signsOfList(name: string, path: string, values: unknown[]): Sign[] {
	const [first] = values;
	// A list of plain values, such as `nextCursor: [1763000000, "abc"]`. Without a role, nothing is
	// asked for with it, as nobody knows how. Its first value shows that it is not empty.
	if (first !== undefined && typeof first !== 'object') {
		return [{ name, path, text: JSON.stringify([first]), number: undefined }];
	}
	// `[{ rel: "next", href: "…" }]`. Any other list has content.
	const links = values.filter(isJsonObject).filter(({ rel }) => typeof rel === 'string');
	return links.map(({ rel, href }) => signOf(String(rel), '', `${path}.${String(rel)}`, href));
}

function signOf(name: string, around: string, path: string, value: unknown): Sign {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const number = WHOLE_NUMBER.test(text) ? Number(text) : undefined;
	return { ...meaningOf(name, around), name, path, text, number };
}
