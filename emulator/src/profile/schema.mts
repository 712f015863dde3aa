import { type Static, Type } from 'typebox';
import { HEADER_NAME_PATTERN, TextEnum } from '../schema.mts';

/** Names and values of any kind. */
const Values = Type.Record(Type.String(), Type.Unknown());

const RecordedAnswer = Type.Object({
	status: Type.Integer({ minimum: 100, maximum: 599 }),
	headers: Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())])),
	redirects: Type.Optional(
		Type.Array(Type.Object({ status: Type.Integer(), location: Type.String() })),
	),
	json: Type.Optional(Type.Unknown()),
	text: Type.Optional(Type.String()),
	file: Type.Optional(Type.Object({ format: Type.String() })),
	isRefusal: Type.Optional(Type.Boolean()),
});
export type RecordedAnswer = Static<typeof RecordedAnswer>;

const Exchange = Type.Object({
	name: Type.String(),
	request: Type.Object({ method: Type.String(), path: Type.String(), query: Values }),
	answer: Type.Optional(RecordedAnswer),
});
export type Exchange = Static<typeof Exchange>;

const Roles = Type.Record(
	Type.String(),
	Type.Object({
		role: TextEnum([
			...['sessionGuid', 'to', 'from', 'start', 'end', 'duration', 'size', 'format'],
			...['encrypted', 'outcome', 'recorded', 'metadata'],
		]),
		format: Type.String(),
	}),
);
export type Roles = Static<typeof Roles>;

const Paging = Type.Object({
	kind: TextEnum(['address', 'cursor', 'page', 'offset', 'none', 'unknown']),
	field: Type.Optional(Type.String()),
	parameter: Type.Optional(Type.String()),
	/** What the parameter has; a cursor if it is omitted. The last record is named by its GUID. */
	counts: Type.Optional(TextEnum(['pages', 'records', 'sessionGuids'])),
	first: Type.Optional(Type.Integer()),
	sizeParameter: Type.Optional(Type.String()),
	pageSize: Type.Optional(Type.Integer({ minimum: 1 })),
	/** Empty pages between any two that have records. */
	emptyPages: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
	/** Whether a value that leads nowhere is refused. */
	isStrict: Type.Optional(Type.Boolean()),
	pages: Type.Object({
		more: Type.Optional(Type.String()),
		last: Type.Optional(Type.String()),
	}),
});
export type Paging = Static<typeof Paging>;

/** How the names of fields are spelled. */
const Spelling = TextEnum(['camelCase', 'PascalCase', 'snake_case']);
export type Spelling = Static<typeof Spelling>;

const List = Type.Object({
	path: Type.Optional(Type.String()),
	order: Type.Optional(TextEnum(['oldestFirst', 'newestFirst', 'other', 'unknown'])),
	record: Type.Optional(
		Type.Object({
			roles: Type.Optional(Roles),
			/** A record; otherwise the first one that an exchange has. */
			json: Type.Optional(Type.Unknown()),
			/** Spells the names in `json`. */
			spelling: Type.Optional(Spelling),
		}),
	),
	fields: Type.Optional(
		Type.Array(
			Type.Object({
				place: TextEnum(['body', 'header']),
				path: Type.String(),
				role: Type.String(),
			}),
		),
	),
	paging: Type.Optional(Paging),
	/** The answer while nothing is listed, or what is in the place of the list then. */
	empty: Type.Optional(
		Type.Object({
			answer: Type.Optional(RecordedAnswer),
			records: Type.Optional(Type.Unknown()),
		}),
	),
});
export type ListProfile = Static<typeof List>;

const Header = Type.Optional(Type.String({ pattern: HEADER_NAME_PATTERN, maxLength: 100 }));

/** How a webhook proves its origin, by the names of the fields of the credential in n8n. */
const Signature = Type.Object({
	webhookVerification: TextEnum(['sharedSecret', 'hmac']),
	headerName: Header,
	algorithm: Type.Optional(TextEnum(['hmacSha1', 'hmacSha256', 'hmacSha512'])),
	encoding: Type.Optional(TextEnum(['hex', 'base64', 'base64url'])),
	signatureHeader: Header,
	headerFormat: Type.Optional(Type.String({ maxLength: 200 })),
	signedContent: Type.Optional(Type.String({ maxLength: 200 })),
	timestampHeader: Header,
	idHeader: Header,
});
export type SeenSignature = Static<typeof Signature>;

const Webhook = Type.Object({
	event: TextEnum(['callStart', 'callEnd']),
	method: Type.Optional(TextEnum(['POST', 'PUT', 'GET'])),
	/** As the headers say it if it is omitted. */
	encoding: Type.Optional(TextEnum(['json', 'form', 'xml', 'query'])),
	headers: Type.Optional(Values),
	roles: Type.Optional(Roles),
	json: Type.Optional(Type.Unknown()),
	signature: Type.Optional(Signature),
});
export type WebhookProfile = Static<typeof Webhook>;

/** Errors that no exchange shows, with `{code}`, `{message}`, `{status}` and `{fields}`. */
const Errors = Type.Object({
	headers: Type.Optional(Type.Record(Type.String(), Type.String())),
	json: Type.Optional(Type.Unknown()),
	text: Type.Optional(Type.String()),
	/** By the code of the error. */
	statuses: Type.Optional(Type.Record(Type.String(), Type.Integer({ minimum: 400, maximum: 599 }))),
});
export type Errors = Static<typeof Errors>;

/** A file `service-profile.json`, as docs/service-profile.md describes it. */
export const ServiceProfile = Type.Object({
	version: Type.Literal(1),
	exchanges: Type.Optional(Type.Array(Exchange)),
	list: Type.Optional(List),
	/** How session GUIDs are spelled; otherwise as in the first record. */
	sessionGuid: Type.Optional(Type.String()),
	webhooks: Type.Optional(Type.Array(Webhook)),
	errors: Type.Optional(Errors),
	settings: Type.Optional(Values),
	notes: Type.Optional(Type.Array(Type.String())),
});
export type ServiceProfile = Static<typeof ServiceProfile>;
