import { type Static, Type } from 'typebox';
import { ByteCount, named, Sha256, TextEnum, Time } from '../schema.mts';
import { recordingFields } from './recordingSchema.mts';

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
