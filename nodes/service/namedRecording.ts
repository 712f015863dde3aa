import { parseTime } from '../data/times';
import type { NamedRecording } from '../errors';
import { canonicalSessionGuid } from './sessionGuid';

/**
 * What errors and executions say of a recording.
 *
 * @param keptUntil in ISO 8601, or anything else if it is not known
 */
export function namedRecording(sessionGuid: string, keptUntil: unknown): NamedRecording {
	const isTime = typeof keptUntil === 'string' && !Number.isNaN(parseTime(keptUntil));
	return {
		sessionGuid,
		recordingKey: canonicalSessionGuid(sessionGuid),
		keptUntil: isTime ? keptUntil : null,
	};
}
