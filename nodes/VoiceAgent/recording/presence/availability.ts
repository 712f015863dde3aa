import type { IExecuteFunctions } from 'n8n-workflow';

import { type Reason, VoiceAgentError } from '../../../errors';
import type { Wait } from '../../../service/http/retries';
import { findListed, forgetLists } from './listing';

/**
 * How the service may answer while it still makes a recording: the specification does not show it.
 */
const NOT_YET: readonly Reason[] = [
	'recordingNotReady',
	'recordingIncomplete',
	'notARecording',
	'storageFailed',
];

/** How long to wait for a recording, in milliseconds, and whether that may be in vain. */
export interface WaitSettings {
	forMs: number;
	/** Asked once the service denies the recording. If not, the list decides at once. */
	isWorthWaiting(): Promise<boolean>;
}

/**
 * Waits for a recording that is not there yet. When the time is over, the list of the service says
 * whether there is one.
 */
export function waitForRecording(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	{ forMs, isWorthWaiting }: WaitSettings,
): Wait {
	let isWaiting: boolean | undefined;
	return {
		forMs,
		async check(error, isOver) {
			const isNotYet = error instanceof VoiceAgentError && NOT_YET.includes(error.reason);
			if (!isOver && isNotYet) return;
			if (!mayMeanGone(error)) throw error;
			isWaiting ??= !isOver && (await isWorthWaiting());
			if (!isOver && isWaiting) return;
			// The recording may have appeared during the wait.
			if (forMs > 0) forgetLists(context);
			const ifListed = 'recordingNotReady';
			const judged = await judgedByList(context, itemIndex, sessionGuid, error, ifListed);
			isWaiting = judged.reason === ifListed;
			if (isOver || !isWaiting) throw judged;
		},
	};
}

/**
 * The error of a request for one recording that may mean that it is gone. The list of the service
 * decides: `recordingGone`, or an error that says that it is not.
 *
 * @param ifListed the reason if the service denies the recording, but lists it
 */
export async function judgedByList(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
	error: VoiceAgentError,
	ifListed: Reason,
): Promise<VoiceAgentError> {
	const { httpStatus, hint } = error;
	const { isListed, isFiltered, keptUntil, why } = await findListed(
		context,
		itemIndex,
		sessionGuid,
	);
	// A part of the list proves nothing, unless the service has denied the recording too.
	if (isListed === false && (isGone(error) || !isFiltered)) {
		return new VoiceAgentError('recordingGone', { httpStatus, hint });
	}
	if (!isGone(error)) return error;
	return isListed
		? new VoiceAgentError(ifListed, { httpStatus, hint, keptUntil })
		: new VoiceAgentError('maybeGone', { httpStatus, hint, detail: why });
}

/**
 * Whether an answer may mean that the recording is gone, or something else. A 404 may be about the
 * address, a 400 about the request, and a failure about anything. A web page may come from any
 * proxy in between. Only the list shows which.
 */
export function mayMeanGone(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError)) return false;
	return error.reason === 'declaredFailure' || [400, 404, 410].includes(error.httpStatus ?? 0);
}

export function isGone(error: unknown): error is VoiceAgentError {
	return error instanceof VoiceAgentError && error.reason === 'recordingGone';
}

/** Adds to an error which recording it is about, and until when it is kept, if that is known. */
export function aboutRecording(
	error: unknown,
	sessionGuid: string,
	knownKeptUntil: unknown,
): unknown {
	if (!(error instanceof VoiceAgentError)) return error;
	const keptUntil = error.keptUntil ?? knownKeptUntil;
	return error.withHint(
		typeof keptUntil === 'string' && !isGone(error)
			? `The service keeps the recording ${sessionGuid} until ${keptUntil}.`
			: `The recording is ${sessionGuid}.`,
	);
}
