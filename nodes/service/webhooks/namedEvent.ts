import { searchFields } from '../../data/fields';
import { isJsonObject, plainName } from '../../data/json';
import { WebhookRefusal, type WebhookRequest } from './request';

/** The two webhooks of the service. */
export type WebhookEvent = 'callStart' | 'callEnd';

/** Names of fields in which services say what a webhook is about, without separators. */
const EVENT_FIELDS = [
	'action',
	'event',
	'eventname',
	'eventtype',
	'hook',
	'kind',
	'messagetype',
	'name',
	'notification',
	'notificationtype',
	'topic',
	'type',
	'webhook',
	'webhookname',
	'webhooktype',
];

/** The names of the specification, in any spelling: `CallStart`, `call_started`, `call.ended`. */
const EVENTS: ReadonlyMap<string, WebhookEvent> = new Map<string, WebhookEvent>([
	['callstart', 'callStart'],
	['callstarted', 'callStart'],
	['callend', 'callEnd'],
	['callended', 'callEnd'],
]);

const NAMES: Readonly<Record<WebhookEvent, string>> = {
	callStart: 'CallStart',
	callEnd: 'CallEnd',
};

/** Why a webhook of the other event is refused. */
export class OtherEvent extends WebhookRefusal {}

/** More would be the history of a call. */
const MAX_DEPTH = 3;

/**
 * Refuses the webhook of the other event: whoever exchanges the two addresses at the service gets
 * no recordings, and would see nothing of it.
 *
 * @throws OtherEvent
 */
export function assertEvent(
	expected: WebhookEvent,
	payload: unknown,
	{ headers }: Pick<WebhookRequest, 'headers'>,
): void {
	const named = new Set([...eventsInPayload(payload), ...eventsInHeaders(headers)]);
	if (named.size !== 1 || named.has(expected)) return;
	const [other = expected] = named;
	throw new OtherEvent(
		400,
		`This is a ${NAMES[other]} webhook, and the trigger waits for ${NAMES[expected]}: exchange the two addresses at the service`,
	);
}

function eventsInPayload(payload: unknown): WebhookEvent[] {
	// The only field of an object may have the name of the event: { CallEnd: { … } }
	const outer = isJsonObject(payload) ? Object.keys(payload) : [];
	const { hits } = searchFields(payload, (name) => EVENT_FIELDS.includes(plainName(name)));
	const values = hits.filter(({ depth }) => depth <= MAX_DEPTH).map(({ value }) => value);
	return [...(outer.length === 1 ? outer : []), ...values].flatMap(eventOf);
}

function eventsInHeaders(headers: WebhookRequest['headers']): WebhookEvent[] {
	return Object.entries(headers)
		.filter(([name]) => /event|topic|webhook-type/i.test(name))
		.flatMap(([, value]) => eventOf(value));
}

function eventOf(value: unknown): WebhookEvent[] {
	const event = typeof value === 'string' ? EVENTS.get(plainName(value)) : undefined;
	return event === undefined ? [] : [event];
}
