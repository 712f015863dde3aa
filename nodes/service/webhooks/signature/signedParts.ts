import type { WebhookRequest } from '../request';
import type { SignedParts } from './signature';

/** Ports that an address need not have (RFC 9110, section 4.2). */
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * What the signature of a request may cover.
 *
 * @param address where n8n's trigger is to be reached; `undefined` if n8n does not know it
 */
export function signedParts(request: WebhookRequest, address: string | undefined): SignedParts {
	const { rawBody, originalUrl = '' } = request;
	const query = originalUrl.split('?').slice(1).join('?');
	const isMultipart = /^multipart\//i.test(String(request.headers['content-type']));
	return {
		body: rawBody ?? (isMultipart ? undefined : Buffer.alloc(0)),
		parameters: parametersOf(request, query),
		urls: address === undefined ? [''] : spellingsOf(address, originalUrl, query),
	};
}

/**
 * The names and values of a form, sorted by name, each value behind its name, as Twilio and DIDWW
 * sign them; without a body, those of the query.
 */
function parametersOf({ rawBody, headers }: WebhookRequest, query: string): Buffer | undefined {
	const hasBody = rawBody !== undefined && rawBody.length > 0;
	const type = String(headers['content-type']).toLowerCase();
	const isForm = type.startsWith('application/x-www-form-urlencoded');
	const text = hasBody ? rawBody.toString() : query;
	// JSON that calls itself a form would be read as JSON, and not all of it would be signed.
	if (hasBody && (!isForm || /^\s*[{[]/.test(text))) return undefined;
	const pairs = [...new URLSearchParams(text)].sort(byName);
	return Buffer.from(pairs.flat().join(''));
}

/** With and without the port, and with the path by which n8n or a proxy before it was called. */
function spellingsOf(address: string, originalUrl: string, query: string): string[] {
	const spellings = new Set<string>();
	for (const path of [originalUrl, `${new URL(address).pathname}${query && `?${query}`}`]) {
		const url = new URL(path, address);
		const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : url.port;
		const withPort = `${url.protocol}//${url.hostname}:${port}${url.pathname}${url.search}`;
		spellings.add(url.href).add(withPort);
	}
	return [...spellings];
}

function byName([one]: [string, string], [other]: [string, string]): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}
