import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import type { Reason } from '../../shared/errors';
import { VoiceAgentError } from '../../shared/errors';
import { canonicalSessionGuid } from '../../shared/sessionGuid';
import { listRecordings } from './list';

const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 15_000;

/** What a recording that is still being made may look like: the specification does not show it. */
const NOT_THERE: readonly Reason[] = ['recordingGone', 'recordingNotReady', 'notARecording'];

/** A 400 may mean an unknown GUID or a wrong request; only the list tells. */
async function explained(
	context: IExecuteFunctions,
	sessionGuid: string,
	error: unknown,
): Promise<unknown> {
	if (!(error instanceof VoiceAgentError) || error.httpStatus !== 400) return error;
	const listed = await isListed(context, sessionGuid);
	return listed ? error : new VoiceAgentError('recordingGone', { httpStatus: 400 });
}

/**
 * Tries a download until the recording is there, with growing pauses, for at most so many milliseconds; once with 0.
 *
 * @throws VoiceAgentError as `attempt` does; where the service answered to the end that there is no recording, its list
 * tells why: `recordingNotReady`, `recordingGone` or `recordingNotFound`
 */
export async function whenAvailable<T>(
	context: IExecuteFunctions,
	sessionGuid: string,
	waitMs: number,
	attempt: () => Promise<T>,
): Promise<T> {
	const endMs = Date.now() + waitMs;
	let wasListed = false;
	for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 1.5, MAX_PAUSE_MS)) {
		const [outcome] = await Promise.allSettled([attempt()]);
		if (outcome.status === 'fulfilled') return outcome.value;
		const error = await explained(context, sessionGuid, outcome.reason);
		if (waitMs === 0 || !(error instanceof VoiceAgentError) || !NOT_THERE.includes(error.reason)) {
			throw error;
		}
		const leftMs = endMs - Date.now();
		if (leftMs <= 0) {
			throw error.reason === 'recordingGone'
				? await missing(context, sessionGuid, error, wasListed)
				: error;
		}
		wasListed ||= await isListed(context, sessionGuid);
		await sleep(Math.min(pauseMs, leftMs));
	}
}

/** Why a recording is not there although it was waited for. */
async function missing(
	context: IExecuteFunctions,
	sessionGuid: string,
	{ httpStatus }: VoiceAgentError,
	wasListed: boolean,
): Promise<VoiceAgentError> {
	if (await isListed(context, sessionGuid)) {
		return new VoiceAgentError('recordingNotReady', { httpStatus });
	}
	return new VoiceAgentError(wasListed ? 'recordingGone' : 'recordingNotFound', { httpStatus });
}

/** Whether the service still lists a recording. */
export async function isListed(context: IExecuteFunctions, sessionGuid: string): Promise<boolean> {
	const wanted = canonicalSessionGuid(sessionGuid);
	return (await listRecordings(context)).some(
		(one) => one.sessionGuid !== null && canonicalSessionGuid(one.sessionGuid) === wanted,
	);
}
