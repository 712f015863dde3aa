import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { parseBody } from './http/answer';
import type { ApiCredential } from './apiCredential';
import { parseApiCredential } from './apiCredential';
import { declaresFailure } from './http/request';
import { safeExcerpt } from './http/excerpt';
import { connectionError, statusError } from './http/httpErrors';
import { inTime } from './http/inTime';
import { findList } from './list/findList';
import { passwordsOf } from './recordingPasswords';
import { RECORDINGS_PATH } from './recordingPath';

const TEST_TIMEOUT_MS = 20_000;

/** What n8n's older request helper returns. */
interface OlderResponse {
	statusCode: number;
	headers: Record<string, unknown>;
	body: unknown;
}

/**
 * Tests a VoiceAgent API credential by listing the recordings. A test that the credential declares would show bare codes
 * such as ECONNREFUSED; this one explains them.
 */
export async function testApi(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	return await credentialTest(async () => {
		const access = parseApiCredential(credential.data ?? {});
		const json = await readJson(this, access, RECORDINGS_PATH);
		findList(json, access.named);
		return 'The service accepts the API key.';
	});
}

async function readJson(
	{ helpers }: ICredentialTestFunctions,
	{ baseUrl, apiKey, query }: ApiCredential,
	path: string,
): Promise<unknown> {
	const address = `${baseUrl}${path}`;
	// n8n gives credential tests no other HTTP helper.
	const request: Promise<OlderResponse> = helpers.request({
		method: 'GET',
		uri: address,
		qs: query,
		headers: { Token: apiKey, Accept: 'application/json', 'Accept-Encoding': 'identity' },
		timeout: TEST_TIMEOUT_MS,
		followRedirect: false,
		simple: false,
		resolveWithFullResponse: true,
	});
	const {
		statusCode: status,
		headers,
		body,
	} = await inTime(request, 2 * TEST_TIMEOUT_MS).catch((error: unknown) =>
		Promise.reject(connectionError(error)),
	);
	if (status < 200 || status > 299) throw statusError(status, { request: `GET ${address}` });
	// A sign-in page may come with status 200 too. n8n has already parsed a body that is JSON.
	const json = typeof body === 'string' ? parseBody(body, status) : body;
	if (declaresFailure({ status, headers }, json, 'GET')) {
		const says = safeExcerpt(json, [apiKey]);
		throw new VoiceAgentError('declaredFailure', { hint: says && `The service says: ${says}` });
	}
	return json;
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

/**
 * Runs the test of a credential.
 * @param test resolves to the message of success
 */
export async function credentialTest(
	test: () => Promise<string>,
): Promise<INodeCredentialTestResult> {
	try {
		return { status: 'OK', message: await test() };
	} catch (error) {
		const failure = error instanceof VoiceAgentError ? error : connectionError(error);
		return { status: 'Error', message: failure.fullText };
	}
}
