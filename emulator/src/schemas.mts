import { type Static, type TSchema, Type } from 'typebox';
import { permissions } from './auth.mts';
import { type Shapes as ShapesOfUnknowns, type UnknownName, unknowns } from './unknowns.mts';

/*
 * One schema per entity: it validates requests, serialises replies and appears in the OpenAPI
 * document. Whatever the service specification marks as "not shown" is an assumption of the
 * emulator and listed at the top of its README.
 */

const Time = (description: string) => Type.String({ format: 'date-time', description });
/**
 * The schema or null. Written as a list of types where possible, because validation messages of a
 * union name every branch, and serialising one tries them in turn.
 */
const Nullable = <T extends TSchema>(schema: T) => {
	const { type, enum: values, ...rest }: { type?: string; enum?: unknown[] } = { ...schema };
	return Type.Unsafe<Static<T> | null>(
		type === undefined
			? { anyOf: [schema, { type: 'null' }] }
			: { ...rest, type: [type, 'null'], ...(values && { enum: [...values, null] }) },
	);
};
const TextEnum = <T extends string>(values: T[], options: { description?: string } = {}) =>
	Type.Unsafe<T>({ type: 'string', enum: values, ...options });
const ByteCount = (description: string) => Type.Integer({ minimum: 0, description });
const Milliseconds = (description: string) =>
	Type.Number({ minimum: 0, maximum: 600_000, description });
const Sha256 = (description: string) =>
	Type.String({ pattern: '^[0-9a-f]{64}$', description: `SHA-256 in hex of ${description}` });
const strict = { additionalProperties: false } as const;

/** A reference to a shared schema, so that the OpenAPI document names it once. */
export const ref = <T extends TSchema & { $id: string }>(schema: T) =>
	Type.Unsafe<Static<T>>({ $ref: `${schema.$id}#` });

const named = <T extends TSchema, Id extends string>(id: Id, schema: T): T & { $id: Id } =>
	Object.assign(schema, { $id: id });

/** Service specification, Instructions block: the allowed values of `recordCallFormat`. */
export const RecordingFormat = TextEnum(['opus', 'mp3', 'wav'], {
	description: 'Audio format of a recording',
});
export type RecordingFormat = Static<typeof RecordingFormat>;

const SessionGuid = Type.String({
	minLength: 1,
	maxLength: 100,
	// What can be one segment of a path, a header value and a file name; also `{…}` as .NET prints.
	pattern: '^[A-Za-z0-9{}._-]+$',
	description: 'Identifies the call and its recording; delivered by the CallEnd webhook',
});

/* ── errors ─────────────────────────────────────────────────────────────────────────────────── */

export const ErrorBody = named(
	'Error',
	Type.Object({
		error: Type.Object({
			code: Type.String(),
			message: Type.String(),
			fields: Type.Optional(Type.Array(Type.String())),
		}),
	}),
);

export type ErrorBody = Static<typeof ErrorBody>;

/* ── the customer API ───────────────────────────────────────────────────────────────────────── */

export const MakeCallRequest = named(
	'MakeCallRequest',
	Type.Object(
		{
			to: Type.String({ minLength: 1, maxLength: 200, description: 'Recipient' }),
			from: Type.Optional(
				Type.String({ minLength: 1, maxLength: 200, description: 'Number that is shown' }),
			),
			durationSeconds: Type.Optional(
				Type.Number({
					exclusiveMinimum: 0,
					maximum: 14_400,
					description: 'Emulator only: how long the recipient stays on the line, in seconds',
				}),
			),
			metadata: Type.Optional(
				Type.Record(
					Type.String(),
					Type.Unsafe<string | number | boolean | null>({
						type: ['string', 'number', 'boolean', 'null'],
						maxLength: 2000,
					}),
					{ maxProperties: 50, description: 'Passed on in the webhooks' },
				),
			),
		},
		{ ...strict, examples: [{ to: '+15550100', durationSeconds: 5 }] },
	),
);
export type MakeCallRequest = Static<typeof MakeCallRequest>;

export const MakeCallReply = named(
	'MakeCallReply',
	Type.Object({
		sessionGuid: SessionGuid,
		status: Type.Literal('queued'),
		to: Type.String(),
	}),
);
export type MakeCallReply = Static<typeof MakeCallReply>;

export const Recording = named(
	'Recording',
	Type.Object({
		sessionGuid: SessionGuid,
		to: Nullable(Type.String()),
		from: Nullable(Type.String()),
		startedAt: Time('When the call started'),
		endedAt: Time('When the call ended; retention counts from here'),
		durationSeconds: Type.Number({ description: 'Length of the audio in seconds' }),
		format: RecordingFormat,
		encrypted: Type.Boolean(),
		sizeBytes: ByteCount('Size of the stored file'),
	}),
);
export type Recording = Static<typeof Recording>;

export const RecordingList = named('RecordingList', Type.Array(ref(Recording)));

export const DeletedReply = named(
	'DeletedReply',
	Type.Object({ deleted: Type.Literal(true), sessionGuid: SessionGuid }),
);
export type DeletedReply = Static<typeof DeletedReply>;

export const SmsRequest = named(
	'SmsRequest',
	Type.Object({}, { additionalProperties: true, description: 'Not yet defined by the service' }),
);

export const SessionGuidParams = Type.Object({
	// Deliberately any text: an unknown one is answered with 404, whatever it looks like.
	sessionGuid: Type.String({ description: 'From the CallEnd webhook' }),
});

/* ── webhooks that the service sends ────────────────────────────────────────────────────────── */

/** Service specification, Instructions block. Null counts as omitted in every field. */
export const ServiceInstructions = named(
	'ServiceInstructions',
	Type.Object({
		aiUrl: Type.Optional(Nullable(Type.Object({}, { description: 'Contents not specified' }))),
		maxSeconds: Type.Optional(
			Nullable(
				Type.Number({
					exclusiveMinimum: 0,
					description: 'Assumed: the longest time to talk, in seconds',
				}),
			),
		),
		defaultToolsUrlBase: Type.Optional(
			Nullable(Type.Object({}, { description: 'Contents not specified' })),
		),
		recordCall: Type.Optional(Nullable(Type.Boolean({ description: 'true records the call' }))),
		recordCallFormat: Type.Optional(Nullable(RecordingFormat)),
		recordCallPassword: Type.Optional(
			Nullable(Type.String({ description: 'Null or omitted: stored unencrypted' })),
		),
	}),
);
export type ServiceInstructions = Static<typeof ServiceInstructions>;

export const CallStartReply = named(
	'CallStartReply',
	Type.Object({ Service_Instructions: ref(ServiceInstructions) }),
);

const webhookFields = {
	sessionGuid: SessionGuid,
	to: Nullable(Type.String()),
	from: Nullable(Type.String()),
	startedAt: Time('When the call started'),
};

export const CallStartBody = named(
	'CallStartBody',
	Type.Object({
		event: Type.Literal('CallStart'),
		...webhookFields,
		metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
	}),
);
export type CallStartBody = Static<typeof CallStartBody>;

export const CallEndBody = named(
	'CallEndBody',
	Type.Object({
		event: Type.Literal('CallEnd'),
		...webhookFields,
		endedAt: Time('When the call ended'),
		durationSeconds: Type.Number({ description: 'Time on the line in seconds' }),
		recorded: Type.Boolean({ description: 'Whether a recording can be downloaded' }),
		metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
	}),
);
export type CallEndBody = Static<typeof CallEndBody>;

/* ── emulator control ───────────────────────────────────────────────────────────────────────── */

/** What was understood of a `Service_Instructions` block. The password itself is not kept here. */
export const UnderstoodInstructions = named(
	'UnderstoodInstructions',
	Type.Object({
		source: TextEnum(['reply', 'default', 'none'], {
			description: 'CallStart reply, default instructions of the emulator, or neither',
		}),
		record: Type.Boolean({ description: 'Whether the call is recorded' }),
		format: RecordingFormat,
		encrypted: Type.Boolean(),
		maxSeconds: Nullable(Type.Number()),
		problems: Type.Array(Type.String(), {
			description: 'Why instructions were not followed; empty when all is well',
		}),
	}),
);
export type UnderstoodInstructions = Static<typeof UnderstoodInstructions>;

export const Call = named(
	'Call',
	Type.Object({
		sessionGuid: SessionGuid,
		to: Type.String(),
		from: Nullable(Type.String()),
		metadata: Nullable(Type.Record(Type.String(), Type.Unknown())),
		state: TextEnum(['queued', 'ringing', 'answered', 'ended', 'completed', 'aborted'], {
			description:
				'completed: CallEnd was delivered or given up; aborted: the emulator stopped meanwhile',
		}),
		startedAt: Time('When the call was placed'),
		answeredAt: Nullable(Time('When the recipient answered')),
		endedAt: Nullable(Time('When the call ended')),
		plannedSeconds: Type.Number({ description: 'How long the recipient would talk' }),
		durationSeconds: Nullable(Type.Number({ description: 'Time on the line' })),
		instructions: Nullable(ref(UnderstoodInstructions)),
		recorded: Type.Boolean({ description: 'A recording of it was stored' }),
	}),
);
export type Call = Static<typeof Call>;

/** One line of the ledger: everything ever recorded, also after its file is gone. */
export const LedgerEntry = named(
	'LedgerEntry',
	Type.Object({
		sessionGuid: SessionGuid,
		to: Nullable(Type.String()),
		from: Nullable(Type.String()),
		startedAt: Time('When the call started'),
		endedAt: Time('When the call ended'),
		durationSeconds: Type.Number(),
		format: RecordingFormat,
		encrypted: Type.Boolean(),
		plainBytes: ByteCount('Size of the audio before encryption'),
		plainSha256: Sha256('the audio before encryption'),
		storedBytes: ByteCount('Size of the stored file'),
		storedSha256: Sha256('the stored file'),
		state: TextEnum(['stored', 'deleted', 'purged']),
		stateSince: Time('When this state began'),
	}),
);
export type LedgerEntry = Static<typeof LedgerEntry>;

const addRecordingFields = {
	sessionGuid: Type.Optional(SessionGuid),
	to: Type.Optional(Type.String()),
	from: Type.Optional(Type.String()),
	format: Type.Optional(RecordingFormat),
	durationSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 14_400 })),
	sizeBytes: Type.Optional(
		Type.Integer({
			minimum: 1,
			maximum: 4_000_000_000,
			description: 'Synthetic audio of about this size instead of a given length',
		}),
	),
	onTheFly: Type.Optional(
		Type.Boolean({
			description: 'Keeps no file: the synthetic audio is made anew for each download',
		}),
	),
	password: Type.Optional(Type.String({ description: 'Stores it encrypted' })),
	endedAt: Type.Optional(Time('When its call ended; now when omitted')),
};

export const AddRecordingRequest = named(
	'AddRecordingRequest',
	Type.Object(
		{
			...addRecordingFields,
			contentBase64: Type.Optional(
				Type.String({
					pattern: '^[A-Za-z0-9+/]*={0,2}$',
					description: 'Exact bytes to store instead of synthetic audio',
				}),
			),
		},
		strict,
	),
);
export type AddRecordingRequest = Static<typeof AddRecordingRequest>;

export const AddedRecording = named(
	'AddedRecording',
	Type.Pick(LedgerEntry, [
		'sessionGuid',
		'format',
		'encrypted',
		'plainBytes',
		'plainSha256',
		'storedBytes',
		'storedSha256',
	]),
);
export type AddedRecording = Static<typeof AddedRecording>;

export const TamperRequest = named(
	'TamperRequest',
	Type.Object(
		{
			flipBitAt: Type.Optional(
				Type.Integer({
					description: 'Byte offset whose lowest bit is flipped; negative counts from the end',
				}),
			),
			truncateTo: Type.Optional(ByteCount('New length of the stored file')),
		},
		{ ...strict, minProperties: 1 },
	),
);
export type TamperRequest = Static<typeof TamperRequest>;

const WebhookUrl = Type.String({ pattern: '^https?://', maxLength: 2000 });

export const WebhookTargets = named(
	'WebhookTargets',
	Type.Object(
		{
			callStart: Type.Optional(Nullable(WebhookUrl)),
			callEnd: Type.Optional(Nullable(WebhookUrl)),
		},
		{ ...strict, description: 'An omitted target stays as it is; null switches it off' },
	),
);
export type WebhookTargets = Static<typeof WebhookTargets>;

export const DeliveryOptions = named(
	'DeliveryOptions',
	Type.Object(
		{
			retries: Type.Optional(
				Type.Integer({ minimum: 0, maximum: 20, description: 'Attempts after a failed one' }),
			),
			retryDelayMs: Type.Optional(Milliseconds('Pause before each retry')),
			copies: Type.Optional(
				Type.Integer({ minimum: 1, maximum: 20, description: 'Sent at the same time' }),
			),
			delayMs: Type.Optional(Milliseconds('Pause before the first attempt')),
			reorder: Type.Optional(
				Type.Integer({
					minimum: 1,
					maximum: 1000,
					description: 'Holds back this many CallEnd webhooks and sends the last one first',
				}),
			),
			reorderWaitMs: Type.Optional(
				Milliseconds('Sends those held back after this time, even if they are fewer'),
			),
			secret: Type.Optional(
				Nullable(
					Type.Object(
						{
							in: TextEnum(['header', 'query']),
							name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", maxLength: 100 }),
							value: Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 1000 }),
						},
						{ ...strict, description: 'Shared secret that every webhook carries' },
					),
				),
			),
		},
		{ ...strict, description: 'An omitted option stays as it is' },
	),
);
export type DeliveryOptions = Static<typeof DeliveryOptions>;

export const DefaultInstructionsRequest = named(
	'DefaultInstructionsRequest',
	Type.Object(
		{
			// Any object: wrong instructions must be possible, they are judged when a call starts.
			instructions: Nullable(Type.Object({}, { additionalProperties: true })),
		},
		strict,
	),
);

export const Delivery = named(
	'Delivery',
	Type.Object({
		id: Type.Integer(),
		event: TextEnum(['CallStart', 'CallEnd']),
		sessionGuid: SessionGuid,
		url: Type.String(),
		startedAt: Time('When it was sent'),
		durationMs: Type.Number(),
		attempt: Type.Integer({ description: 'Counts from 1; above 1 it is a retry' }),
		copy: Type.Integer({ description: 'Counts from 1; above 1 it is a duplicate' }),
		requestHeaders: Type.Record(Type.String(), Type.String()),
		requestBody: Type.Record(Type.String(), Type.Unknown(), {
			description: 'The fields that were sent, as JSON or as a form',
		}),
		status: Nullable(Type.Integer({ description: 'Null when no reply came' })),
		replyBody: Nullable(Type.String({ description: 'As received, also when it is not JSON' })),
		error: Nullable(Type.String({ description: 'Why it counts as failed' })),
	}),
);
export type Delivery = Static<typeof Delivery>;

export const RequestEntry = named(
	'RequestEntry',
	Type.Object({
		id: Type.Integer(),
		time: Time('When it arrived'),
		method: Type.String(),
		path: Type.String({ description: 'As sent, with the query' }),
		rawHeaders: Type.Array(Type.Array(Type.String()), {
			description:
				'[name, value] pairs letter for letter, in the order they were sent; each character is one byte',
		}),
		body: Type.Unknown({ description: 'Parsed JSON body, null without one' }),
		bodyBase64: Nullable(
			Type.String({ description: 'Bytes of the body as they came, null without one' }),
		),
		fault: Nullable(Type.String({ description: 'Kind of the fault that hit it' })),
		status: Nullable(Type.Integer({ description: 'Null while there is no reply' })),
		durationMs: Nullable(Type.Number({ description: 'Null while it is running' })),
		aborted: Type.Boolean({ description: 'The connection ended before the reply did' }),
	}),
);
export type RequestEntry = Static<typeof RequestEntry>;

export const LogEntry = named(
	'LogEntry',
	Type.Object({
		time: Time('Emulator time'),
		level: TextEnum(['info', 'warn', 'error']),
		sessionGuid: Nullable(SessionGuid),
		message: Type.String(),
	}),
);
export type LogEntry = Static<typeof LogEntry>;

export const ClockReply = named('ClockReply', Type.Object({ now: Time('Emulator time') }));
export const AdvanceClockRequest = named(
	'AdvanceClockRequest',
	Type.Object(
		{
			ms: Type.Number({
				minimum: -1e12,
				maximum: 1e12,
				description: 'Milliseconds; negative values move it back',
			}),
		},
		strict,
	),
);

/** One shape for each unknown of the specification; made from the declaration of the unknowns. */
export const ShapesRequest = named(
	'Shapes',
	Type.Unsafe<Partial<ShapesOfUnknowns>>(
		Type.Object(
			{
				...Object.fromEntries(
					(Object.keys(unknowns) as UnknownName[]).map((name) => {
						const { open, shapes } = unknowns[name];
						return [name, Type.Optional(TextEnum([...shapes], { description: open }))];
					}),
				),
				pageSize: Type.Optional(
					Type.Integer({ minimum: 1, maximum: 10_000, description: 'Recordings on one page' }),
				),
			},
			{ ...strict, description: 'An omitted shape stays as it is' },
		),
	),
);

export const CallSettingsRequest = named(
	'CallSettings',
	Type.Object(
		{ recordingDelayMs: Type.Optional(Milliseconds('From CallEnd to its stored recording')) },
		strict,
	),
);

export const ApiKeysRequest = named(
	'ApiKeys',
	Type.Object(
		{
			apiKeys: Type.Array(
				Type.Object(
					{
						// Service specification, Authentication: no extra spaces or line breaks.
						key: Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 1000 }),
						permissions: Type.Array(TextEnum([...permissions])),
					},
					strict,
				),
			),
		},
		strict,
	),
);

/* ── faults ─────────────────────────────────────────────────────────────────────────────────── */

const kindOf = <K extends string, T extends Record<string, TSchema>>(
	kind: K,
	description: string,
	fields: T,
) => Type.Object({ kind: Type.Literal(kind), ...fields }, { ...strict, description });

const Status = (description: string) =>
	Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description }));

/** Each in one place: what it is called, what it does and what it can be told. */
export const faultKinds = [
	kindOf('hangUp', 'Closes the connection without a reply', {}),
	kindOf('silent', 'Accepts the request and never answers, or falls silent in the body', {
		afterBytes: Type.Optional(ByteCount('Sends the headers and this much of the body first')),
	}),
	kindOf('delay', 'Answers late, but properly', { ms: Milliseconds('Pause before the reply') }),
	kindOf('drop', 'Cuts the connection in the middle of the body', {
		afterBytes: ByteCount('Bytes of the body that are sent'),
		chunked: Type.Optional(Type.Boolean({ description: 'Chunked instead of Content-Length' })),
	}),
	kindOf('closeDelimited', 'Neither length nor chunks: the end of the connection ends the body', {
		atBytes: Type.Optional(ByteCount('Ends the body early, which then looks complete')),
	}),
	kindOf('wrongLength', 'A Content-Length that is not the length of the body', {
		delta: Type.Integer({ description: 'Announced minus true length' }),
	}),
	kindOf('slow', 'A slow body', {
		bytesPerInterval: Type.Optional(
			Type.Integer({ minimum: 1, description: 'Bytes at a time; 1 when omitted' }),
		),
		intervalMs: Type.Optional(
			Type.Number({ minimum: 1, maximum: 600_000, description: 'Pause; 100 when omitted' }),
		),
	}),
	kindOf('endless', 'The body, and then more without end', {}),
	kindOf('gzipBomb', 'The body gzipped with padding that inflates to a given size', {
		bytes: Type.Optional(
			Type.Integer({
				minimum: 1,
				maximum: 100_000_000_000,
				description: 'Inflated size; 1,000,000,000 when omitted',
			}),
		),
	}),
	kindOf('headers', 'The reply with other headers', {
		set: Type.Record(Type.String(), Nullable(Type.String()), {
			description: 'Header values by name; null takes a header away',
		}),
	}),
	kindOf('status', 'Another reply', {
		status: Type.Integer({ minimum: 200, maximum: 599 }),
		retryAfter: Type.Optional(
			Type.Unsafe<string | number>({
				type: ['string', 'number'],
				description: 'Value of Retry-After, sent as given',
			}),
		),
		retryAfterDate: Type.Optional(
			Type.Number({ description: 'Retry-After as a date, so many seconds from now' }),
		),
		body: Type.Optional(
			Type.Unknown({ description: 'A text is sent as it is, anything else as JSON' }),
		),
		contentType: Type.Optional(Type.String({ description: 'Of the body' })),
	}),
	kindOf('html', 'A web page where data belongs', { status: Status('200 when omitted') }),
	kindOf('empty', 'No body', { status: Status('200 when omitted') }),
	kindOf('redirect', 'Points somewhere else', {
		to: Type.String({ minLength: 1, maxLength: 2000, description: 'Location, sent as given' }),
		status: Status('302 when omitted'),
	}),
	kindOf('echoToken', 'Repeats the key: in the status line, in a header and in the body', {
		status: Status('500 when omitted'),
	}),
	kindOf('notReady', 'The recording is not there yet; counted from when the fault was added', {
		seconds: Type.Number({ minimum: 0, maximum: 86_400 }),
		status: Status('that of an unknown session GUID when omitted'),
	}),
] as const;

type OneFault = Static<(typeof faultKinds)[number]>;

export const Fault = named(
	'Fault',
	Type.Unsafe<OneFault>({
		type: 'object',
		required: ['kind'],
		discriminator: { propertyName: 'kind' },
		oneOf: faultKinds,
	}),
);
export type Fault = Static<typeof Fault>;

export const FaultRule = named(
	'FaultRule',
	Type.Object(
		{
			match: Type.Optional(
				Type.Object(
					{
						endpoint: Type.Optional(TextEnum([...permissions])),
						method: Type.Optional(Type.String({ description: 'In capitals' })),
						path: Type.Optional(
							Type.String({ description: 'As sent, without the query; * stands for any text' }),
						),
						sessionGuid: Type.Optional(Type.String({ description: 'At the end of the path' })),
					},
					{ ...strict, description: 'Everything named must fit; omitted: every request' },
				),
			),
			skip: Type.Optional(
				Type.Integer({ minimum: 0, description: 'Lets this many matching requests pass first' }),
			),
			times: Type.Optional(
				Type.Unsafe<number | 'always'>({
					anyOf: [
						{ type: 'integer', minimum: 1 },
						{ type: 'string', enum: ['always'] },
					],
					description:
						'Requests to hit; when omitted 1, or "always" with a probability and for notReady',
				}),
			),
			probability: Type.Optional(
				Type.Number({ minimum: 0, maximum: 1, description: 'That a matching request is hit' }),
			),
			carryOut: Type.Optional(
				Type.Boolean({
					description: 'Does what was asked although the reply says something else',
				}),
			),
			fault: Fault,
		},
		strict,
	),
);
export type FaultRule = Static<typeof FaultRule>;

export const AddedFault = named(
	'AddedFault',
	Type.Object({
		id: Type.Integer(),
		hits: Type.Integer({ description: 'Requests it has hit so far' }),
		spent: Type.Boolean({ description: 'It will hit no more' }),
		rule: Type.Unsafe<FaultRule>({ type: 'object', additionalProperties: true }),
	}),
);
export type AddedFault = Static<typeof AddedFault>;

/** Every schema with a name, for registration with the server. */
export const namedSchemas = [
	ErrorBody,
	MakeCallRequest,
	MakeCallReply,
	Recording,
	RecordingList,
	DeletedReply,
	SmsRequest,
	ServiceInstructions,
	CallStartReply,
	CallStartBody,
	CallEndBody,
	UnderstoodInstructions,
	Call,
	LedgerEntry,
	AddRecordingRequest,
	AddedRecording,
	TamperRequest,
	WebhookTargets,
	DefaultInstructionsRequest,
	Delivery,
	RequestEntry,
	LogEntry,
	ClockReply,
	AdvanceClockRequest,
	DeliveryOptions,
	ShapesRequest,
	CallSettingsRequest,
	ApiKeysRequest,
	FaultRule,
	AddedFault,
] as const;
