import { canonicalSessionGuid } from '../shared/sessionGuid';

/** The same for every delivery of one event, for n8n's Remove Duplicates node. */
export function eventKey(event: 'callStart' | 'callEnd', sessionGuid: string): string {
	return `${event}:${canonicalSessionGuid(sessionGuid)}`;
}
