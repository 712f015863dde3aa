import { type Static, Type } from 'typebox';
import { ByteCount, named, Nullable, RecordingFormat, ref, SessionGuid, Time } from '../schema.mts';

/** What the service's list and the emulator's ledger both say about a recording. */
export const recordingFields = {
	sessionGuid: SessionGuid,
	to: Nullable(Type.String()),
	from: Nullable(Type.String()),
	startedAt: Time('When the call started'),
	endedAt: Time('When the call ended; retention counts from here'),
	durationSeconds: Type.Number({ description: 'Length of the audio in seconds' }),
	format: RecordingFormat,
	encrypted: Type.Boolean(),
};

export const Recording = named(
	'Recording',
	Type.Object({
		...recordingFields,
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
