import { type Static, Type } from 'typebox';
import { named, Nullable, SessionGuid, TextEnum, Time } from '../schema.mts';

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
