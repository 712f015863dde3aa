import { jsonParse } from 'n8n-workflow';

import type { JsonObject } from '../../data/json';

/** The headers of an answer, by name in lower case. */
export type Headers = Readonly<Record<string, unknown>>;

/**
 * What headers say about a list, as fields: links by their relation (RFC 8288), `X-Total-Count: 300`,
 * `X-Pagination: {"TotalCount": 300}`, `Content-Range: items 0-24/300`.
 */
export function headerFields({ link, ...headers }: Headers): JsonObject {
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
