import { randomInt } from 'node:crypto';
import { type IExecuteFunctions, type IHttpRequestMethods, sleep } from 'n8n-workflow';

import { parseTime } from '../../../data/times';
import type { VoiceAgentError } from '../../../errors';
import { isLoopback } from '../../../service/apiCredential';
import type { Answer } from '../../../service/http/answer';
import { answerError, reasonOfStatus } from '../../../service/http/answerError';
import { followRedirects } from '../../../service/http/download';
import { connectionError } from '../../../service/http/httpErrors';
import { readText } from '../../../service/http/request';
import { exchange, isSuccess, type ServiceAccess } from '../../../service/http/transport';
import type { PageQuery } from '../../../service/list/readPage';
import { type FileFacts, jsonIn, readHead } from './fileFacts';

/** Between two requests, so that the service has other things to do. */
export const PAUSE_MS = 500;
/** No exploration needs more, whatever the service answers. */
export const MAX_REQUESTS = 30;
/** One answer may take so long. */
const ANSWER_MS = 60_000;

/** Which API key a request carries. */
type Key = 'own' | 'none' | 'wrong';

export interface Asked {
	method: string;
	/** Behind the Base URL. */
	path: string;
	query: PageQuery;
	key: Key;
	body?: unknown;
}

/** A redirect on the way to an answer. */
export interface Hop {
	status: number;
	location: string;
}

export interface Answered {
	status: number;
	/** By name in lower case. */
	headers: Readonly<Record<string, unknown>>;
	/** When the service answered by its own clock, in milliseconds since 1970. */
	serviceTimeMs: number;
	hops: Hop[];
	/** Of anything but a file. Empty if there is no body. */
	text: string;
	/** The text as JSON; `undefined` if it is none. */
	json: unknown;
	/** What the first bytes of a file show. */
	file?: FileFacts;
}

/** A request and what came of it. */
export interface Exchange {
	name: string;
	asked: Asked;
	answer?: Answered;
	/** Why there is no answer. */
	failure?: VoiceAgentError;
}

interface Question extends Partial<Asked> {
	/** Reads only the first bytes, and follows redirects as a download does. */
	isFile?: boolean;
}

/**
 * Asks the service one question after the other, with a pause between them, and records what comes.
 * The API key goes to the origin of the Base URL only. After a 429, nothing more is asked.
 */
export class Asker {
	readonly exchanges: Exchange[] = [];
	/** Why nothing more is asked; `undefined` while there are requests left. */
	stopped: string | undefined;

	constructor(
		private readonly context: IExecuteFunctions,
		readonly access: ServiceAccess,
		readonly passwords: readonly string[],
	) {}

	/** How many more requests may be made. */
	get left(): number {
		return this.stopped === undefined ? MAX_REQUESTS - this.exchanges.length : 0;
	}

	/** @returns `undefined` if nothing more is asked */
	async ask(
		name: string,
		path: string,
		{ method = 'GET', query = {}, key = 'own', body, isFile = false }: Question = {},
	): Promise<Exchange | undefined> {
		if (this.left === 0) {
			this.stopped ??= `${MAX_REQUESTS} requests were made, and no more are`;
			return undefined;
		}
		if (this.exchanges.length > 0) await this.pause();
		const asked = { method, path, query: { ...this.access.query, ...query }, key, body };
		const one: Exchange = { name, asked };
		this.exchanges.push(one);
		try {
			one.answer = await this.answerTo(asked, isFile);
		} catch (error) {
			one.failure = connectionError(error);
		}
		if (one.answer?.status === 429) {
			this.stopped = 'the service asks for fewer requests (status 429), so Explore has stopped';
		}
		return one;
	}

	/** A service on this machine needs no pause. */
	private async pause(): Promise<void> {
		if (!isLoopback(new URL(this.access.baseUrl).hostname)) await sleep(PAUSE_MS);
	}

	private async answerTo(asked: Asked, isFile: boolean): Promise<Answered> {
		const { method, path, query, key, body } = asked;
		const url = `${this.access.baseUrl}${path}`;
		const access = key === 'none' ? undefined : this.accessWith(key);
		const accept = isFile ? '*/*' : 'application/json';
		const options = { method: method as IHttpRequestMethods, url, query, body, accept };
		const first = await exchange(this.context, { ...options, ...(access && { access }) });
		const hops: Hop[] = [];
		const onHop = ({ status, header }: Answer) => {
			hops.push({ status, location: header('location') ?? '' });
		};
		const answer =
			isFile && access ? await followRedirects(this.context, access, first, onHop) : first;
		try {
			return { ...(await this.read(answer, isFile)), hops };
		} finally {
			answer.body.destroy();
		}
	}

	private async read(answer: Answer, isFile: boolean): Promise<Omit<Answered, 'hops'>> {
		const { status, headers } = answer;
		const dateMs = parseTime(answer.header('date'));
		const said = { status, headers, serviceTimeMs: dateMs > 0 ? dateMs : Date.now() };
		const deadlineMs = Date.now() + ANSWER_MS;
		if (isFile && isSuccess(answer)) {
			const file = await readHead(answer, this.passwords, deadlineMs);
			if (typeof file === 'string') return { ...said, text: file, json: jsonIn(file) };
			return { ...said, text: '', json: undefined, file };
		}
		const text = await readText(answer, deadlineMs);
		return { ...said, text, json: jsonIn(text) };
	}

	private accessWith(key: Exclude<Key, 'none'>): ServiceAccess {
		if (key === 'own') return this.access;
		const apiKey = otherKey(this.access.apiKey);
		return { ...this.access, apiKey, data: { ...this.access.data, apiKey } };
	}
}

/** @throws VoiceAgentError if the service refuses the API key, or if there was no answer */
export function requireAccepted({ asked, answer, failure }: Exchange, access: ServiceAccess): void {
	if (failure !== undefined) throw failure;
	if (answer?.status !== 401 && answer?.status !== 403) return;
	const { status, headers } = answer;
	const said = {
		status,
		excerpt: () => undefined,
		header: (name: string) => headers[name] as string | undefined,
	};
	const request = `${asked.method} ${access.baseUrl}${asked.path}`;
	throw answerError(said, reasonOfStatus(status), request, undefined);
}

/** A key of the same form that nobody has: letters and digits are others. */
function otherKey(key: string): string {
	const letters = 'abcdefghijklmnopqrstuvwxyz';
	const other = key
		.replace(/\d/g, () => String(randomInt(10)))
		.replace(/[a-z]/g, () => letters.charAt(randomInt(letters.length)))
		.replace(/[A-Z]/g, () => letters.charAt(randomInt(letters.length)).toUpperCase());
	return other === key ? `${key}0` : other;
}
