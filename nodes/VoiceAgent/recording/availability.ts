import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Reason } from '../../errors';
import { VoiceAgentError } from '../../errors';
import { readRecordings } from '../../service/recordings';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** What a recording that is still being made may look like: the specification does not show it. */
const NOT_THERE: readonly Reason[] = ['recordingGone', 'recordingNotReady', 'notARecording'];

/**
 * Whether an answer means that there is no such recording, or something else: a 400 may be about the request, and a web
 * page may come from anybody on the way. Only the list tells.
 */
function isDoubtful(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError) || error.reason === 'recordingGone') return false;
	return [400, 404, 410].includes(error.httpStatus ?? 0);
}

/** The error of a request for one recording; `recordingGone` in place of a doubtful one if the list shows it. */
export async function explained(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
): Promise<unknown> {
	if (!isDoubtful(error) || (await isListed(context, itemIndex, sessionGuid)) !== 'no')
		return error;
	return new VoiceAgentError('recordingGone', { httpStatus: error.httpStatus });
}

/**
 * Tries a download until the recording is there, with growing pauses, for at most so many milliseconds; once with 0.
 *
 * @throws VoiceAgentError as `attempt` does; where the service answered to the end that there is no recording, its list
 * tells why, if it can: `recordingNotReady`, `recordingGone` or `recordingNotFound`
 */
export async function whenAvailable<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	waitMs: number,
	attempt: () => Promise<T>,
): Promise<T> {
	const endMs = Date.now() + waitMs;
	let wasListed = false;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
		const [outcome] = await Promise.allSettled([attempt()]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error: unknown = outcome.reason;
		if (waitMs === 0) throw await explained(context, itemIndex, sessionGuid, error);
		if (!isDoubtful(error) && !isNotThere(error)) throw error;
		const isLast = Date.now() >= endMs;
		const listed = await isListed(context, itemIndex, sessionGuid);
		if (isLast) throw missing(error, listed, wasListed);
		wasListed ||= listed === 'yes';
		await sleep(Math.max(0, Math.min(pauseMs, endMs - Date.now())));
	}
}

function isNotThere(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && NOT_THERE.includes(error.reason);
}

/** Why a recording is not there although it was waited for. */
function missing(error: VoiceAgentError, listed: Listed, wasListed: boolean): VoiceAgentError {
	const { reason, httpStatus } = error;
	if (reason === 'recordingNotReady' || reason === 'notARecording') return error;
	if (listed === 'no') {
		return new VoiceAgentError(wasListed ? 'recordingGone' : 'recordingNotFound', { httpStatus });
	}
	const isKept = listed === 'yes' || wasListed;
	return isKept && reason === 'recordingGone'
		? new VoiceAgentError('recordingNotReady', { httpStatus })
		: error;
}

type Listed = 'yes' | 'no' | 'unknown';

/**
 * Whether the service still lists a recording: `unknown` where its list cannot be read as a whole, or has a record
 * without a session GUID, which may be this one.
 */
async function isListed(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<Listed> {
	const [list] = await Promise.allSettled([readRecordings(context, { itemIndex })]);
	if (list.status === 'rejected') return 'unknown';
	const { recordings, incomplete } = list.value;
	const listed = recordings.map((one) => one.sessionGuid && withoutSpelling(one.sessionGuid));
	if (listed.includes(withoutSpelling(sessionGuid))) return 'yes';
	return incomplete || listed.includes(null) ? 'unknown' : 'no';
}

/** More than the usual comparison equates: "not listed" must not be the outcome of another spelling. */
function withoutSpelling(sessionGuid: string): string {
	return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();
}
