import type {
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestOptions,
	INodeCredentialTestResult,
} from 'n8n-workflow';

import type { JsonObject } from '../data/json';
import { VoiceAgentError } from '../errors';
import { AUDIO_HEAD_BYTES, recognizeAudio } from '../recordingFile/audioFormat';
import { peek } from '../recordingFile/chunks';
import { passwordOpening } from '../recordingFile/tryPasswords';
import { passwordsOf } from './account';
import { type ApiCredential, parseApiCredential } from './apiCredential';
import { download } from './http/download';
import { connectionError } from './http/httpErrors';
import { request } from './http/request';
import { type RequestContext, serviceAccess } from './http/transport';
import { findList } from './list/findList';
import { firstPage, furtherPage } from './list/nextPage';
import { recordingPath, RECORDINGS_PATH } from './recordings';
import { findCallEnd } from './retention';
import { shownFailure } from './secretInError';
import { findSessionGuid } from './sessionGuid';
import { verificationInWords } from './webhooks/verification';

/** n8n's editor waits for a test. */
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
 * Tests an account, and says about each of its parts what can be known: the key by listing the
 * recordings, the passwords by trying them on one of them, and the webhooks by how they are
 * verified. A test that the credential declares would show bare codes such as ECONNREFUSED.
 */
export async function testAccount(
	this: ICredentialTestFunctions,
	credential: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
	const fields = credential.data ?? {};
	try {
		// What is entered wrongly is said before anybody waits for the service.
		const account = parseApiCredential(fields);
		const webhooks = verificationInWords(fields);
		const context = contextOf(this, fields, account.apiKey);
		const recordings = await listRecordings(context, account);
		const passwords = await passwordsInWords(context, passwordsOf(fields), recordings);
		return { status: 'OK', message: [recordings.inWords, passwords, webhooks].join(' ') };
	} catch (error) {
		const shown = shownFailure(connectionError(error), fields) as VoiceAgentError;
		return { status: 'Error', message: shown.fullText };
	}
}

/** What the requests of the nodes need of n8n. */
function contextOf(
	{ helpers }: ICredentialTestFunctions,
	fields: JsonObject,
	apiKey: string,
): RequestContext {
	const httpRequest = async (options: IHttpRequestOptions): Promise<unknown> =>
		await helpers.request({ ...options, ...OF_OLDER_HELPER });
	const httpRequestWithAuthentication = async (_type: string, options: IHttpRequestOptions) =>
		await httpRequest({ ...options, headers: { ...options.headers, Token: apiKey } });
	return {
		getCredentials: async () => fields,
		helpers: { httpRequest, httpRequestWithAuthentication },
	} as unknown as RequestContext;
}

interface Recordings {
	inWords: string;
	/** Session GUID of the one whose call ended last; `undefined` if there is none. */
	newest: string | undefined;
}

/** Reads the first page of the list. */
async function listRecordings(
	context: RequestContext,
	{ named, paging }: ApiCredential,
): Promise<Recordings> {
	const query = firstPage(paging);
	const deadlineMs = Date.now() + TEST_MS;
	const answer = await request(context, 'GET', RECORDINGS_PATH, { query, deadlineMs });
	const { json, headers, serviceTimeMs } = answer;
	const { records } = findList(json, named);

	let newest: { sessionGuid: string; endMs: number } | undefined;
	for (const record of records) {
		const found = findSessionGuid(record, named.sessionGuidField);
		if ('problem' in found) continue;
		const endMs = findCallEnd(record, serviceTimeMs, named.callEndField) ?? 0;
		const isNewer = newest === undefined || endMs > newest.endMs;
		if (isNewer) newest = { sessionGuid: found.sessionGuid, endMs };
	}

	const pageRecords = records.length;
	const page = { json, headers, pageRecords, query, earlier: { pages: 0, records: 0 } };
	const { next, more, unclear } = furtherPage(paging, page);
	const isFirstOfSeveral = next !== undefined || more !== undefined || unclear !== undefined;
	const count = `${pageRecords}${isFirstOfSeveral ? ' or more' : ''}`;
	return {
		inWords: `The service accepts the API key. Recordings there: ${count}.`,
		newest: newest?.sessionGuid,
	};
}

/**
 * Tries the passwords on the newest recording.
 *
 * @throws VoiceAgentError `wrongPasswordOrAltered` if none of them opens it
 */
async function passwordsInWords(
	context: RequestContext,
	passwords: readonly string[],
	{ newest }: Recordings,
): Promise<string> {
	if (passwords.length === 0) {
		return 'No recording password is set, so encrypted recordings cannot be opened.';
	}
	const isPadded = passwords.some((password) => password !== password.trim());
	const note = isPadded ? ' Note that one begins or ends with a space or line break.' : '';
	if (newest === undefined) {
		return `The recording password is set, and there is no recording to try it on.${note}`;
	}
	const head = await headOf(context, newest).catch(() => undefined);
	if (head === undefined) {
		return `The recording password is set, and could not be tried: the newest recording did not arrive.${note}`;
	}
	if (recognizeAudio(head)) {
		return `The recording password is set, and could not be tried: the newest recording is not encrypted.${note}`;
	}
	const index = await passwordOpening(head, passwords);
	if (index === undefined) {
		throw new VoiceAgentError('wrongPasswordOrAltered', {
			detail: `no password of this credential opens the newest recording (${newest})`,
		});
	}
	const which = index === 0 ? 'The recording password' : 'A previous password';
	return `${which} opens the newest recording.${note}`;
}

/** The first bytes of a recording. */
async function headOf(context: RequestContext, sessionGuid: string): Promise<Buffer> {
	const limits = { maxBytes: Infinity, deadlineMs: Date.now() + TEST_MS / 2 };
	const access = await serviceAccess(context);
	return await download(context, access, recordingPath(sessionGuid), limits, async ({ chunks }) => {
		const { head } = await peek(chunks, AUDIO_HEAD_BYTES);
		return head;
	});
}
