/** A provider that is compatible with OpenAI: its models say what the test lets them say. */
import { createServer } from 'node:http';

import { listen } from '../listen.mts';
import type { CredentialInput } from '../n8n/n8n.mts';

export interface ChatRequest {
	messages: Array<{ role: string; content: unknown; tool_calls?: unknown[] }>;
	tools?: Array<{ function: { name: string; description: string; parameters: object } }>;
}

export interface ChatMessage {
	content: string | null;
	tool_calls?: object[];
}

/** A file that was sent to be transcribed. */
export interface Audio {
	name: string;
	content: Buffer;
}

export interface OpenAi {
	/** The base of its addresses. */
	url: string;
	credential: CredentialInput;
	/** What the chat model was asked, oldest first. */
	requests: ChatRequest[];
	/** What was sent to be transcribed, oldest first. */
	audio: Audio[];
	close(): Promise<void>;
}

const KEY = 'sk-stand-in';

/** The most that OpenAI takes. */
const MAX_BYTES = 25 * 1024 * 1024;
const FORMATS = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];

export async function startOpenAi(models: {
	chat(request: ChatRequest): ChatMessage;
	/** @returns the transcript, or the status of an error */
	transcribe?(audio: Audio): { text: string; language: string; duration: number } | number;
}): Promise<OpenAi> {
	const requests: ChatRequest[] = [];
	const audio: Audio[] = [];

	function complete(request: ChatRequest): object {
		requests.push(request);
		const message = { role: 'assistant', ...models.chat(request) };
		return {
			id: 'chatcmpl-1',
			object: 'chat.completion',
			created: 0,
			model: 'fake-1',
			choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	async function transcribe(body: Buffer, contentType: string): Promise<object | number> {
		const headers = { 'content-type': contentType };
		const form = await new Response(new Uint8Array(body), { headers }).formData();
		const file = form.get('file');
		if (!(file instanceof File)) return 400;
		const content = Buffer.from(await file.arrayBuffer());
		const one = { name: file.name, content };
		audio.push(one);
		if (!FORMATS.includes(file.name.split('.').at(-1) ?? '')) return 400;
		if (content.length > MAX_BYTES) return 413;
		const said = models.transcribe?.(one) ?? 404;
		if (typeof said === 'number' || form.get('response_format') === 'verbose_json') return said;
		return { text: said.text };
	}

	const server = createServer((request, response) => {
		const chunks: Buffer[] = [];
		request.on('data', (chunk: Buffer) => chunks.push(chunk));
		request.on('end', () => {
			void (async () => {
				const body = Buffer.concat(chunks);
				const answer =
					request.headers.authorization !== `Bearer ${KEY}`
						? 401
						: request.url?.endsWith('/audio/transcriptions')
							? await transcribe(body, String(request.headers['content-type']))
							: complete(JSON.parse(body.toString()) as ChatRequest);
				const isError = typeof answer === 'number';
				response.statusCode = isError ? answer : 200;
				response.setHeader('content-type', 'application/json');
				const error = { message: `Refused with ${String(answer)}`, type: 'stand_in' };
				response.end(JSON.stringify(isError ? { error } : answer));
			})();
		});
	});
	const { port, close } = await listen(server);
	const url = `http://127.0.0.1:${port}/v1`;
	return {
		url,
		credential: {
			name: 'OpenAI stand-in',
			type: 'openAiApi',
			data: { apiKey: KEY, organizationId: '', url, header: false },
		},
		requests,
		audio,
		close,
	};
}
