import { jsonParse } from 'n8n-workflow';

import { fieldsNamed } from '../../data/fields';

const MAX_CHARS = 500;
const MAX_PAGE_CHARS = 8 * 1024;

const REDACTED = '[redacted]';
const MAX_ENCODINGS = 3;
/** What may be Base64, in either alphabet, or hexadecimal. */
const ENCODED = /[\w+/-]{6,}={0,2}/g;

/** What the service says about a request that it refused, as one short line without the secret that was sent with it. */
export function safeExcerpt(
	page: string,
	secret: string | undefined,
	json: unknown = jsonParse(page, { fallbackValue: null }),
): string | undefined {
	let text = (valuesIn(json) ?? page)
		.slice(0, MAX_PAGE_CHARS)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	if (secret) text = redacted(text, secret);
	return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

/** The values in an answer with their names, such as `code: 21211, error.message: The number is not valid`. */
function valuesIn(json: unknown): string | undefined {
	if (typeof json === 'string') return json;
	const values = (fieldsNamed(json, () => true) ?? []).flatMap(({ path, value }) => {
		const texts = [value].flat().filter((one) => typeof one !== 'object');
		return texts.map((text) => ({ path, text: String(text) }));
	});
	const filled = values.filter(({ text }) => text.trim() !== '');
	// What is long, such as a stack trace, is cut, not what is behind it.
	filled.sort((one, other) => one.text.length - other.text.length);
	const named = filled.map(({ path, text }) => (filled.length === 1 ? text : `${path}: ${text}`));
	return named.join(', ') || undefined;
}

/** Without the secret. If a service echoes it in another form, nothing is shown. */
function redacted(text: string, secret: string): string {
	// A character may have become an entity of HTML.
	const raw = new RegExp(secret.replace(/[^\w\s]/g, '(?:\\$&|&(?:\\w+;)+)'), 'gi');
	const known = text.replace(raw, REDACTED);
	const isLeft = [known, known.replace(/\s/g, '')].some((one) => holds(one, secret));
	return isLeft ? REDACTED : known;
}

/** Whether a text has the secret in it, in any letter case, with several encodings around each other. */
function holds(text: string, secret: string): boolean {
	let forms = [text];
	for (let decoded = 0; decoded < MAX_ENCODINGS; decoded++) {
		forms = [...new Set([...forms, ...forms.flatMap(decodings)])];
	}
	return forms.some((form) => form.toLowerCase().includes(secret.toLowerCase()));
}

/** What a text, or a part of it, may stand for. */
function decodings(text: string): string[] {
	const decoded = [...text.matchAll(ENCODED)].flatMap(([run]) => [
		...[0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString()),
		...[0, 1].map((start) => Buffer.from(run.slice(start), 'hex').toString()),
	]);
	return [unescaped(text), ...decoded];
}

/** `%2f`, `=2F`, `\x2f`, `\u002f`, `\/`, `&#x2f;` and `&#47;` as the character that they stand for. */
function unescaped(text: string): string {
	return text
		.replace(/(?:[%=]|\\x|\\u00|&#x0*)([\da-f]{2});?/gi, (_, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		)
		.replace(/&#0*(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
		.replace(/\\(?=\W)/g, '');
}
