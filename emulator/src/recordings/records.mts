import { isoTime } from '../clock.mts';
import type { RecordingRow, RecordingSummary } from '../database.mts';
import type { AddedRecording, LedgerEntry, Recording } from './schemas.mts';

/** What a recording says about its call. */
export function callOf(row: RecordingSummary) {
	return {
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
	};
}

export function recording(row: RecordingSummary): Recording {
	return {
		...callOf(row),
		format: row.format,
		encrypted: row.encrypted,
		sizeBytes: row.storedBytes,
	};
}

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
