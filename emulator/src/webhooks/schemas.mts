import { type Static, Type } from 'typebox';
import {
	HEADER_NAME_PATTERN,
	Milliseconds,
	named,
	Nullable,
	SessionGuid,
	strict,
	TextEnum,
	Time,
} from '../schema.mts';
import { CallOutcome } from '../calls/outcomes.mts';
import { presetNames } from './presets.mts';
import { Signing } from './signing.mts';

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
		outcome: CallOutcome,
		recorded: Type.Boolean({ description: 'Whether a recording can be downloaded' }),
		metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
	}),
);
export type CallEndBody = Static<typeof CallEndBody>;

const WebhookUrl = Type.String({ pattern: '^https?://\\S+$', format: 'iri', maxLength: 2000 });

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
			preset: Type.Optional(
				Nullable(TextEnum(presetNames, { description: 'Retries as a real sender makes them' })),
			),
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
							name: Type.String({ pattern: HEADER_NAME_PATTERN, maxLength: 100 }),
							value: Type.String({ pattern: '^[\\x21-\\x7e]+$', maxLength: 1000 }),
						},
						{ ...strict, description: 'Shared secret that every webhook carries' },
					),
				),
			),
			signing: Type.Optional(Nullable(Signing)),
		},
		{ ...strict, description: 'An omitted option stays as it is' },
	),
);
export type DeliveryOptions = Static<typeof DeliveryOptions>;

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
			description: 'The fields that were sent, whatever their form',
		}),
		status: Nullable(Type.Integer({ description: 'Null when no reply came' })),
		replyBody: Nullable(Type.String({ description: 'As received, also when it is not JSON' })),
		error: Nullable(Type.String({ description: 'Why it counts as failed' })),
	}),
);
export type Delivery = Static<typeof Delivery>;
