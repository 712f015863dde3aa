import { VoiceAgentError } from '../../errors';
import { isLoopback } from '../credentials/apiCredential';
import type { Answer, Limits } from './answer';
import { connectionError } from './httpErrors';
import {
	type RequestContext,
	type SendOptions,
	type ServiceAccess,
	exchange,
	isSuccess,
	send,
	serviceAccess,
} from './transport';

const REDIRECTS = [301, 302, 303, 307, 308];
const MAX_REDIRECTS = 5;
const ACCEPT = { accept: '*/*' };

/**
 * Asks the service for a file, once, and follows its redirects, because a service may keep files at a storage address.
 * Nothing else follows redirects.
 *
 * The API key goes to the origin of the Base URL only, until another host is asked. A redirect leads to https, or to this
 * machine if the service is on it too. Its address may hold a secret, such as a signature, so errors show its host only.
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
	const follow = async (answer: Answer) =>
		REDIRECTS.includes(answer.status)
			? await redirected(context, access, answer, deadlineMs)
			: answer;
	return await send(context, access, 'GET', path, { ...options, ...ACCEPT, follow });
}

/** The file that a redirect leads to. */
async function redirected(
	context: RequestContext,
	access: ServiceAccess,
	first: Answer,
	deadlineMs: number,
): Promise<Answer> {
	const base = new URL(access.baseUrl);
	let answer = first;
	let isAtService = true;
	for (let followed = 0; REDIRECTS.includes(answer.status); followed++) {
		answer.body.destroy();
		if (followed === MAX_REDIRECTS) throw refused(`there are more than ${MAX_REDIRECTS} in a row`);
		if (Date.now() > deadlineMs) throw new VoiceAgentError('deadlineExceeded');
		const { href: url, host, origin } = targetOf(answer, base);
		isAtService &&= origin === base.origin;
		const key = isAtService ? { access } : {};
		answer = await exchange(context, { method: 'GET', url, ...ACCEPT, ...key }).catch((error) =>
			Promise.reject(connectionError(error, host)),
		);
	}
	if (isSuccess(answer)) return answer;
	answer.body.destroy();
	throw new VoiceAgentError('storageFailed', {
		detail: `${answer.url.host} answered with status ${answer.status}`,
		// Another attempt begins at the service, which may give another link.
		retryable: true,
	});
}

/** @throws VoiceAgentError `redirectRefused` */
function targetOf({ header, url }: Answer, base: URL): URL {
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
		throw refused(`its address does not start with https://, but with ${target.protocol}`);
	}
	return target;
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('redirectRefused', { detail });
}
