import { type Call } from '../calls/callSchema.mts';
import { callOf } from '../recordings/replies.mts';
import { rename } from '../shapes/naming.mts';
import type { Shapes } from '../shapes/unknowns.mts';
import type { RecordingRow } from '../store.mts';
import { type CallEndBody, type CallStartBody } from './eventSchema.mts';

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
		recorded: call.recorded,
		...(call.metadata && { metadata: call.metadata }),
	};
}

/** CallEnd for a recording whose call may never have happened. */
export function callEndBodyOfRecording(row: RecordingRow): CallEndBody {
	return { event: 'CallEnd', ...callOf(row), recorded: true };
}

export interface WebhookPayload {
	contentType: string;
	/** What is sent, before it becomes text. */
	fields: Record<string, unknown>;
	text: string;
}

/** Writes an event in the current shape. */
export function webhookPayload(
	event: CallStartBody | CallEndBody,
	shape: Shapes['webhookBody'],
): WebhookPayload {
	if (shape === 'form') return asForm(rename(event, 'camelCase'));
	const { event: name, ...data } = event;
	const bodies: Record<Exclude<Shapes['webhookBody'], 'form'>, () => Record<string, unknown>> = {
		flat: () => ({ ...event }),
		nested: () => ({ event: name, data }),
		PascalCase: () => rename(event, 'PascalCase'),
	};
	return asJson(bodies[shape]());
}

/** Writes a given body. Only its encoding follows the shape. */
export function givenPayload(
	body: Record<string, unknown>,
	shape: Shapes['webhookBody'],
): WebhookPayload {
	return shape === 'form' ? asForm(body) : asJson(body);
}

function asJson(fields: Record<string, unknown>): WebhookPayload {
	return { contentType: 'application/json', fields, text: JSON.stringify(fields) };
}

/** Writes null as an empty field and an object as JSON. */
function asForm(body: Record<string, unknown>): WebhookPayload {
	const fields = Object.fromEntries(
		Object.entries(body).map(([name, value]): [string, string] => [
			name,
			typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? ''),
		]),
	);
	return {
		contentType: 'application/x-www-form-urlencoded',
		fields,
		text: new URLSearchParams(fields).toString(),
	};
}
