/** A system that answers CallStart in the place of the service's user, such as an AI agent's. */
import { createServer, type ServerResponse } from 'node:http';

import { listen } from '../listen.mts';

export type Answer = (response: ServerResponse) => void;

/** The system that answered CallStart until now. */
export interface OtherSystem {
	url: string;
	/** Sets how it answers from now on. */
	answerBy(answer: Answer): void;
	/** The bodies that it has got. */
	received: string[];
	close(): Promise<void>;
}

export async function startOtherSystem(): Promise<OtherSystem> {
	const received: string[] = [];
	let answer: Answer = () => {};
	const server = createServer((request, response) => {
		let body = '';
		request.on('data', (chunk: Buffer) => (body += chunk.toString()));
		request.on('end', () => {
			received.push(body);
			answer(response);
		});
	});
	const { port, close } = await listen(server);
	return {
		url: `http://127.0.0.1:${port}/call-start`,
		received,
		answerBy: (next) => void (answer = next),
		close,
	};
}

export function answering(
	text: string | Buffer,
	{ status = 200, type = 'application/json' }: { status?: number; type?: string } = {},
): Answer {
	return (response: ServerResponse) => {
		response.writeHead(status, type === '' ? {} : { 'content-type': type }).end(text);
	};
}
