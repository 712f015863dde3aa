/** A service of a test's own, for answers that the emulator does not give. */
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import { listen } from '../../harness/listen.mts';
import type { Credential, Execution } from '../../harness/n8n/n8n.mts';
import type { NodeRun } from '../../harness/nodeRun.mts';
import { apiCredential } from './engines.mts';

export interface Request {
	method: string;
	/** Without the query. */
	path: string;
	query: URLSearchParams;
}

export interface Reply {
	status?: number;
	headers?: Record<string, string>;
	/** A text or bytes as they are, anything else as JSON. */
	body?: unknown;
}

interface OwnService {
	url: string;
	voiceAgentApi: Credential;
	/** The requests that it has got. */
	requests: Request[];
	/** Runs the node with its credential. */
	run(run: NodeRun): Promise<Execution>;
}

export async function ownService(
	t: TestContext,
	engine: Engine,
	answer: (request: Request) => Reply,
	fields: Record<string, string> = {},
): Promise<OwnService> {
	const requests: Request[] = [];
	const server = createServer(({ method = '', url = '' }, response) => {
		const { pathname: path, searchParams: query } = new URL(url, 'http://localhost');
		const request = { method, path, query };
		requests.push(request);
		const { status = 200, headers, body } = answer(request);
		const isRaw = typeof body === 'string' || body instanceof Uint8Array;
		response
			.writeHead(status, { 'content-type': 'application/json', ...headers })
			.end(isRaw ? body : JSON.stringify(body));
	});
	const { port, close } = await listen(server);
	t.after(close);
	const baseUrl = `http://127.0.0.1:${port}`;
	const voiceAgentApi = await apiCredential(engine, { baseUrl, adapt: true, ...fields });
	return {
		url: baseUrl,
		voiceAgentApi,
		requests,
		run: async (run) => await engine.runNode({ ...run, credentials: { voiceAgentApi } }),
	};
}
