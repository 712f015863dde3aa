import { type Field, fieldsNamed, searchFields } from '../data/fields';
import { isJsonObject, type JsonObject, plainName } from '../data/json';
import { plainNumber } from '../data/phoneNumbers';
import type { NumberFields } from './apiCredential';

/** Who was called, and who called. `null` if the record does not say so clearly. */
export interface CallNumbers {
	/** As the record has it, without spaces around it. */
	to: string | null;
	from: string | null;
	/** As seen by the customer of the service. */
	direction: 'inbound' | 'outbound' | null;
}

type Role = 'to' | 'from' | 'direction' | 'anyone';

/**
 * What services call the numbers of a call, without separators and capitals: Twilio, Telnyx,
 * Vonage, Plivo, Retell, Vapi, Bland, Asterisk and FreeSWITCH. The specification shows none.
 */
const ROLES: ReadonlyMap<string, Role> = new Map<string, Role>([
	['to', 'to'],
	['tonumber', 'to'],
	['tophone', 'to'],
	['tophonenumber', 'to'],
	['called', 'to'],
	['callednumber', 'to'],
	['calledphonenumber', 'to'],
	['calledparty', 'to'],
	['calledpartynumber', 'to'],
	['callee', 'to'],
	['calleenumber', 'to'],
	['calleephonenumber', 'to'],
	['calleeidnumber', 'to'],
	['destination', 'to'],
	['destinationnumber', 'to'],
	['destinationphonenumber', 'to'],
	['dialed', 'to'],
	['dialednumber', 'to'],
	['dnis', 'to'],
	['recipient', 'to'],
	['recipientnumber', 'to'],
	['recipientphonenumber', 'to'],
	['from', 'from'],
	['fromnumber', 'from'],
	['fromphone', 'from'],
	['fromphonenumber', 'from'],
	['caller', 'from'],
	['callernumber', 'from'],
	['callerphonenumber', 'from'],
	['callerid', 'from'],
	['calleridnumber', 'from'],
	['callingnumber', 'from'],
	['callingparty', 'from'],
	['callingpartynumber', 'from'],
	['source', 'from'],
	['sourcenumber', 'from'],
	['sourcephonenumber', 'from'],
	['ani', 'from'],
	['cli', 'from'],
	['direction', 'direction'],
	['calldirection', 'direction'],
	// The other side of the call, whoever that is.
	['phonenumber', 'anyone'],
	['phone', 'anyone'],
]);

/** Whether services call a phone number so. */
export function isNumberName(name: string): boolean {
	const role = ROLES.get(plainName(name));
	return role !== undefined && role !== 'direction';
}

/** In an object that is itself named by its role: `{ to: { phoneNumber: "+1…" } }`. */
const INNER_NAMES = ['number', 'phonenumber', 'phone', 'e164', 'uri', 'address', 'value'];

const INBOUND = ['inbound', 'incoming', 'in'];
const OUTBOUND = ['outbound', 'outgoing', 'out', 'outboundapi', 'outbounddial'];

/**
 * Finds who was called and who called in a payload or record whose shape the service does not show:
 * fields with usual names, in any spelling and at any depth. The outermost count. Those in lists do
 * not: they are of several participants.
 */
export function callNumbersIn(record: unknown, fields?: NumberFields): CallNumbers {
	return numbersIn(record, fields, [record]);
}

/** @param documents in which the fields that the user names are searched */
function numbersIn(
	record: unknown,
	fields: NumberFields | undefined,
	documents: readonly unknown[],
): CallNumbers {
	// Of a record that is too large, such as with a long transcript, the outermost are searched.
	const { hits } = searchFields(record, (name, around) => roleOf(name, around) !== undefined);
	const outside = hits.filter(({ isInList }) => !isInList);
	const direction = directionOf(outside);
	// With nobody else named, the number of a call that was placed is the one that was called.
	const fallback = direction === 'inbound' ? undefined : numberOf(outside, 'anyone');
	return {
		to: fields?.calledNumberField
			? numberAt(documents, fields.calledNumberField)
			: (numberOf(outside, 'to') ?? fallback ?? null),
		from: fields?.callerNumberField
			? numberAt(documents, fields.callerNumberField)
			: (numberOf(outside, 'from') ?? null),
		direction,
	};
}

/**
 * The numbers of a call in an item: those that a node of this package has put there, also `null`,
 * because it knew the fields that the user has named; otherwise those that are found.
 */
export function callNumbersOfItem(
	item: JsonObject,
	fields: NumberFields,
): Pick<CallNumbers, 'to' | 'from'> {
	const { to, from, direction } = item;
	const isOurs = isTextOrNull(to) && isTextOrNull(from) && isTextOrNull(direction);
	if (isOurs) return { to, from };
	// Another node may have put the payload or record into a field: n8n's Webhook, into `body`.
	const documents = [item, ...Object.values(item).filter(isJsonObject)];
	const found = numbersIn(item, fields, documents);
	return { to: found.to, from: found.from };
}

function isTextOrNull(value: unknown): value is string | null {
	return value === null || typeof value === 'string';
}

function roleOf(name: string, around: string): Role | undefined {
	const outer = ROLES.get(plainName(around));
	const isInner = INNER_NAMES.includes(plainName(name));
	if (isInner && outer !== undefined && outer !== 'direction') return outer;
	return ROLES.get(plainName(name));
}

function directionOf(hits: readonly Field[]): CallNumbers['direction'] {
	for (const { name, around, value } of hits) {
		if (roleOf(name, around) !== 'direction' || typeof value !== 'string') continue;
		const text = plainName(value);
		if (INBOUND.includes(text)) return 'inbound';
		if (OUTBOUND.includes(text)) return 'outbound';
	}
	return null;
}

/**
 * The outermost number with a role.
 *
 * @returns `undefined` if there is none, `null` if several say different things
 */
function numberOf(hits: readonly Field[], role: Role): string | null | undefined {
	const found = hits
		.filter(({ name, around }) => roleOf(name, around) === role)
		.map(({ depth, value }) => ({ depth, number: phoneNumber(value) }))
		.filter(({ number }) => number !== undefined);
	const [first] = found;
	if (!first?.number) return undefined;
	const outermost = found.filter(({ depth }) => depth === first.depth);
	const numbers = new Set(outermost.map(({ number }) => plainNumber(number)));
	return numbers.size === 1 ? first.number : null;
}

/** The number in a field that the user has named. */
function numberAt(documents: readonly unknown[], field: string): string | null {
	const hits = documents.flatMap((document) => fieldsNamed(document, field) ?? []);
	const numbers = hits.map(({ value }) => phoneNumber(value));
	const [number] = numbers;
	return numbers.length === 1 && number !== undefined ? number : null;
}

/** A phone number, also in an address of the telephone network (RFC 3966, RFC 3261). */
function phoneNumber(value: unknown): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value).trim();
	// The period of a list may be called `from` and `to` too.
	if (text.length > 64 || /^\d{4}-\d\d-\d\d/.test(text)) return undefined;
	const number = /^(?:tel:|sips?:)?([^@;]*)/i.exec(text)?.[1] ?? '';
	return /^\+?\d{3,15}$/.test(plainNumber(number)) ? number : undefined;
}
