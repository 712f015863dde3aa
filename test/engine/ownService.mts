/** A service of a test's own, for answers that the emulator does not give. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

import type { Engine } from '../../harness/engine/engine.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { API_KEY } from '../../harness/serviceAccess.mts';

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

/** @returns a credential for it, and the requests that it gets */
export async function ownService(
	t: TestContext,
	engine: Engine,
	answer: (request: Request) => Reply,
	fields: Record<string, string> = {},
): Promise<{ voiceAgentApi: Credential; requests: Request[] }> {
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
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.after(() => server.close());
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const voiceAgentApi = await engine.n8n.createCredential({
		name: baseUrl,
		type: 'voiceAgentApi',
		data: { baseUrl, apiKey: API_KEY, adapt: true, ...fields },
	});
	return { voiceAgentApi, requests };
}
