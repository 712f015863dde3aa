import type { Call } from '../calls/schemas.mts';
import type { RecordingSummary } from '../database.mts';
import { requireValid } from '../validation.mts';
import { type Shapes, unknowns } from '../shapes/unknowns.mts';
import type { CallEndBody, CallStartBody } from '../webhooks/schemas.mts';
import { filled, mapLeaves } from './likeExample.mts';
import { emptyListIn, pageLike, recordOf } from './lists.mts';
import {
	type Exchange,
	type ListProfile,
	type RecordedAnswer,
	type SeenSignature,
	ServiceProfile,
	type WebhookProfile,
} from './schema.mts';

/** An answer as a service has given it, with what belongs to this emulator in it. */
export interface ProfiledReply {
	status: number;
	headers: Record<string, string | string[]>;
	/** Text of the body; `undefined` if there is none. */
	body: string | undefined;
}

/** Who asks for a page of the list. */
interface ListRequest {
	rows: readonly RecordingSummary[];
	query: Readonly<Record<string, unknown>>;
	address: string;
}

/** Why a request is refused, as a profile may show it. */
export type RefusalKind = 'noKey' | 'wrongKey' | 'unknownGuid' | 'malformedGuid' | 'deleteAgain';

/** What a service was seen to answer. What was not seen is `undefined`. */
export interface Profile {
	/** Shapes that the profile shows. */
	readonly shapes: Partial<Shapes>;
	/** What the profile says nothing about, so that it stays as assumed. */
	readonly assumed: readonly string[];
	list(request: ListRequest): ProfiledReply | undefined;
	/** @param sessionGuid the one that was asked for */
	refusal(kind: RefusalKind, sessionGuid?: string): ProfiledReply | undefined;
	deleted(sessionGuid: string): ProfiledReply | undefined;
	callPlaced(call: Pick<Call, 'sessionGuid' | 'to'>): ProfiledReply | undefined;
	/** A Content-Type of downloads that no shape has. */
	contentType(): string | undefined;
	/** What was answered to a request of another kind, such as for the API document. */
	other(method: string, path: string): ProfiledReply | undefined;
	webhook(event: CallStartBody | CallEndBody): ProfiledWebhook | undefined;
	/** Whether a webhook was seen to prove its origin. */
	readonly hasSignature: boolean;
}

/** A webhook as a service was seen to send it. */
export interface ProfiledWebhook {
	fields: Record<string, unknown>;
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
export function createProfile(given: unknown): Profile {
	requireValid(ServiceProfile, given, 'the profile');
	const profile = given as ServiceProfile;
	const { exchanges, list, webhooks = [] } = profile;
	const answerOf = (name: string): Exchange | undefined =>
		exchanges.findLast((one) => one.name === name && one.answer !== undefined);

	function refusal(kind: RefusalKind, sessionGuid?: string): ProfiledReply | undefined {
		const exchange = answerOf(kind);
		const { status = 0, isRefusal = status >= 300 } = exchange?.answer ?? {};
		return exchange && isRefusal ? replyLike(exchange, sessionGuid) : undefined;
	}

	return {
		shapes: shapesOf(profile, answerOf),
		assumed: assumedBy(profile, answerOf),
		list(request) {
			const answer = answerOf('list')?.answer;
			if (!answer || answer.status >= 300) return answer && sent(answer);
			if (!list) return sent(answer);
			const empty = request.rows.length === 0 ? emptyListIn(profile, list) : undefined;
			if (empty) return sent(empty);
			// A list that was never seen with records cannot have any.
			if (recordOf(profile, list) === undefined) return undefined;
			const page = pageLike(profile, list, request);
			return page && sent(page);
		},
		refusal,
		deleted(sessionGuid) {
			const exchange = answerOf('delete');
			return exchange && replyLike(exchange, sessionGuid);
		},
		callPlaced: (call) => callReply(answerOf('makeCall'), call),
		contentType() {
			const type = String(answerOf('download')?.answer?.headers['content-type'] ?? '');
			return type === '' || KNOWN_TYPE.test(type) ? undefined : type;
		},
		other(method, path) {
			const exchange = exchanges.find(({ name, request, answer }) => {
				const isWanted = request.method === method && request.path === path;
				return isWanted && answer !== undefined && OTHERS.includes(name);
			});
			return exchange && replyLike(exchange);
		},
		webhook(event) {
			const name = event.event === 'CallStart' ? 'callStart' : 'callEnd';
			const seen = webhooks.find((one) => one.event === name);
			return seen && webhookLike(seen, event);
		},
		hasSignature: webhooks.some(({ signature }) => signature !== undefined),
	};
}

/** Exchanges about neither recordings nor calls. */
const OTHERS = ['document', 'smsOptions'];
const KNOWN_TYPE =
	/^(?:audio\/(?:ogg|opus|mpeg|mp3|wav|x-wav|wave|webm)|application\/octet-stream)\b/;

function sent({ status, headers, json, text }: RecordedAnswer): ProfiledReply {
	const shown = Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name));
	const body = json === undefined ? text : JSON.stringify(json);
	return { status, headers: Object.fromEntries(shown), body };
}

/** The answer that was seen, with this session GUID in place of the one that it was about. */
function replyLike({ request, answer }: Exchange, sessionGuid?: string): ProfiledReply {
	const reply = sent(answer as RecordedAnswer);
	if (sessionGuid === undefined || reply.body === undefined) return reply;
	const seen = decodeURIComponent(request.path.slice(request.path.lastIndexOf('/') + 1));
	return { ...reply, body: reply.body.replaceAll(seen, sessionGuid) };
}

export const GUID = /^\{?[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}\}?$/i;

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

function webhookLike(
	{ json, roles, headers: seen, signature }: WebhookProfile,
	event: CallStartBody | CallEndBody,
): ProfiledWebhook {
	const { sessionGuid, to, from, startedAt } = event;
	const facts = {
		...{ sessionGuid, to, from, startMs: Date.parse(startedAt) },
		...('endedAt' in event && {
			endMs: Date.parse(event.endedAt),
			durationSeconds: event.durationSeconds,
		}),
	};
	const fields = filled(json, roles, facts) as Record<string, unknown>;
	const lower = Object.entries(seen).map(([name, value]) => [name.toLowerCase(), String(value)]);
	const headers = Object.fromEntries(lower) as Record<string, string>;
	return { fields, encoding: encodingOf(headers), signature, headers };
}

function encodingOf(headers: Record<string, string>): ProfiledWebhook['encoding'] {
	const type = headers['content-type']?.toLowerCase();
	if (type === undefined) return Object.keys(headers).length > 0 ? 'query' : 'json';
	if (type.startsWith('application/x-www-form-urlencoded')) return 'form';
	return /^(?:application|text)\/(?:[\w.-]+\+)?xml\b/.test(type) ? 'xml' : 'json';
}

type AnswerOf = (name: string) => Exchange | undefined;

/** What the profile shows of the named shapes. */
function shapesOf(profile: ServiceProfile, answerOf: AnswerOf): Partial<Shapes> {
	const { list } = profile;
	const shapes: Partial<Shapes> = {};
	if (list?.order === 'oldestFirst' || list?.order === 'newestFirst') shapes.listOrder = list.order;
	if (list?.order === 'other') shapes.listOrder = 'byGuid';
	const record = list && recordOf(profile, list);
	const guid = list && guidOf(record, list);
	if (guid !== undefined && GUID.test(guid)) shapes.sessionGuid = spellingOf(guid);
	const download = answerOf('download')?.answer;
	if (download?.file) Object.assign(shapes, downloadShapes(download));
	return shapes;
}

function guidOf(record: unknown, { record: { roles } }: ListProfile): string | undefined {
	if (typeof record === 'string') return record;
	let guid: string | undefined;
	mapLeaves(record, (path, value) => {
		if (roles[path]?.role === 'sessionGuid') guid ??= String(value);
		return value;
	});
	return guid;
}

function spellingOf(guid: string): Shapes['sessionGuid'] {
	if (guid.startsWith('{')) return 'braces';
	if (!guid.includes('-')) return 'noHyphens';
	return /[A-F]/.test(guid) ? 'upperCase' : 'lowerCase';
}

function downloadShapes({ headers, redirects = [], file }: RecordedAnswer): Partial<Shapes> {
	const type = String(headers['content-type'] ?? '');
	const isPlain = file?.format !== 'enc' && /^application\/octet-stream/.test(type);
	const [first] = redirects;
	const isRelative = first !== undefined && !/^(?:[a-z][a-z\d+.-]*:)?\/\//i.test(first.location);
	const download = redirects.length > 1 ? 'chain' : isRelative ? 'relative' : 'otherOrigin';
	return {
		download: first === undefined ? 'direct' : download,
		contentType: type === '' ? 'absent' : isPlain ? 'octet-stream' : 'exact',
		contentLength: headers['content-length'] === undefined ? 'absent' : 'present',
		fileName: headers['content-disposition'] === undefined ? 'absent' : 'present',
	};
}

/** What is open in the specification, and not in the profile. */
function assumedBy(
	{ list, exchanges, webhooks = [] }: ServiceProfile,
	answerOf: AnswerOf,
): string[] {
	const seen = { version: 1 as const, exchanges };
	const hasRecord = list !== undefined && recordOf(seen, list) !== undefined;
	const events = new Set(webhooks.map(({ event }) => event));
	const says: Array<[is: boolean, what: string]> = [
		[answerOf('list') !== undefined, unknowns.list.open],
		[hasRecord, 'fields of a recording record'],
		[list !== undefined && emptyListIn(seen, list) !== undefined, unknowns.emptyList.open],
		[list?.paging !== undefined && list.paging.kind !== 'unknown', unknowns.paging.open],
		[answerOf('download')?.answer?.file !== undefined, 'headers of a download'],
		[answerOf('noKey') !== undefined, 'answer to a request without an API key'],
		[answerOf('wrongKey') !== undefined, 'answer to a wrong API key'],
		[answerOf('unknownGuid') !== undefined, unknowns.unknownGuid.open],
		[answerOf('delete') !== undefined, unknowns.deleteReply.open],
		[answerOf('makeCall') !== undefined, unknowns.makeCallReply.open],
		[answerOf('document') !== undefined, 'API document'],
		[events.has('callStart'), 'payload of CallStart'],
		[events.has('callEnd'), 'payload of CallEnd'],
		[webhooks.some(({ signature }) => signature !== undefined), 'signature of the webhooks'],
		[false, unknowns.webhookMethod.open],
		[false, unknowns.sms.open],
		[false, 'errors of other requests'],
	];
	return says.filter(([is]) => !is).map(([, what]) => what);
}
