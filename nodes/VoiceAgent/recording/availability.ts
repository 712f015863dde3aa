import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../../errors';
import { VoiceAgentError } from '../../errors';
import { readRecordings } from '../../service/recordings';
import type { Wait } from '../../service/retries';

/** How the service may answer while it still makes a recording: the specification does not show it. */
const ABSENCE_REASONS: readonly Reason[] = ['recordingGone', 'recordingNotReady', 'notARecording'];

/**
 * Waits for a recording that is not there yet. When the time is over, the list of the service says why it is not there,
 * if it can: `recordingNotReady`, `recordingGone` or `recordingNotFound`.
 *
 * @param forMs how long to wait, in milliseconds
 */
export function waitForRecording(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	forMs: number,
): Wait {
	let wasListed = false;
	return {
		forMs,
		async check(error, isOver) {
			if (forMs === 0) throw await confirmedByList(context, itemIndex, sessionGuid, error);
			if (!mayMeanGone(error) && !isAbsence(error)) throw error;
			const listed = await isListed(context, itemIndex, sessionGuid);
			if (isOver) throw absenceError(error, listed, wasListed);
			wasListed ||= listed === 'yes';
		},
	};
}

/**
 * The error of a request for one recording. If it may mean that the recording is gone, and the list of the service no
 * longer has the recording, this is `recordingGone`.
 */
export async function confirmedByList(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
): Promise<unknown> {
	if (!mayMeanGone(error)) return error;
	const listed = await isListed(context, itemIndex, sessionGuid);
	return listed === 'no'
		? new VoiceAgentError('recordingGone', { httpStatus: error.httpStatus })
		: error;
}

/**
 * Whether an answer may mean that the recording is gone, or something else: a 400 may be about the request, and a web
 * page may come from any proxy in between. Only the list shows which.
 */
function mayMeanGone(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError) || error.reason === 'recordingGone') return false;
	return [400, 404, 410].includes(error.httpStatus ?? 0);
}

function isAbsence(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && ABSENCE_REASONS.includes(error.reason);
}

/** Why a recording is still not there at the end of the wait. */
function absenceError(error: VoiceAgentError, listed: Listed, wasListed: boolean): VoiceAgentError {
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
 * Whether the service still lists a recording: `unknown` if its list cannot be read completely, or has a record without
 * a session GUID, which may be this one.
 */
async function isListed(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<Listed> {
	try {
		const { recordings, incomplete } = await readRecordings(context, { itemIndex });
		const listed = recordings.map((one) => one.sessionGuid && normalized(one.sessionGuid));
		if (listed.includes(normalized(sessionGuid))) return 'yes';
		return incomplete || listed.includes(null) ? 'unknown' : 'no';
	} catch {
		return 'unknown';
	}
}

/** Ignores more differences than the usual comparison: a recording must not seem gone because of its spelling. */
function normalized(sessionGuid: string): string {
	return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();
}
