import type { Call } from '../calls/schemas.mts';
import type { Profile } from '../profile/profile.mts';
import type { RecordingRow } from '../database.mts';
import { callOf } from '../recordings/records.mts';
import { rename } from '../shapes/spelling.mts';
import type { Shapes } from '../shapes/unknowns.mts';
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
	method: Shapes['webhookMethod'];
	contentType?: string;
	/** What is sent, before it becomes text. */
	fields: Record<string, unknown>;
	text: string;
	query?: Record<string, string>;
	/** How a service was seen to prove where it comes from. */
	seen?: SeenProof | undefined;
}

/** Writes an event in the current shape. */
export function webhookPayload(
	event: CallStartBody | CallEndBody,
	shapes: Shapes,
	profile?: Profile,
): WebhookPayload {
	const seen = profile?.webhook(event);
	if (seen) {
		const webhookBody = seen.encoding === 'json' ? 'flat' : seen.encoding;
		const { signature, headers } = seen;
		const payload = givenPayload(seen.fields, { ...shapes, webhookBody });
		return { ...payload, seen: signature && { signature, headers } };
	}
	const { event: name, ...data } = event;
	const bodies: Record<Shapes['webhookBody'], () => Record<string, unknown>> = {
		flat: () => ({ ...event }),
		nested: () => ({ event: name, data }),
		PascalCase: () => rename(event, 'PascalCase'),
		form: () => ({ ...event }),
		deep: () => ({ event: name, data: { call: { attributes: data } } }),
		batch: () => ({ events: [{ ...event }] }),
		formJson: () => ({ event: name, payload: data }),
		query: () => ({ ...event }),
		xml: () => ({ ...event }),
	};
	return givenPayload(bodies[shapes.webhookBody](), shapes);
}

/** Writes a given body. Only its encoding follows the shape. */
export function givenPayload(
	fields: Record<string, unknown>,
	{ webhookBody, webhookMethod: method }: Shapes,
): WebhookPayload {
	if (method === 'GET' || webhookBody === 'query') {
		const query = asTexts(fields);
		return { method, fields: query, query, text: '' };
	}
	if (webhookBody === 'form' || webhookBody === 'formJson') {
		const texts = asTexts(fields);
		const text = new URLSearchParams(texts).toString();
		return { method, contentType: 'application/x-www-form-urlencoded', fields: texts, text };
	}
	if (webhookBody === 'xml') {
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
