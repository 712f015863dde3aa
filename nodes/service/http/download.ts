import { type Reason, VoiceAgentError } from '../../errors';
import type { Chunks } from '../../recordingFile/chunks';
import { isLoopback } from '../apiCredential';
import { type Answer, type Limits, limitedBody } from './answer';
import { connectionError } from './httpErrors';
import { type RetryOptions, withRetries } from './retries';
import type { RequestContext, SendOptions, ServiceAccess } from './transport';
import { exchange, isSuccess, send, serviceAccess } from './transport';

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;
const ACCEPT = { accept: '*/*' };
/**
 * What a file looks like whose end is missing. Without an announced length, nothing else shows
 * that.
 */
const CUT: readonly Reason[] = ['recordingIncomplete', 'wrongPasswordOrAltered'];

/** `deadlineMs` is for all attempts together. */
export type DownloadOptions = Pick<SendOptions, 'itemIndex' | 'statusReasons'> &
	Limits &
	Pick<RetryOptions, 'wait'>;

export interface DownloadedFile {
	chunks: Chunks;
	/** As the service says; empty if it says nothing. */
	contentType: string;
	/** 0 if the service does not say how long the file is. */
	announcedBytes: number;
	/**
	 * Whether the transfer has an end that tells from a connection which was cut (RFC 9112, 7.1).
	 */
	isEndMarked: boolean;
}

/**
 * Downloads a file and passes its chunks to `use`, which stores them. If either fails for a reason
 * that may pass, both start over, so `use` must leave nothing behind when the chunks end in an
 * error, such as when fewer bytes arrive than announced. Only downloads follow redirects: a service
 * may keep files at a storage address.
 */
export async function download<T>(
	context: RequestContext,
	path: string,
	{ maxBytes, deadlineMs, wait, ...options }: DownloadOptions,
	use: (file: DownloadedFile) => Promise<T>,
): Promise<T> {
	const attempt = async () => {
		const access = await serviceAccess(context, options.itemIndex);
		const follow = async (first: Answer) => await redirected(context, access, first);
		const answer = await send(context, access, 'GET', path, { ...options, ...ACCEPT, follow });
		const length = answer.header('content-length');
		try {
			if ([202, 204].includes(answer.status)) throw new VoiceAgentError('recordingNotReady');
			if (isPart(answer)) throw incomplete('recordingIncomplete', 'only a part of it arrived');
			return await use({
				chunks: limitedBody(answer, { maxBytes, deadlineMs }),
				contentType: answer.header('content-type') ?? '',
				announcedBytes: Number(length ?? 0),
				isEndMarked: /\bchunked$/i.test(answer.header('transfer-encoding') ?? ''),
			});
		} catch (error) {
			const isCut =
				length === undefined && error instanceof VoiceAgentError && CUT.includes(error.reason);
			throw isCut ? incomplete(error.reason, error.detail, error.hint) : error;
		} finally {
			answer.body.destroy();
		}
	};
	return await withRetries(attempt, { deadlineMs, wait });
}

function incomplete(reason: Reason, detail?: string, hint?: string): VoiceAgentError {
	return new VoiceAgentError(reason, { detail, hint, retryable: true });
}

/**
 * 206 Partial Content without a range of the whole file, or a range of less: some services send
 * that with status 200.
 */
export function isPart({ status, header }: Pick<Answer, 'status' | 'header'>): boolean {
	const range = String(header('content-range'));
	const [, from, to, total] = /^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(range) ?? [];
	const length = Number(to) - Number(from) + 1;
	return status === 206 ? length !== Number(total) : length < Number(total);
}

/**
 * The answer itself, or the file that it redirects to. The API key goes to the origin of the Base
 * URL only, until another host is asked. An address may hold a secret, such as a signature, so
 * errors show its host only.
 * @throws VoiceAgentError `redirectRefused` or `storageFailed` after a redirect
 */
async function redirected(
	context: RequestContext,
	access: ServiceAccess,
	first: Answer,
): Promise<Answer> {
	const base = new URL(access.baseUrl);
	let answer = first;
	let isAtService = true;
	for (let followed = 0; REDIRECTS.includes(answer.status); followed++) {
		answer.body.destroy();
		if (followed === MAX_REDIRECTS) throw refused(`there are more than ${MAX_REDIRECTS} in a row`);
		const { href: url, host, origin } = targetOf(answer, base);
		isAtService &&= origin === base.origin;
		const key = isAtService ? { access } : {};
		answer = await exchange(context, { method: 'GET', url, ...ACCEPT, ...key }).catch((error) =>
			Promise.reject(connectionError(error, first.excerpt(host))),
		);
	}
	if (answer === first || isSuccess(answer)) return answer;
	answer.body.destroy();
	// Another attempt begins at the service, which may give another link.
	const detail = `${first.excerpt(answer.url.host)} answered with status ${answer.status}`;
	throw new VoiceAgentError('storageFailed', { detail, retryable: true });
}

function targetOf({ excerpt, header, url }: Answer, base: URL): URL {
	// Node reads headers as Latin-1, and the bytes of an address are UTF-8.
	const location = Buffer.from(header('location') ?? '', 'latin1').toString();
	if (location === '') throw refused('it has no address');
	if (!URL.canParse(location, url.href)) throw refused('its address cannot be read');
	const target = new URL(location, url);
	if (target.username !== '' || target.password !== '') {
		throw refused('its address has a user name or password');
	}
	const isLocal = isLoopback(target.hostname) && isLoopback(base.hostname);
	if (target.protocol !== 'https:' && !(target.protocol === 'http:' && isLocal)) {
		const detail = `its address does not start with https://, but with ${excerpt(target.protocol)}`;
		throw refused(detail);
	}
	return target;
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('redirectRefused', { detail });
}
