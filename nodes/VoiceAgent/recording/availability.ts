import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../../errors';
import { errorTexts, VoiceAgentError } from '../../errors';
import { mapWithBreaks } from '../../service/breaks';
import type { ListedRecording } from '../../service/recordings';
import { readRecordings } from '../../service/recordings';
import type { Wait } from '../../service/retries';

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
			const answer = await findListed(context, itemIndex, sessionGuid);
			if (isOver) throw absenceError(error, answer, wasListed);
			const { listed } = answer;
			wasListed ||= listed === 'yes';
		},
	};
}

/**
 * The error of a request for one recording. If it may mean that the recording is gone, the list of the service decides:
 * `recordingGone`, or an error that says that it is not.
 *
 * @param mayBeDeleted whether a request to delete it may have been carried out
 */
export async function confirmedByList(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: unknown,
	mayBeDeleted = false,
): Promise<unknown> {
	return mayMeanGone(error) || (mayBeDeleted && error instanceof VoiceAgentError)
		? judged(error, await findListed(context, itemIndex, sessionGuid))
		: error;
}

/**
 * Whether an answer may mean that the recording is gone, or something else: a 404 may be about the address, a 400 about
 * the request, a failure about anything, and a web page may come from any proxy in between. Only the list shows which.
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

interface Listed {
	listed: 'yes' | 'no' | 'unknown';
	/** What it lists. */
	found?: ListedRecording;
	/** Why it is unknown. */
	why?: string;
}

/**
 * Whether the service still lists a recording: `unknown` if its list cannot be read completely, or has a record without
 * a session GUID, which may be this one.
 */
export async function findListed(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<Listed> {
	try {
		const { recordings, incomplete } = await readRecordings(context, { itemIndex });
		const guids = await mapWithBreaks(
			recordings,
			(one) => one.sessionGuid && normalized(one.sessionGuid),
		);
		const found = recordings[guids.indexOf(normalized(sessionGuid))];
		if (found) return { listed: 'yes', found };
		if (incomplete) return { listed: 'unknown', why: incomplete.message };
		return guids.includes(null)
			? { listed: 'unknown', why: errorTexts.recordingsWithoutGuid.message }
			: { listed: 'no' };
	} catch (error) {
		return { listed: 'unknown', why: error instanceof Error ? error.message : undefined };
	}
}

/** Ignores more differences than the usual comparison: a recording must not seem gone because of its spelling. */
function normalized(sessionGuid: string): string {
	return sessionGuid.replace(/[{}_-]/g, '').toLowerCase();
}
