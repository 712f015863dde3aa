import { isJsonObject } from '../../data/json';

const MAX_CHARS = 200;

/** Where most services put their message; `title` and `detail` are those of RFC 9457. */
const MESSAGES = ['message', 'detail', 'error', 'title'];

/**
 * What the service says about a request that it refused: one short line of its text, without the secrets.
 * @param content a page, or parsed JSON
 */
export function safeExcerpt(content: unknown, secrets: readonly string[]): string | undefined {
	let text = messageIn(content)
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
	if (text === '' || text.startsWith('<')) return undefined;
	for (const secret of secrets.flatMap(encodingsOf)) text = text.replaceAll(secret, '[redacted]');
	return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}

/** The message in JSON, else the JSON or the text as it is. */
function messageIn(content: unknown): string {
	const json = typeof content === 'string' ? parsed(content) : content;
	const outer = isJsonObject(json) ? json : {};
	const inner = isJsonObject(outer.error) ? outer.error : {};
	const values = MESSAGES.flatMap((name) => [outer[name], inner[name]]);
	const message = values.find((value) => typeof value === 'string' && value !== '');
	if (typeof message === 'string') return message;
	if (typeof content === 'string') return content;
	// Not all of a long answer.
	return JSON.stringify(outer.error ?? outer.errors) ?? '';
}

function parsed(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
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
