import { jsonParse } from 'n8n-workflow';

import { isJsonObject, plainName } from '../../data/json';

const MAX_CHARS = 300;
const MAX_PAGE_CHARS = 8 * 1024;

const REDACTED = '[redacted]';
const MAX_ENCODINGS = 3;
/** What may be Base64, in either alphabet, or hexadecimal. */
const ENCODED = /[\w+/-]{6,}={0,2}/g;
const ENTITIES = new Map(
	'amp& apos\' equals= gt> lt< plus+ quot" sol/'
		.split(' ')
		.map((one) => [one.slice(0, -1), one.slice(-1)]),
);

/** The fields in which public APIs put their sentence, as `plainName` has them. The first one counts. */
const TEXTS =
	'message detail details description errordescription errormessage msg reason error'.split(' ');
/** The fields with an object, or a list of objects, that have such a field. */
const PLACES = 'error errors detail details fault'.split(' ');

/**
 * What the service says about a request that it refused, as one short line without the secrets: its sentence if one is
 * found, else everything.
 */
export function safeExcerpt(
	page: string,
	secrets: readonly string[],
	json: unknown = jsonParse(page, { fallbackValue: null }),
): string | undefined {
	const sentence = sentenceIn(json);
	let text = (sentence === undefined ? page : sentence + referenceIn(json))
		.slice(0, MAX_PAGE_CHARS)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets) text = redacted(text, secret);
	return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function sentenceIn(json: unknown): string | undefined {
	const roots = [json].flat();
	const inner = roots.flatMap((root) => fieldsOf(root, PLACES)).flat();
	const texts = [...[...roots, ...inner].map(textOf), ...inner.map(textsByField)];
	return texts.find((text) => text !== undefined);
}

/** `{ "To": ["The To field is required."] }`, as many frameworks refuse the fields of a request. */
function textsByField(value: unknown): string | undefined {
	const fields = Object.entries(isJsonObject(value) ? value : {}).filter(([, one]) =>
		Array.isArray(one),
	);
	const texts = fields.flatMap(([name, list]) =>
		(list as unknown[])
			.filter(isText)
			.map((text) => (text.includes(name) ? text : `${name}: ${text}`)),
	);
	return texts.length > 0 ? texts.join(' ') : undefined;
}

/** What support asks for. */
function referenceIn(json: unknown): string {
	const reference = fieldsOf(json, ['traceid', 'requestid', 'correlationid']).find(isText);
	return reference === undefined ? '' : ` (trace ID ${reference})`;
}

/** A text itself, or the one of an object. */
function textOf(value: unknown): string | undefined {
	if (!isJsonObject(value)) return isText(value) ? value : undefined;
	// A headline says less than what is around it.
	const isFlat = !Object.values(value).some((field) => typeof field === 'object' && field !== null);
	return fieldsOf(value, isFlat ? [...TEXTS, 'title'] : TEXTS).find(isText);
}

function isText(value: unknown): value is string {
	return typeof value === 'string' && value.trim() !== '';
}

function fieldsOf(value: unknown, names: readonly string[]): unknown[] {
	const entries = isJsonObject(value) ? Object.entries(value) : [];
	const fields = new Map(entries.map(([name, field]) => [plainName(name), field]));
	return names.map((name) => fields.get(name));
}

/** Without the secret. If a service echoes it in another form, nothing is shown. */
function redacted(text: string, secret: string): string {
	const raw = new RegExp(secret.replace(/[^\w\s]/g, '\\$&'), 'gi');
	const known = text.replace(raw, REDACTED);
	const isLeft = [known, known.replace(/\s/g, '')].some((one) => holds(one, secret));
	return isLeft ? REDACTED : known;
}

/** Whether a text has the secret in it, in any letter case, with several encodings around each other. */
function holds(text: string, secret: string, depth = MAX_ENCODINGS): boolean {
	const isRaw = text.toLowerCase().includes(secret.toLowerCase());
	if (isRaw || depth === 0) return isRaw;
	const runs = text.match(ENCODED) ?? [];
	const decoded = runs.flatMap((run) => [
		...[0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64').toString()),
		...[0, 1].map((start) => Buffer.from(run.slice(start), 'hex').toString()),
	]);
	return [unescaped(text), ...decoded].some(
		(one) => one !== text && one !== '' && holds(one, secret, depth - 1),
	);
}

/** `%2f`, `=2F`, `\x2f`, `\u002f`, `\/`, `&#x2f;`, `&#47;` and `&sol;` as the character that they stand for. */
function unescaped(text: string): string {
	return text
		.replace(/(?:[%=]|\\x|\\u00|&#x0*)([\da-f]{2});?/gi, (_, hex: string) =>
			String.fromCharCode(parseInt(hex, 16)),
		)
		.replace(/&#0*(\d{2,3});/g, (_, code: string) => String.fromCharCode(Number(code)))
		.replace(/&([a-z]+);/gi, (all, name: string) => ENTITIES.get(name.toLowerCase()) ?? all)
		.replace(/\\(?=\W)/g, '');
}
