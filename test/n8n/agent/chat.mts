/**
 * A person in the hosted chat of a published agent, who uses its webhook, its socket and the links
 * of its buttons.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';

import type { N8n } from '../../../harness/n8n/n8n.mts';
import { until } from '../../../harness/until.mts';

export const CHAT = 'When you ask in the chat';

/** n8n ignores programs that only look at a link, such as those that draw a preview of it. */
const BROWSER = [
	'Mozilla/5.0 (X11; Linux x86_64)',
	'AppleWebKit/537.36 (KHTML, like Gecko)',
	'Chrome/140.0.0.0',
	'Safari/537.36',
].join(' ');

export interface Question {
	text: string;
	/** Links by the texts of the buttons. */
	buttons: Record<string, string>;
}

export class Chat {
	readonly executionId: string;
	readonly #token: string;
	readonly #sessionId: string;
	readonly #said: string[] = [];
	#socket!: WebSocket;

	private constructor(executionId: string, token: string, sessionId: string) {
		this.executionId = executionId;
		this.#token = token;
		this.#sessionId = sessionId;
	}

	/** Says something to the agent of a published workflow. */
	static async begin(n8n: N8n, workflowId: string, chatInput: string): Promise<Chat> {
		const sessionId = randomUUID();
		const { pathname } = new URL(await n8n.webhookUrl(workflowId, CHAT));
		const body = { action: 'sendMessage', sessionId, chatInput };
		const response = await n8n.fetch('POST', pathname, body);
		assert.equal(response.status, 200);
		const started = (await response.json()) as { executionId: string; resumeToken: string };
		const chat = new Chat(started.executionId, started.resumeToken, sessionId);
		chat.open(n8n);
		return chat;
	}

	/** Opens the chat, again after n8n was started again. */
	open(n8n: N8n): void {
		const query = new URLSearchParams({
			sessionId: this.#sessionId,
			executionId: this.executionId,
			isPublic: 'true',
			token: this.#token,
		});
		this.#socket = new WebSocket(`${n8n.url.replace('http', 'ws')}/chat?${query}`);
		this.#socket.addEventListener('message', ({ data }) => {
			const message = String(data);
			if (message === 'n8n|heartbeat') this.#socket.send('n8n|heartbeat-ack');
			else if (message !== 'n8n|continue') this.#said.push(message);
		});
	}

	/** The next message in the chat. */
	async hears(): Promise<string> {
		return await until(() => this.#said.shift());
	}

	/** The next message, which has to be a question with buttons. */
	async isAsked(): Promise<Question> {
		const message = JSON.parse(await this.hears()) as {
			text: string;
			buttons: Array<{ text: string; link: string }>;
		};
		const buttons = message.buttons.map(({ text, link }) => [text, link] as const);
		return { text: message.text, buttons: Object.fromEntries(buttons) };
	}

	type(chatInput: string): void {
		const message = { sessionId: this.#sessionId, action: 'sendMessage', chatInput };
		this.#socket.send(JSON.stringify(message));
	}

	close(): void {
		this.#socket.close();
	}
}

/** Opens the link of a button in a browser, and returns the status of the answer. */
export async function press(link: string | undefined): Promise<number> {
	assert.ok(link, 'there is no such button');
	const response = await fetch(link, {
		headers: { 'user-agent': BROWSER, connection: 'close' },
	});
	await response.arrayBuffer();
	return response.status;
}
