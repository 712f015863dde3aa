import type { Call } from '../calls/schemas.mts';
import type { Profile, ProfiledWebhook } from '../profile/profile.mts';
import type { RecordingRow } from '../database.mts';
import { callOf } from '../recordings/records.mts';
import type { CallEndBody, CallStartBody } from './schemas.mts';
import type { SeenProof } from './signing.mts';

export function callStartBody(call: Call): CallStartBody {
	return {
		event: 'CallStart',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		...(call.metadata && { metadata: call.metadata }),
	};
}

export function callEndBody(call: Call & { endedAt: string }): CallEndBody {
	return {
		event: 'CallEnd',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		endedAt: call.endedAt,
		durationSeconds: call.durationSeconds ?? 0,
		outcome: call.outcome ?? call.plannedOutcome,
		recorded: call.recorded,
		...(call.metadata && { metadata: call.metadata }),
	};
}

/** CallEnd for a recording whose call may never have happened. */
export function callEndBodyOfRecording(row: RecordingRow): CallEndBody {
	return { event: 'CallEnd', ...callOf(row), outcome: 'answered', recorded: true };
}

export interface WebhookPayload {
	method: ProfiledWebhook['method'];
	contentType?: string;
	/** What is sent, before it becomes text. */
	fields: Record<string, unknown>;
	text: string;
	query?: Record<string, string>;
	/** How a service was seen to prove where it comes from. */
	seen?: SeenProof | undefined;
}

/** Writes an event as the profile shows it. */
export function webhookPayload(
	event: CallStartBody | CallEndBody,
	profile: Profile,
): WebhookPayload {
	const { fields, signature, headers, ...delivery } = profile.webhook(event);
	return { ...givenPayload(fields, delivery), seen: signature && { signature, headers } };
}

/** Writes a given body. Only how it is sent follows the profile. */
export function givenPayload(
	fields: Record<string, unknown>,
	{ method, encoding }: Pick<ProfiledWebhook, 'method' | 'encoding'>,
): WebhookPayload {
	if (method === 'GET' || encoding === 'query') {
		const query = asTexts(fields);
		return { method, fields: query, query, text: '' };
	}
	if (encoding === 'form') {
		const texts = asTexts(fields);
		const text = new URLSearchParams(texts).toString();
		return { method, contentType: 'application/x-www-form-urlencoded', fields: texts, text };
	}
	if (encoding === 'xml') {
		const text = `<?xml version="1.0" encoding="utf-8"?><Webhook>${asXml(fields)}</Webhook>`;
		return { method, contentType: 'application/xml', fields, text };
	}
	return { method, contentType: 'application/json', fields, text: JSON.stringify(fields) };
}

/** Writes null as an empty field and an object as JSON. */
function asTexts(fields: Record<string, unknown>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(fields).map(([name, value]): [string, string] => [
			name,
			typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''),
		]),
	);
}

/** Elements without attributes. Names that XML does not allow are left out. */
function asXml(fields: object): string {
	return Object.entries(fields)
		.filter(([name]) => /^[A-Za-z_][\w.-]*$/.test(name))
		.map(([name, value]: [string, unknown]) => {
			const content =
				typeof value === 'object' && value !== null
					? asXml(value)
					: String(value ?? '').replace(/[<>&]/g, (sign) => `&#${sign.charCodeAt(0)};`);
			return `<${name}>${content}</${name}>`;
		})
		.join('');
}
