/** A chat that takes messages as its incoming webhook does, and counts what else is requested from it. */
import { createServer } from 'node:http';

import { listen } from '../listen.mts';
import { until } from '../until.mts';

export type Chat = Awaited<ReturnType<typeof startChat>>;

export async function startChat() {
	const messages: string[] = [];
	let pings = 0;
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			if (request.method === 'POST') messages.push((JSON.parse(body) as { text: string }).text);
			else pings += 1;
			response.end('ok');
		});
	});
	const { port, close } = await listen(server);
	const url = `http://127.0.0.1:${port}`;
	return {
		/** Takes `{ "text": … }`. */
		url: `${url}/hook`,
		/** Any other address of the same server: what a dead man's switch would be. */
		pingUrl: `${url}/ping`,
		/** Messages so far, oldest first. */
		messages,
		pings: () => pings,
		/** The first message that has all these parts; those of former tests may come late. */
		noticeWith: async (...parts: string[]): Promise<string> =>
			await until(
				() => messages.find((text) => parts.every((part) => text.includes(part))),
				() => `no notice with ${parts.join(', ')}:\n${messages.join('\n')}`,
			),
		close,
	};
}
