import { jsonParse } from 'n8n-workflow';

import { type Field, fieldsIn } from '../../data/fields';
import { isJsonObject, type JsonObject } from '../../data/json';
import type { Answer } from '../http/answer';
import { type Meaning, mayMeanMore, meaningOf } from './names';

/** What an answer says beside its list about further pages. Without a role, nobody can know what it means. */
export interface Sign extends Partial<Meaning> {
	/** Whether the name may mean that there are more records. */
	mayMeanMore: boolean;
	/** Where it is, with dots. */
	path: string;
	text: string;
	/** NaN for anything but a whole number, which may be text. */
	number: number;
}

/** Those in the body, the outermost first, and then those in the headers. */
export function signsIn(json: unknown, headers: Answer['headers']): Sign[] {
	const inHeaders = fieldsIn(headerFields(headers)).flatMap(signsOf);
	// There, only well-known names are about the list.
	return [...fieldsIn(json).flatMap(signsOf), ...inHeaders.filter(({ role }) => role)];
}

/**
 * What headers say about a list, as fields: links by their relation (RFC 8288), `X-Total-Count: 300`,
 * `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`.
 */
function headerFields({ link, ...headers }: Answer['headers']): JsonObject {
	const links = [...String(link ?? '').matchAll(/<([^>]*)>([^<]*)/g)].map(
		([, address, parameters = '']) => [/\brel\s*=\s*"?([^";,]*)/i.exec(parameters)?.[1], address],
	);
	const total = /^(?!bytes)\w* ?[\d*-]+\/(\d+)$/i.exec(String(headers['content-range']))?.[1];
	const others = Object.entries(headers).map(([name, value]) => [
		name.replace(/^x-(?:wp-)?/, ''),
		name.endsWith('pagination') ? jsonParse(String(value), { fallbackValue: value }) : value,
	]);
	return Object.fromEntries([...links, ['total', total], ...others]) as JsonObject;
}

function signsOf({ name, around, path, value }: Field): Sign[] {
	if (Array.isArray(value)) {
		const links = value.filter(isJsonObject).filter(({ rel }) => typeof rel === 'string');
		return links.map(({ rel, href }) => signOf(String(rel), '', `${path}.${String(rel)}`, href));
	}
	// `{ next: { href: "…" } }` and `{ total: { value: 3 } }`
	const wrappers = ['href', 'link', 'uri', 'url', 'value'];
	if (!isJsonObject(value)) {
		return [signOf(wrappers.includes(name) ? around : name, around, path, value)];
	}
	const sign = signOf(name, around, path, value);
	const isWrapper = wrappers.some((one) => one in value);
	// It says that there is a next page, and no parameter takes it.
	const isNext = sign.role === 'next' || /^next/i.test(name);
	return isNext && !isWrapper ? [{ ...sign, parameter: undefined }] : [];
}

function signOf(name: string, around: string, path: string, value: unknown): Sign {
	const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
	const number = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
	const meaning = meaningOf(name) ?? meaningOf(`${around} ${name}`);
	return { ...meaning, mayMeanMore: mayMeanMore(name), path, text, number };
}
