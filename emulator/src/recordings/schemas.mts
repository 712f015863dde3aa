import { type Static, Type } from 'typebox';
import {
	ByteCount,
	named,
	Nullable,
	RecordingFormat,
	ref,
	SessionGuid,
	Sha256,
	strict,
	TextEnum,
	Time,
} from '../schema.mts';

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

/** One line of the ledger, which lists everything ever recorded, even after its file is gone. */
export const LedgerEntry = named(
	'LedgerEntry',
	Type.Object({
		...recordingFields,
		plainBytes: ByteCount('Size of the audio before encryption'),
		plainSha256: Sha256('the audio before encryption'),
		storedBytes: ByteCount('Size of the stored file'),
		storedSha256: Sha256('the stored file'),
		state: TextEnum(['stored', 'deleted', 'purged']),
		stateSince: Time('When this state began'),
	}),
);
export type LedgerEntry = Static<typeof LedgerEntry>;

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

export const AddRecordingRequest = named(
	'AddRecordingRequest',
	Type.Object(
		{
			sessionGuid: Type.Optional(SessionGuid),
			to: Type.Optional(Type.String()),
			from: Type.Optional(Type.String()),
			format: Type.Optional(RecordingFormat),
			durationSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 14_400 })),
			sizeBytes: Type.Optional(
				Type.Integer({
					minimum: 1,
					maximum: 2 ** 32 - 1,
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

/** What an emulator without state begins with. */
export const Seed = Type.Object({ recordings: Type.Array(AddRecordingRequest) }, strict);
export type Seed = Static<typeof Seed>;

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
