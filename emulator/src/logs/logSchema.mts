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
