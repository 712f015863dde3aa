import { type Static, Type } from 'typebox';
import {
	Milliseconds,
	named,
	Nullable,
	ref,
	SessionGuid,
	strict,
	TextEnum,
	Time,
} from '../schema.mts';
import { UnderstoodInstructions } from './instructionsSchema.mts';

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
					description: 'Emulator only: length in seconds',
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
		strict,
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

export const CallSettings = named(
	'CallSettings',
	Type.Object(
		{ recordingDelayMs: Type.Optional(Milliseconds('From CallEnd to its stored recording')) },
		strict,
	),
);
