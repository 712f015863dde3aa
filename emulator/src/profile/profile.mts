import { fileType } from '../audio/audio.mts';
import type { Call } from '../calls/schemas.mts';
import type { RecordingRow, RecordingSummary } from '../database.mts';
import type { Refusal } from '../errors.mts';
import { requireValid } from '../validation.mts';
import type { CallEndBody, CallStartBody } from '../webhooks/schemas.mts';
import { errorLike, type ProfiledReply } from './errors.mts';
import { filled, mapLeaves } from './likeExample.mts';
import {
	emptyListIn,
	inOrder,
	type ListRequest,
	type Order,
	pageLike,
	recordOf,
} from './lists.mts';
import {
	type Exchange,
	type ListProfile,
	type RecordedAnswer,
	type SeenSignature,
	ServiceProfile,
	type WebhookProfile,
} from './schema.mts';
import { GUID, spelledAs } from './spelling.mts';
import { unknowns } from './unknowns.mts';

/** Why a request is refused, as a profile may show it. */
export type RefusalKind = 'noKey' | 'wrongKey' | 'unknownGuid' | 'malformedGuid' | 'deleteAgain';

/** A redirect on the way to a file. */
export interface Hop {
	status: number;
	/** An example: where the next hop is, seen from this one. */
	location: string;
}

/** How a service answers. */
export interface Profile {
	/** @param rows oldest end of call first */
	list(
		rows: readonly RecordingSummary[],
		request: Pick<ListRequest, 'query' | 'address'>,
	): ProfiledReply;
	/**
	 * @param sessionGuid the one that was asked for
	 * @returns `undefined` if it is refused as other requests are
	 */
	refusal(kind: RefusalKind, sessionGuid?: string): ProfiledReply | undefined;
	error(refusal: Refusal): ProfiledReply;
	/** The status of an error, by its code; the one that was meant if no profile says another. */
	statusOf(code: string, meant: number): number;
	deleted(sessionGuid: string): ProfiledReply;
	callPlaced(call: Pick<Call, 'sessionGuid' | 'to'>): ProfiledReply;
	/** @returns `undefined` if it is refused */
	sms(): ProfiledReply | undefined;
	downloadHeaders(row: RecordingRow, size: number): Record<string, string | number>;
	readonly hops: readonly Hop[];
	/** What was answered to a request of another kind, such as for the API document. */
	other(method: string, path: string): ProfiledReply | undefined;
	webhook(event: CallStartBody | CallEndBody): ProfiledWebhook;
	/** How a webhook is sent, whatever is in it. */
	delivery(name: WebhookProfile['event']): Pick<ProfiledWebhook, 'method' | 'encoding'>;
	/** Spells a lower-case UUID as a session GUID of the service. */
	spelled(uuid: string): string;
}

/** What a service was seen to answer. */
export interface Seen {
	readonly profile: ServiceProfile;
	/** What the profile says nothing about, so that it stays as assumed. */
	readonly assumed: readonly string[];
	/** Whether a webhook was seen to prove its origin. */
	readonly hasSignature: boolean;
}

/** A webhook as a profile shows it. */
export interface ProfiledWebhook {
	fields: Record<string, unknown>;
	method: 'POST' | 'PUT' | 'GET';
	encoding: 'json' | 'form' | 'xml' | 'query';
	/** How it proves its origin. The secret is not in a profile. */
	signature: SeenSignature | undefined;
	/** Headers that were seen, by their names in lower case. */
	headers: Record<string, string>;
}

/** Headers that belong to a connection or to one body, not to a service. */
const OWN_HEADERS =
	/^(?:date|content-length|connection|keep-alive|transfer-encoding|content-encoding)$/;

/** @throws ServiceError 400 for what is not a profile */
export function seenIn(given: unknown): Seen {
	requireValid(ServiceProfile, given, 'the profile');
	const profile = given as ServiceProfile;
	const { webhooks = [] } = profile;
	return {
		profile,
		assumed: assumedBy(profile),
		hasSignature: webhooks.some(({ signature }) => signature !== undefined),
	};
}

/**
 * How a service answers that was seen, or else as the chosen profiles say.
 *
 * @param chosen says everything
 */
export function answersOf(chosen: ServiceProfile, seen?: Seen): Profile {
	const profiles = seen ? [seen.profile, chosen] : [chosen];
	/** What the first profile says that says it. */
	function first<T>(say: (profile: ServiceProfile) => T | undefined): T | undefined {
		for (const profile of profiles) {
			const said = say(profile);
			if (said !== undefined) return said;
		}
		return undefined;
	}
	function said<T>(say: (profile: ServiceProfile) => T | undefined): T {
		return first(say) as T;
	}
	const order = said(orderIn);
	const guid = said(guidIn);
	const hops = said(hopsIn);
	const delivery = (name: WebhookProfile['event']) => ({
		method: said(({ webhooks = [] }) => webhooks.find(({ event }) => event === name)?.method),
		encoding: encodingOf(said((profile) => webhookIn(profile, name))),
	});
	return {
		list(rows, request) {
			const all = { ...request, rows: inOrder(rows, order), order };
			return said((profile) => listIn(profile, all));
		},
		refusal: (kind, sessionGuid) => first((profile) => refusalIn(profile, kind, sessionGuid)),
		error: (refusal) =>
			errorLike(
				said(({ errors }) => errors),
				refusal,
			),
		statusOf: (code, meant) => first(({ errors }) => errors?.statuses?.[code]) ?? meant,
		deleted: (sessionGuid) =>
			said((profile) => {
				const exchange = exchangeIn(profile, 'delete');
				return exchange && replyLike(exchange, sessionGuid);
			}),
		callPlaced: (call) => said((profile) => callReply(exchangeIn(profile, 'makeCall'), call)),
		sms() {
			const seenOrChosen = first((profile) => exchangeIn(profile, 'sms'));
			return seenOrChosen && replyLike(seenOrChosen);
		},
		downloadHeaders: (row, size) => downloadHeaders(said(downloadIn), row, size),
		hops,
		other: (method, path) =>
			first(({ exchanges = [] }) => {
				const exchange = exchanges.find(({ name, request, answer: given }) => {
					const isWanted = request.method === method && request.path === path;
					return isWanted && given !== undefined && OTHERS.includes(name);
				});
				return exchange && replyLike(exchange);
			}),
		webhook(event) {
			const name = event.event === 'CallStart' ? 'callStart' : 'callEnd';
			const webhook = said((profile) => webhookIn(profile, name));
			return { ...webhookLike(webhook, event), ...delivery(name) };
		},
		delivery,
		spelled: (uuid) => spelledAs(guid, uuid),
	};
}

/** Exchanges about neither recordings nor calls. */
const OTHERS = ['document', 'smsOptions'];
const KNOWN_TYPE =
	/^(?:audio\/(?:ogg|opus|mpeg|mp3|wav|x-wav|wave|webm)|application\/octet-stream)\b/;

function exchangeIn({ exchanges = [] }: ServiceProfile, name: string): Exchange | undefined {
	return exchanges.findLast((one) => one.name === name && one.answer !== undefined);
}

function orderIn({ list }: ServiceProfile): Order | undefined {
	return list?.order === 'unknown' ? undefined : list?.order;
}

/** A session GUID of the service. */
function guidIn(profile: ServiceProfile): string | undefined {
	const { sessionGuid, list } = profile;
	const guid = sessionGuid ?? (list && guidOf(recordOf(profile, list), list));
	return guid !== undefined && GUID.test(guid) ? guid : undefined;
}

function downloadIn(profile: ServiceProfile): RecordedAnswer | undefined {
	const answer = exchangeIn(profile, 'download')?.answer;
	return answer?.file && answer;
}

function hopsIn(profile: ServiceProfile): Hop[] | undefined {
	const answer = downloadIn(profile);
	return answer && (answer.redirects ?? []);
}

function listIn(profile: ServiceProfile, request: ListRequest): ProfiledReply | undefined {
	const answer = exchangeIn(profile, 'list')?.answer;
	if (answer && answer.status >= 300) return sent(answer);
	const { list } = profile;
	if (list?.path === undefined) return answer && sent(answer);
	const empty = request.rows.length === 0 ? emptyListIn(profile, list) : undefined;
	if (empty) return sent(empty);
	// A list that was never seen with records cannot have any.
	if (recordOf(profile, list) === undefined) return undefined;
	const page = pageLike(profile, list, request);
	return page && sent(page);
}

function refusalIn(
	profile: ServiceProfile,
	kind: RefusalKind,
	sessionGuid?: string,
): ProfiledReply | undefined {
	const exchange = exchangeIn(profile, kind);
	const { status = 0, isRefusal = status >= 300 } = exchange?.answer ?? {};
	return exchange && isRefusal ? replyLike(exchange, sessionGuid) : undefined;
}

function sent({ status, headers, json, text }: RecordedAnswer): ProfiledReply {
	const shown = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name));
	const body = json === undefined ? text : JSON.stringify(json);
	return { status, headers: Object.fromEntries(shown), body };
}

/** The answer of a profile, with this session GUID in place of the one that it was about. */
function replyLike({ request, answer }: Exchange, sessionGuid?: string): ProfiledReply {
	const reply = sent(answer as RecordedAnswer);
	if (sessionGuid === undefined || reply.body === undefined) return reply;
	const seen = decodeURIComponent(request.path.slice(request.path.lastIndexOf('/') + 1));
	return { ...reply, body: reply.body.replaceAll(seen, sessionGuid) };
}

/** The answer to a call, with the session GUID of this one in place of each GUID. */
function callReply(
	exchange: Exchange | undefined,
	{ sessionGuid, to }: Pick<Call, 'sessionGuid' | 'to'>,
): ProfiledReply | undefined {
	if (!exchange?.answer || exchange.answer.status >= 300) return undefined;
	const json = mapLeaves(exchange.answer.json, (path, value) => {
		if (typeof value !== 'string') return value;
		if (GUID.test(value)) return sessionGuid;
		return /^to$/i.test(path.split('.').at(-1) ?? '') ? to : value;
	});
	return sent({ ...exchange.answer, json });
}

function downloadHeaders(
	{ headers, file }: RecordedAnswer,
	{ format, encrypted, sessionGuid }: RecordingRow,
	size: number,
): Record<string, string | number> {
	const own = fileType(format, encrypted);
	const type = String(headers['content-type'] ?? '');
	const isPlain = file?.format !== 'enc' && type.startsWith('application/octet-stream');
	const isOwnType = KNOWN_TYPE.test(type) && !isPlain;
	const disposition = String(headers['content-disposition'] ?? '');
	const fileName = `${sessionGuid}.${own.extension}`;
	return {
		...(type !== '' && { 'content-type': isOwnType ? own.contentType : type }),
		...(headers['content-length'] !== undefined && { 'content-length': size }),
		...(disposition !== '' && { 'content-disposition': dispositionLike(disposition, fileName) }),
	};
}

/** A file name that leads out of its folder is sent as it is: it is what the profile is about. */
function dispositionLike(example: string, fileName: string): string {
	if (/[/\\]|%(?:2f|5c|00)/i.test(example)) return example;
	return `attachment; filename="${fileName}"`;
}

/** What is in a webhook, if a profile has it. */
function webhookIn(
	{ webhooks = [] }: ServiceProfile,
	name: WebhookProfile['event'],
): WebhookProfile | undefined {
	return webhooks.find(({ event, json }) => event === name && json !== undefined);
}

function webhookLike(
	webhook: WebhookProfile,
	event: CallStartBody | CallEndBody,
): Omit<ProfiledWebhook, 'method' | 'encoding'> {
	const { json, roles = {}, signature } = webhook;
	const { sessionGuid, to, from, startedAt, metadata } = event;
	const facts = {
		...{ sessionGuid, to, from, metadata, startMs: Date.parse(startedAt) },
		...('endedAt' in event && {
			endMs: Date.parse(event.endedAt),
			durationSeconds: event.durationSeconds,
			outcome: event.outcome,
			recorded: event.recorded,
		}),
	};
	const fields = filled(json, roles, facts) as Record<string, unknown>;
	return { fields, signature, headers: headersOf(webhook) };
}

function headersOf({ headers = {} }: WebhookProfile): Record<string, string> {
	const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
	return Object.fromEntries(lower) as Record<string, string>;
}

function encodingOf(webhook: WebhookProfile): ProfiledWebhook['encoding'] {
	if (webhook.encoding !== undefined) return webhook.encoding;
	const headers = headersOf(webhook);
	const type = headers['content-type']?.toLowerCase();
	if (type === undefined) return Object.keys(headers).length > 0 ? 'query' : 'json';
	if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
	return /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/.test(type) ? 'xml' : 'json';
}

function guidOf(record: unknown, { record: said }: ListProfile): string | undefined {
	if (typeof record === 'string') return record;
	let guid: string | undefined;
	mapLeaves(record, (path, value) => {
		if (said?.roles?.[path]?.role === 'sessionGuid') guid ??= String(value);
		return value;
	});
	return guid;
}

/** What is open in the specification, and not in the profile. */
function assumedBy(profile: ServiceProfile): string[] {
	const { list, webhooks = [] } = profile;
	const has = (name: string) => exchangeIn(profile, name) !== undefined;
	const hasRecord = list !== undefined && recordOf(profile, list) !== undefined;
	const events = new Set(
		webhooks.filter(({ json }) => json !== undefined).map(({ event }) => event),
	);
	const counts = list?.paging?.counts;
	const says: Array<[is: boolean, what: string]> = [
		[has('list'), unknowns.list.open],
		[hasRecord, 'fields of a recording record'],
		[list !== undefined && emptyListIn(profile, list) !== undefined, unknowns.emptyList.open],
		[list?.paging !== undefined && list.paging.kind !== 'unknown', unknowns.paging.open],
		[counts === undefined || has('beyond'), 'answer to a page beyond the last one'],
		[downloadIn(profile) !== undefined, 'headers of a download'],
		[has('noKey'), 'answer to a request without an API key'],
		[has('wrongKey'), 'answer to a wrong API key'],
		[has('unknownGuid'), unknowns.unknownGuid.open],
		[has('delete'), unknowns.deleteReply.open],
		[has('makeCall'), unknowns.makeCallReply.open],
		[has('document'), 'API document'],
		[events.has('callStart'), 'payload of CallStart'],
		[events.has('callEnd'), 'payload of CallEnd'],
		[webhooks.some(({ signature }) => signature !== undefined), 'signature of the webhooks'],
		[webhooks.some(({ method }) => method !== undefined), unknowns.webhookMethod.open],
		[has('sms'), unknowns.sms.open],
		[profile.errors !== undefined, 'errors of other requests'],
	];
	return says.filter(([is]) => !is).map(([, what]) => what);
}
