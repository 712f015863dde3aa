import { type JsonObject, plainName } from '../data/json';
import { EARLIEST_MS, parseTime } from '../data/times';

/**
 * A list may go on showing a recording that was deleted, with a mark. The specification shows none
 * of these names.
 */

/**
 * When it was deleted: `deletedAt` by convention, `deleteTime` by Google's AIP-148. Empty while it
 * is not deleted.
 */
const TIMES = ['deletedat', 'deletetime'];
/** Whether it was deleted. */
const FLAGS = ['deleted', 'isdeleted'];
/** `state` by Google's AIP-216, `status` by convention. */
const STATES = ['state', 'status'];
/** As the specification calls what happens to a recording, in any letter case. */
const GONE = ['deleted', 'purged'];

/**
 * Whether a record of the list says itself that its recording is deleted. What is not in this table
 * says nothing, and a time that is still to come is that of the purge. Without a zone, it is UTC,
 * as the end of a call is: both come from the same record.
 *
 * @param nowMs the time in milliseconds since 1970, by the service's clock
 */
export function saysDeleted(record: JsonObject, nowMs: number): boolean {
	return Object.entries(record).some(([spelling, value]) => {
		const name = plainName(spelling);
		if (TIMES.includes(name)) {
			const ms = parseTime(value);
			return ms >= EARLIEST_MS && ms <= nowMs;
		}
		if (FLAGS.includes(name)) return value === true;
		return STATES.includes(name) && GONE.includes(String(value).toLowerCase());
	});
}
