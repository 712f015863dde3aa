import { isoTime } from '../clock.mts';
import type { RecordingRow } from '../store.mts';
import { type AddedRecording, type LedgerEntry } from './ledgerSchema.mts';
import { recording } from './replies.mts';

export function ledgerEntry(row: RecordingRow): LedgerEntry {
	const { sizeBytes: _stored, ...shown } = recording(row);
	return {
		...shown,
		plainBytes: row.plainBytes,
		plainSha256: row.plainSha256,
		storedBytes: row.storedBytes,
		storedSha256: row.storedSha256,
		state: row.state,
		stateSince: isoTime(row.stateSince),
	};
}

export function addedRecording(row: RecordingRow): AddedRecording {
	return {
		sessionGuid: row.sessionGuid,
		format: row.format,
		encrypted: row.encrypted,
		plainBytes: row.plainBytes,
		plainSha256: row.plainSha256,
		storedBytes: row.storedBytes,
		storedSha256: row.storedSha256,
	};
}
