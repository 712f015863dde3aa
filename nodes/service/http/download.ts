import { type Reason, VoiceAgentError } from '../../errors';
import type { Chunks } from '../../recordingFile/chunks';
import { isLoopback } from '../apiCredential';
import { type Answer, type Limits, limitedBody } from './answer';
import { connectionError } from './httpErrors';
import { type RetryOptions, withRetries } from './retries';
import {
	exchange,
	isSuccess,
	type RequestContext,
	send,
	type SendOptions,
	type ServiceAccess,
} from './transport';

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;
/** The service has nothing yet: 202 Accepted and 204 No Content. */
const NOT_READY = [202, 204];
const ACCEPT = { accept: '*/*' };
/**
 * Why a file is refused whose end is missing. If the service announces no length, only these errors
 * show that it may have been cut off.
 */
const MAY_BE_CUT_OFF: readonly Reason[] = ['recordingIncomplete', 'wrongPasswordOrAltered'];

export interface DownloadOptions
	extends Limits,
		Pick<SendOptions, 'statusReasons'>,
		Pick<RetryOptions, 'wait'> {
	/** For all attempts together, in milliseconds since 1970. */
	deadlineMs: number;
}

export interface DownloadedFile {
	chunks: Chunks;
	/** As the service says; empty if it says nothing. */
	contentType: string;
	/** How long the file is; `undefined` if the service does not say it. */
	announcedBytes: number | undefined;
	/**
	 * Whether the end of the transfer is marked, so that a lost connection cannot pass for it (RFC
	 * 9112, 7.1).
	 */
	isEndMarked: boolean;
}

/**
 * Downloads a file and passes its chunks to `use`, which stores them. If either fails for a reason
 * that may pass, both start over, so `use` must leave nothing behind when the chunks end in an
 * error.
 *
 * The chunks end in an error if fewer bytes arrive than announced. If the service announces no
 * length, a file that seems to be cut off is tried again.
 *
 * Only downloads follow redirects: a service may keep files at a storage address.
 */
export async function download<T>(
	context: RequestContext,
	access: ServiceAccess,
	path: string,
	{ maxBytes, deadlineMs, wait, ...options }: DownloadOptions,
	use: (file: DownloadedFile) => Promise<T>,
): Promise<T> {
	const attempt = async () => {
		const follow = async (first: Answer) => await followRedirects(context, access, first);
		const answer = await send(context, access, 'GET', path, { ...options, ...ACCEPT, follow });
		const announcedBytes = announcedLength(answer);
		try {
			if (NOT_READY.includes(answer.status)) throw new VoiceAgentError('recordingNotReady');
			if (isPart(answer)) {
				const detail = 'only a part of it arrived';
				throw new VoiceAgentError('recordingIncomplete', { detail, retryable: true });
			}
			return await use({
				chunks: limitedBody(answer, { maxBytes, deadlineMs }),
				contentType: answer.header('content-type') ?? '',
				announcedBytes,
				isEndMarked: /\bchunked$/i.test(answer.header('transfer-encoding') ?? ''),
			});
		} catch (error) {
			// If it is known how long the file is, the chunks have ended in an error if it was cut off.
			throw announcedBytes === undefined ? retryableIfCutOff(error) : error;
		} finally {
			answer.body.destroy();
		}
	};
	return await withRetries(attempt, { deadlineMs, wait });
}

/** How long the file is. Node refuses an answer whose length is not a whole number. */
function announcedLength({ header }: Answer): number | undefined {
	const length = header('content-length');
	return length === undefined ? undefined : Number(length);
}

/** The error about a file without an announced length: if it may be cut off, it is tried again. */
function retryableIfCutOff(error: unknown): unknown {
	if (!(error instanceof VoiceAgentError)) return error;
	const { reason, detail, hint } = error;
	if (!MAY_BE_CUT_OFF.includes(reason)) return error;
	return new VoiceAgentError(reason, { detail, hint, retryable: true });
}

/**
 * Whether an answer has only a part of the file: 206 Partial Content without a range of the whole
 * file, or a range of less with any status. Some services send that with 200.
 */
export function isPart({ status, header }: Pick<Answer, 'status' | 'header'>): boolean {
	const range = /^bytes\s+(\d+)-(\d+)\/(\d+)$/i.exec(header('content-range') ?? '');
	if (!range) return status === 206;
	const [, from, to, all] = range;
	const length = Number(to) - Number(from) + 1;
	const total = Number(all);
	// More than the whole file is a contradiction, which only a status of 206 makes a doubt.
	return status === 206 ? length !== total : length < total;
}

/**
 * The answer itself, or the file that it redirects to.
 *
 * The API key goes to the origin of the Base URL only. Once another origin was asked, no later
 * request has the key, not even one back to the service. A redirect leads to https, or to this
 * machine if the service is on it too. Its address may hold a secret, such as a signature, so
 * errors show its host only.
 *
 * @param onRedirect called with each answer that is a redirect
 *
 * @throws VoiceAgentError `redirectRefused` or `storageFailed` after a redirect
 */
export async function followRedirects(
	context: RequestContext,
	access: ServiceAccess,
	first: Answer,
	onRedirect: (answer: Answer) => void = () => undefined,
): Promise<Answer> {
	const base = new URL(access.baseUrl);
	let answer = first;
	let isAtService = true;
	for (let followed = 0; REDIRECTS.includes(answer.status); followed++) {
		answer.body.destroy();
		onRedirect(answer);
		if (followed === MAX_REDIRECTS) {
			throw redirectRefused(`there are more than ${MAX_REDIRECTS} in a row`);
		}
		const { href: url, host, origin } = targetOf(answer, base);
		if (origin !== base.origin) isAtService = false;
		const authentication = isAtService ? { access } : {};
		try {
			answer = await exchange(context, { method: 'GET', url, ...ACCEPT, ...authentication });
		} catch (error) {
			throw connectionError(error, first.excerpt(host));
		}
	}
	if (answer === first || isSuccess(answer)) return answer;
	answer.body.destroy();
	// Another attempt begins at the service, which may give another link.
	const detail = `${first.excerpt(answer.url.host)} answered with status ${answer.status}`;
	throw new VoiceAgentError('storageFailed', { detail, retryable: true });
}

/** @throws VoiceAgentError `redirectRefused` if an answer redirects to where nothing may be sent */
function targetOf({ excerpt, header, url }: Answer, base: URL): URL {
	// Node reads headers as Latin-1, and the bytes of an address are UTF-8.
	const location = Buffer.from(header('location') ?? '', 'latin1').toString();
	if (location === '') throw redirectRefused('it has no address');
	if (!URL.canParse(location, url.href)) throw redirectRefused('its address cannot be read');
	const target = new URL(location, url);
	if (target.username !== '' || target.password !== '') {
		throw redirectRefused('its address has a user name or password');
	}
	const isLocal = isLoopback(target.hostname) && isLoopback(base.hostname);
	if (target.protocol !== 'https:' && !(target.protocol === 'http:' && isLocal)) {
		const detail = `its address does not start with https://, but with ${excerpt(target.protocol)}`;
		throw redirectRefused(detail);
	}
	return target;
}

function redirectRefused(detail: string): VoiceAgentError {
	return new VoiceAgentError('redirectRefused', { detail });
}
