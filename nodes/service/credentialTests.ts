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

/** What stands for our options in the one HTTP helper that n8n gives credential tests. */
const OF_OLDER_HELPER = {
	timeout: TEST_MS,
	followRedirect: false,
	simple: false,
	useStream: true,
	resolveWithFullResponse: true,
};

/**
 * Tests a VoiceAgent API credential by listing the recordings. A test that the credential declares would show bare codes
 * such as ECONNREFUSED; this one explains them.
 */
export async function testApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const { helpers } = this;
	return await credentialTest(async () => {
		const data = credential.data ?? {};
		const { apiKey, named } = parseApiCredential(data);
		const getList = async (_type: string, { headers, ...options }: IHttpRequestOptions) =>
			(await helpers.request({
				...options,
				headers: { ...headers, Token: apiKey },
				...OF_OLDER_HELPER,
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
		const outer = passwords.some((password) => password !== password.trim());
		return outer
			? 'The password can be used. Note that a password begins or ends with a space or line break.'
			: 'The password can be used. Whether it is the right one shows when a recording is decrypted.';
	});
}

/** The result of a test that resolves to the message of success. */
export async function credentialTest(
	test: () => Promise<string>,
): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await test() };
	} catch (error) {
		return { status: 'Error', message: connectionError(error).fullText };
	}
}
