import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../../errors';
import { VoiceAgentError } from '../../errors';
import type { Wait } from '../../service/http/retries';
import type { Listed } from './listing';
import { deletionOf, findListed } from './listing';

/** How the service may answer while it still makes a recording: the specification does not show it. */
const ABSENCE_REASONS: readonly Reason[] = [
	'recordingGone',
	'recordingNotReady',
	'recordingIncomplete',
	'notARecording',
	'storageFailed',
];

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
			// The recording may have appeared while this item was waiting.
			const sinceMs = isOver ? Date.now() : 0;
			const answer = await findListed(context, itemIndex, sessionGuid, sinceMs);
			if (isOver) throw absenceError(error, answer, wasListed);
			const { listed } = answer;
			wasListed ||= listed === 'yes';
		},
	};
}

/**
 * The error of a request for one recording. If it may mean that the recording is gone, the list of the service decides:
 * `recordingGone`, or an error that says that it is not.
 */
export async function confirmedByList(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
): Promise<unknown> {
	const mayBeDeleted = deletionOf(context, sessionGuid) !== undefined;
	return mayMeanGone(error) || (mayBeDeleted && error instanceof VoiceAgentError)
		? judged(error, await findListed(context, itemIndex, sessionGuid))
		: error;
}

/**
 * Whether an answer may mean that the recording is gone, or something else. A 404 may be about the address, a 400 about
 * the request, and a failure about anything. A web page may come from any proxy in between. Only the list shows which.
 */
function mayMeanGone(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError)) return false;
	return error.reason === 'declaredFailure' || [400, 404, 410].includes(error.httpStatus ?? 0);
}

function judged(error: VoiceAgentError, { listed, why }: Listed): VoiceAgentError {
	const { reason, httpStatus } = error;
	if (listed === 'no' && reason !== 'recordingGone') {
		return new VoiceAgentError('recordingGone', { httpStatus });
	}
	if (listed === 'no' || reason !== 'recordingGone') return error;
	return listed === 'yes'
		? new VoiceAgentError('stillListed', { httpStatus })
		: new VoiceAgentError('maybeGone', { httpStatus, detail: why });
}

function isAbsence(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && ABSENCE_REASONS.includes(error.reason);
}

/** Why a recording is still not there at the end of the wait. */
function absenceError(error: VoiceAgentError, answer: Listed, wasListed: boolean): VoiceAgentError {
	const { reason, httpStatus } = error;
	if (reason !== 'recordingGone' && ABSENCE_REASONS.includes(reason)) return error;
	if (answer.listed === 'no' && !wasListed) {
		return new VoiceAgentError('recordingNotFound', { httpStatus });
	}
	const isKept = answer.listed !== 'no' && (answer.listed === 'yes' || wasListed);
	return isKept && reason === 'recordingGone'
		? new VoiceAgentError('recordingNotReady', { httpStatus })
		: judged(error, answer);
}
