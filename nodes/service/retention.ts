import { searchFields } from '../data/fields';
import { plainName } from '../data/json';
import { EARLIEST_MS, parseTime } from '../data/times';

/**
 * Service specification, Limits: a recording is purged 7 days after the call ends, downloaded or
 * not.
 */
export const RETENTION_MS = 7 * 24 * 60 * 60 * 1000;

const HOUR_MS = 60 * 60 * 1000;

/** How far clocks may differ. Later times stand for "not yet", such as the year 9999. */
const CLOCK_SKEW_MS = 48 * HOUR_MS;

export interface Retention {
	/** When the recording will be purged, in ISO 8601. */
	keptUntil: string;
	/** Hours until then, with one decimal; negative afterwards. */
	hoursLeft: number;
}

/**
 * When a call ended, according to its record or payload. The specification shows no field for it,
 * so names such as `endedAt`, `end_time` or `CallEnd` are recognized, at any depth. The outermost
 * counts.
 *
 * @param nowMs the time in milliseconds since 1970, by the service's clock if it is known
 * @param field name of the field, or path with dots, if the user has given it
 * @returns milliseconds since 1970, or `undefined` if nothing usable is found
 */
export function findCallEnd(record: unknown, nowMs: number, field = ''): number | undefined {
	const { hits } = searchFields(record, field || isCallEndName);
	// In a list, it may be the end of a part of the call.
	const outside = hits.filter(({ isInList }) => !isInList);
	return [...outside, ...hits]
		.map(({ value }) => parseTime(value))
		.find((ms) => ms >= EARLIEST_MS && ms <= nowMs + CLOCK_SKEW_MS);
}

/** A plain name such as `endedat`, `callend` or `endtimeutc`. */
const CALL_END =
	/^(?:call|session|date|time)?end(?:ed)?(?:at|on|date|time|timestamp|utc|gmt|ms|unix|epoch)*$/;

function isCallEndName(name: string): boolean {
	return name.length <= 100 && CALL_END.test(plainName(name));
}

export function retentionOf(callEndMs: number, nowMs: number): Retention {
	const endMs = callEndMs + RETENTION_MS;
	return {
		keptUntil: new Date(endMs).toISOString(),
		hoursLeft: Math.round(((endMs - nowMs) / HOUR_MS) * 10) / 10,
	};
}
