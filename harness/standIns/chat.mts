/** A chat with an incoming webhook for messages. It also counts requests to a second address. */
import { createServer } from 'node:http';

import { listen } from '../listen.mts';
import { until } from '../until.mts';

export interface Chat {
	/** Takes `{ "text": … }`. */
	url: string;
	/** Counts requests, as the address of a dead man's switch would. */
	pingUrl: string;
	/** Takes no messages from now on, or takes them again. */
	refuse(isRefusing: boolean): void;
	/** Messages so far, oldest first. */
	messages: string[];
	pings(): number;
	/** The first message that has all these parts. Those of former tests may come late. */
	noticeWith(...parts: string[]): Promise<string>;
	close(): Promise<void>;
}

export async function startChat(): Promise<Chat> {
	const messages: string[] = [];
	let pings = 0;
	let isRefusing = false;
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			if (isRefusing) response.writeHead(404);
			else if (request.method === 'POST')
				messages.push((JSON.parse(body) as { text: string }).text);
			else pings += 1;
			response.end('ok');
		});
	});
	const { port, close } = await listen(server);
	const url = `http://127.0.0.1:${port}`;
	return {
		url: `${url}/hook`,
		pingUrl: `${url}/ping`,
		refuse: (isTrue) => void (isRefusing = isTrue),
		messages,
		pings: () => pings,
		noticeWith: async (...parts) =>
			await until(
				() => messages.find((text) => parts.every((part) => text.includes(part))),
				() => `no notice with ${parts.join(', ')}:\n${messages.join('\n')}`,
			),
		close,
	};
}
