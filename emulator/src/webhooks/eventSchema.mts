import { type Static, Type } from 'typebox';
import { named, Nullable, SessionGuid, Time } from '../schema.mts';

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
