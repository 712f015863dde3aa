/** Recordings as the list of the service shows them. */
import type { ListedRecording } from '../../nodes/service/recordings';

export const HOUR = 3_600_000;
export const NOW = Date.parse('2026-11-20T12:00:00Z');

export const guid = (number: number) =>
	`00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** @param endMs when the call ended; `null` if the record does not show it */
export function listed(
	sessionGuid: string,
	endMs: number | null,
): ListedRecording & { sessionGuid: string } {
	const endedAt = endMs === null ? null : new Date(endMs).toISOString();
	const numbers = { to: null, from: null, direction: null };
	const none = { keptUntil: null, hoursLeft: null, recording: {} };
	return { sessionGuid, recordingKey: sessionGuid, ...numbers, endedAt, ...none };
}
