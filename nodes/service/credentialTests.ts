import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { parseApiCredential } from './apiCredential';
import { VoiceAgentError } from '../errors';
import { connectionError, statusError } from './httpErrors';
import { readListPage } from './listPage';
import { passwordsOf } from './recordingPasswords';
import { RECORDINGS_PATH } from './recordingPath';
import { readBody } from './transport';

const TEST_TIMEOUT_MS = 20_000;

/**
 * Tests a VoiceAgent API credential by listing the recordings. A test declared in the credential would show bare codes
 * such as ECONNREFUSED; this one explains them.
 */
export async function testApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testing(async () => {
		const { baseUrl, apiKey } = parseApiCredential(credential.data ?? {});
		// Credential tests have no other helper for HTTP than this one.
		const { request } = this.helpers;
		const { status, body } = await request({
			method: 'GET',
			uri: `${baseUrl}${RECORDINGS_PATH}`,
			headers: { Token: apiKey, Accept: 'application/json', 'Accept-Encoding': 'identity' },
			timeout: TEST_TIMEOUT_MS,
			followRedirect: false,
			simple: false,
			resolveWithFullResponse: true,
		}).then(
			(response: { statusCode: number; body: unknown }) => ({
				status: response.statusCode,
				body: response.body,
			}),
			(error: unknown) => Promise.reject(connectionError(error)),
		);
		if (status < 200 || status > 299) {
			throw statusError(status, {
				detail: `GET ${RECORDINGS_PATH} was answered with status ${status}`,
			});
		}
		// A sign-in page or the like may come with 200, too. n8n has parsed the body if it can be.
		readListPage(typeof body === 'string' ? readBody(body, status) : body);
		return 'The service accepts the API key.';
	});
}

/** Tests a recording password as far as it can be tested without a recording. */
export async function testRecordingPassword(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await testing(async () => {
		const passwords = passwordsOf(credential.data ?? {});
		const outer = passwords.some((password) => password !== password.trim());
		return outer
			? 'The password can be used. Note that a password begins or ends with a space or line break.'
			: 'The password can be used. Whether it is the right one shows when a recording is decrypted.';
	});
}

async function testing(test: () => Promise<string>): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await test() };
	} catch (error) {
		const failure = error instanceof VoiceAgentError ? error : connectionError(error);
		return { status: 'Error', message: `${failure.message}. ${failure.description}` };
	}
}
