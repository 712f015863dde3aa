import type { IWebhookFunctions } from 'n8n-workflow';

import type { FoundSessionGuid } from '../service/sessionGuid';
import { canonicalSessionGuid, findSessionGuid } from '../service/sessionGuid';

/** The same for each delivery of an event, for n8n's Remove Duplicates node. */
export function eventKey(event: 'callStart' | 'callEnd', sessionGuid: string): string {
	return `${event}:${canonicalSessionGuid(sessionGuid)}`;
}

/** The session GUID of a webhook. Never throws: an option that cannot be read counts as not set. */
export function sessionGuidOf(context: IWebhookFunctions, payload: unknown): FoundSessionGuid {
	const field = sessionGuidField(context);
	const found = findSessionGuid(payload, field);
	if (field !== undefined || 'sessionGuid' in found) return found;
	return { problem: `${found.problem}, and the option 'Session GUID Field' yields no text` };
}

function sessionGuidField(context: IWebhookFunctions): string | undefined {
	try {
		const field = context.getNodeParameter('options.sessionGuidField', '');
		return typeof field === 'string' ? field.trim() : undefined;
	} catch {
		return undefined;
	}
}
