/** n8n's REST interface, as its editor uses it. */
import { setTimeout as sleep } from 'node:timers/promises';

import { isOtherVersion } from './installation.mts';
import type { N8nProcess } from './process.mts';

const REQUEST_TIMEOUT_MS = 180_000;

/** Every n8n of the harness belongs to this owner, who can also sign in through the browser. */
export const owner = {
	email: 'owner@example.com',
	password: 'Voice-Agent-1',
	firstName: 'Demo',
	lastName: 'Owner',
} as const;

export class RestClient {
	readonly process: N8nProcess;
	#cookie = '';

	constructor(n8nProcess: N8nProcess) {
		this.process = n8nProcess;
	}

	/**
	 * Signs in as the owner, or creates one if there is none.
	 *
	 * @throws {Error} when this n8n has another owner
	 */
	async ensureOwner(): Promise<void> {
		const { email: emailOrLdapLoginId, password } = owner;
		const signIn = this.request('POST', '/rest/login', { emailOrLdapLoginId, password });
		await signIn.catch(async () => await this.request('POST', '/rest/owner/setup', owner));
	}

	/**
	 * @returns the `data` of the answer
	 * @throws {Error} with n8n's message when it refuses
	 */
	async request<T = unknown>(method: string, path: string, body?: unknown): Promise<T> {
		const response = await this.fetch(method, path, body, AbortSignal.timeout(REQUEST_TIMEOUT_MS));
		// An address that a version of n8n does not have is answered with the page of its editor.
		if (isOtherVersion && response.headers.get('content-type')?.includes('html')) {
			throw new Error(`n8n answered 404 to ${method} ${path}`);
		}
		const answer = (await response.json()) as { data: T; message?: string };
		if (!response.ok) {
			throw new Error(`n8n answered ${response.status} to ${method} ${path}: ${answer.message}`);
		}
		return answer.data;
	}

	/** For answers that are not JSON with `data`. */
	async fetch(
		method: string,
		path: string,
		body?: unknown,
		signal?: AbortSignal,
		attempt = 1,
	): Promise<Response> {
		try {
			const response = await fetch(`${this.process.url}${path}`, {
				method,
				headers: {
					'content-type': 'application/json',
					// n8n ties its cookie to the browser that signed in.
					'browser-id': 'n8n-driver',
					cookie: this.#cookie,
					// n8n ends a connection that was idle for 5 seconds, perhaps just when it is used again.
					connection: 'close',
				},
				body: body === undefined ? undefined : JSON.stringify(body),
				signal,
			});
			const [cookie] = response.headers
				.getSetCookie()
				.filter((line) => line.startsWith('n8n-auth='));
			if (cookie !== undefined) this.#cookie = cookie.split(';')[0] ?? '';
			return response;
		} catch (error) {
			if (!this.process.isRunning) {
				throw new Error(`n8n has ended. It printed last:\n${this.process.logTail()}`, {
					cause: error,
				});
			}
			if (signal?.aborted) {
				throw new Error(
					`n8n did not answer ${method} ${path} within ${REQUEST_TIMEOUT_MS / 1000} s. ` +
						`It printed last:\n${this.process.logTail()}`,
				);
			}
			// A busy n8n resets connections; reading again changes nothing.
			if (method !== 'GET' || attempt === 3) throw error;
			await sleep(200 * attempt);
			return await this.fetch(method, path, body, signal, attempt + 1);
		}
	}
}
