import { type Static, Type } from 'typebox';
import { ByteCount, named, Nullable, SessionGuid, TextEnum, Time } from '../schema.mts';

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

const LogState = Type.Object({
	entries: ByteCount('How many it holds'),
	bytes: ByteCount('Their size as JSON'),
	dropped: ByteCount('How many it had to drop, the oldest first, since it was emptied'),
});
export type LogState = Static<typeof LogState>;

export const LogStates = named(
	'LogStates',
	Type.Object({ deliveries: LogState, requests: LogState, log: LogState }),
);

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
