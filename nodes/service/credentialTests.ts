import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { parseApiCredential } from './apiCredential';
import { connectionError } from './http/httpErrors';
import { request } from './http/request';
import type { RequestContext } from './http/transport';
import { findList } from './list/findList';
import { RECORDINGS_PATH } from './recordings';
import { passwordsOf } from './optionalCredentials';

const TEST_MS = 20_000;

/**
 * Our options, in the words of the one HTTP helper that n8n gives credential tests, an older one.
 */
const OPTIONS_OF_OLDER_HELPER = {
	timeout: TEST_MS,
	followRedirect: false,
	simple: false,
	useStream: true,
	resolveWithFullResponse: true,
};

/**
 * Tests a VoiceAgent API credential by listing the recordings. A credential could also declare its
 * test, but that would show bare codes such as ECONNREFUSED, which this one explains.
 */
export async function testApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	return await credentialTest(async () => {
		const data = credential.data ?? {};
		const { apiKey, named } = parseApiCredential(data);
		// Takes the place of the newer helper, which the requests to the service use.
		const getList = async (_type: string, { headers, ...options }: IHttpRequestOptions) =>
			(await helpers.request({
				...options,
				headers: { ...headers, Token: apiKey },
				...OPTIONS_OF_OLDER_HELPER,
			})) as unknown;
		const context = {
			getCredentials: async () => data,
			helpers: { httpRequestWithAuthentication: getList },
		} as unknown as RequestContext;
		const deadlineMs = Date.now() + TEST_MS;
		const { json } = await request(context, 'GET', RECORDINGS_PATH, { deadlineMs });
		findList(json, named);
		return 'The service accepts the API key.';
	});
}

/** Tests a recording password as far as that is possible without a recording. */
export async function testRecordingPassword(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await credentialTest(async () => {
		const passwords = passwordsOf(credential.data ?? {});
		const hasOuterSpace = passwords.some((password) => password !== password.trim());
		return hasOuterSpace
			? 'The password can be used. Note that a password begins or ends with a space or line break.'
			: 'The password can be used. Whether it is the right one shows when a recording is decrypted.';
	});
}

/** Runs a test, which resolves to the message of success. */
export async function credentialTest(
	test: () => Promise<string>,
): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await test() };
	} catch (error) {
		return { status: 'Error', message: connectionError(error).fullText };
	}
}
