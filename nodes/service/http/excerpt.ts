import { jsonParse } from 'n8n-workflow';

import { isJsonObject, plainName } from '../../data/json';

const MAX_CHARS = 300;
const MAX_PAGE_CHARS = 64 * 1024;

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
	let text = (sentenceIn(json) ?? page)
		.slice(0, MAX_PAGE_CHARS)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets.flatMap(encodingsOf)) text = text.replaceAll(secret, '[redacted]');
	return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

function sentenceIn(json: unknown): string | undefined {
	const roots = [json].flat();
	const inner = roots.flatMap((root) => fieldsOf(root, PLACES)).flat();
	return [...roots, ...inner].map(textOf).find((text) => text !== undefined);
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

/** The forms in which a service may echo a secret. */
function encodingsOf(secret: string): string[] {
	const bytes = Buffer.from(secret);
	return [
		secret,
		encodeURIComponent(secret),
		JSON.stringify(secret).slice(1, -1),
		bytes.toString('base64'),
		bytes.toString('hex'),
	];
}
