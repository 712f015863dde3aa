import { type Static, Type } from 'typebox';
import {
	Milliseconds,
	named,
	Nullable,
	RecordingFormat,
	ref,
	SessionGuid,
	strict,
	TextEnum,
	Time,
} from '../schema.mts';
import { CallOutcome, Outcome, outcomes } from './outcomes.mts';

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

export const DefaultInstructions = named(
	'DefaultInstructions',
	Type.Object(
		{
			// Any object, so that wrong instructions can be tried. They are read when a call starts.
			instructions: Nullable(Type.Object({}, { additionalProperties: true })),
		},
		strict,
	),
);

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
			outcome: Type.Optional(
				TextEnum([...outcomes], { description: 'Emulator only: how the call goes' }),
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
		plannedOutcome: Outcome,
		outcome: Nullable(CallOutcome),
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
