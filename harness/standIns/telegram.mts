/** Telegram's bot API, as far as it takes messages. It refuses Markdown that does not end. */
import { createServer } from 'node:http';

import { listen } from '../listen.mts';
import type { CredentialInput } from '../n8n/n8n.mts';
import { until } from '../until.mts';

const MAX_CHARS = 4096;

export interface Telegram {
	credential: CredentialInput;
	/** The texts of all messages so far, without their markup. */
	messages: string[];
	/** How many messages it has refused. */
	refused(): number;
	messageWith(part: string): Promise<string>;
	close(): Promise<void>;
}

/**
 * The text without its markup, as Telegram's "Markdown (legacy)" is read: a backslash escapes what
 * begins an entity outside of one, and an entity needs its end.
 *
 * @returns null if an entity has no end
 */
function withoutMarkup(text: string): string | null {
	let plain = '';
	for (let at = 0; at < text.length; at++) {
		const character = text.charAt(at);
		if (character === '\\' && '_*`['.includes(text.charAt(at + 1))) {
			plain += text.charAt(++at);
		} else if ('_*`['.includes(character)) {
			const end = text.indexOf(character === '[' ? ']' : character, at + 1);
			if (end === -1) return null;
			plain += text.slice(at + 1, end);
			const link = /^\([^)]*\)/.exec(text.slice(end + 1));
			at = end + (character === '[' && link ? link[0].length : 0);
		} else plain += character;
	}
	return plain;
}

export async function startTelegram(): Promise<Telegram> {
	const messages: string[] = [];
	let refused = 0;
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			const { text, parse_mode: mode } = JSON.parse(body) as { text: string; parse_mode?: string };
			const plain = mode === 'Markdown' ? withoutMarkup(text) : text;
			const isTaken = plain !== null && plain.length <= MAX_CHARS;
			if (isTaken) messages.push(plain);
			else refused += 1;
			const description = "Bad Request: can't parse entities: Can't find end of the entity";
			const answer = isTaken
				? { ok: true, result: { message_id: messages.length, text: plain } }
				: { ok: false, error_code: 400, description };
			response
				.writeHead(isTaken ? 200 : 400, { 'content-type': 'application/json' })
				.end(JSON.stringify(answer));
		});
	});
	const { port, close } = await listen(server);
	return {
		credential: {
			name: 'Telegram',
			type: 'telegramApi',
			data: { accessToken: '1:token', baseUrl: `http://127.0.0.1:${port}` },
		},
		messages,
		refused: () => refused,
		messageWith: async (part) =>
			await until(
				() => messages.find((text) => text.includes(part)),
				() => `no message with ${part}, and ${refused} refused`,
			),
		close,
	};
}
