import { parseTime } from '../data/times';
import { canonicalSessionGuid } from './sessionGuid';

/** A recording, as errors and executions name it. */
export interface NamedRecording {
	/** As the service spells it. */
	sessionGuid: string;
	/** The same for all spellings of a session GUID. */
	recordingKey: string;
	/** Until when the service keeps it, in ISO 8601; `null` if that is not known. */
	keptUntil: string | null;
}

/** @param keptUntil in ISO 8601, or anything else if it is not known */
export function namedRecording(sessionGuid: string, keptUntil: unknown): NamedRecording {
	const isTime = typeof keptUntil === 'string' && !Number.isNaN(parseTime(keptUntil));
	return {
		sessionGuid,
		recordingKey: canonicalSessionGuid(sessionGuid),
		keptUntil: isTime ? keptUntil : null,
	};
}
