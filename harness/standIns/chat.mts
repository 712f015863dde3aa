/** A chat that takes messages as its incoming webhook does, and counts what else is requested from it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { listen } from '../listen.mts';

export interface Chat {
	/** Takes `{ "text": … }`. */
	url: string;
	/** Any other address of the same server: what a dead man's switch would be. */
	pingUrl: string;
	/** Messages so far, oldest first. */
	messages: string[];
	pings(): number;
	/** The first message that has all these parts; those of former tests may come late. */
	noticeWith(...parts: string[]): Promise<string>;
	close(): Promise<void>;
}

export async function startChat(): Promise<Chat> {
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
		url: `${url}/hook`,
		pingUrl: `${url}/ping`,
		messages,
		pings: () => pings,
		async noticeWith(...parts: string[]): Promise<string> {
			const deadline = Date.now() + 180_000;
			for (;;) {
				const found = messages.find((text) => parts.every((part) => text.includes(part)));
				if (found !== undefined) return found;
				assert.ok(
					Date.now() < deadline,
					`no notice with ${parts.join(', ')}:\n${messages.join('\n')}`,
				);
				await sleep(50);
			}
		},
		close,
	};
}
