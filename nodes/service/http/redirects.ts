import { VoiceAgentError } from '../../errors';
import type { Answer, Limits } from './answer';
import { isLoopback } from '../apiCredential';
import { connectionError, parseRetryAfter } from './httpErrors';
import type { RequestContext, SendOptions } from './transport';
import { accepted, exchange, serviceAccess } from './transport';

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;

/**
 * Asks the service for a file, once, and follows its redirects, because a service may keep files at a storage address.
 * Nothing else follows redirects.
 *
 * The API key goes to the origin of the Base URL only. A redirect leads to https, or to this machine if the service is on
 * this machine too. Its address may hold a secret, such as a signature, so errors show its host only.
 *
 * @returns an answer with a status of 2xx, its body not yet read
 * @throws VoiceAgentError like `send`; `redirectRefused` or `storageFailed` after a redirect
 */
export async function sendDownload(
	context: RequestContext,
	path: string,
	{ deadlineMs, ...options }: SendOptions & Pick<Limits, 'deadlineMs'>,
): Promise<Answer> {
	const access = await serviceAccess(context, options.itemIndex);
	const base = new URL(access.baseUrl);
	let url = new URL(`${access.baseUrl}${path}`);
	const ask = async (query?: SendOptions['query']) =>
		await exchange(context, {
			method: 'GET',
			url: url.href,
			options: { query, accept: '*/*' },
			...(url.origin === base.origin && { access }),
		});

	let answer = await ask({ ...access.query, ...options.query }).catch((error) =>
		Promise.reject(connectionError(error)),
	);
	if (!REDIRECTS.includes(answer.status)) {
		return await accepted(answer, `GET ${access.baseUrl}${path}`, options);
	}
	for (let followed = 0; REDIRECTS.includes(answer.status); followed++) {
		answer.body.destroy();
		if (followed === MAX_REDIRECTS) throw refused(`there are more than ${MAX_REDIRECTS} in a row`);
		if (Date.now() > deadlineMs) throw new VoiceAgentError('deadlineExceeded');
		url = targetOf(answer.header('location') ?? '', url, base);
		answer = await ask().catch((error) =>
			Promise.reject(connectionError(error, { storage: url.host })),
		);
	}
	const { status } = answer;
	if (status >= 200 && status < 300) return answer;
	answer.body.destroy();
	throw new VoiceAgentError('storageFailed', {
		detail: `${url.host} answered with status ${status}`,
		retryAfterMs: parseRetryAfter(answer.header('retry-after'), Date.now()),
		// Another attempt begins at the service, which may give another link.
		retryable: true,
	});
}

/** @throws VoiceAgentError `redirectRefused` */
function targetOf(header: string, current: URL, base: URL): URL {
	// Node reads headers as Latin-1, and the bytes of an address are UTF-8.
	const location = Buffer.from(header, 'latin1').toString();
	if (location === '') throw refused('it has no address');
	if (!URL.canParse(location, current.href)) throw refused('its address cannot be read');
	const target = new URL(location, current);
	if (target.username !== '' || target.password !== '') {
		throw refused('its address has a user name or password');
	}
	const isLocal = isLoopback(target.hostname) && isLoopback(base.hostname);
	if (target.protocol !== 'https:' && !(target.protocol === 'http:' && isLocal)) {
		throw refused(`its address does not start with https://, but with ${target.protocol}`);
	}
	return target;
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('redirectRefused', { detail });
}
