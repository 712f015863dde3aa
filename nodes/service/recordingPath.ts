import { parseSessionGuid } from './sessionGuid';

export const RECORDINGS_PATH = '/api/customer/recordings';

/** What these statuses mean for a single recording. The specification does not show which of them the service sends. */
export const goneReasons = { 404: 'recordingGone', 410: 'recordingGone' } as const;

/**
 * Path of one recording. The GUID is checked first, because encoding alone would let `..` leave the path.
 * @throws VoiceAgentError `invalidSessionGuid`
 */
export function recordingPath(sessionGuid: unknown): string {
	return `${RECORDINGS_PATH}/${encodeURIComponent(parseSessionGuid(sessionGuid))}`;
}
