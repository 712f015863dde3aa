import { isoTime } from './clock.mts';
import type {
	AddedRecording,
	Call,
	CallEndBody,
	CallStartBody,
	DeletedReply,
	LedgerEntry,
	MakeCallReply,
	Recording,
} from './schemas.mts';
import type { RecordingRow } from './store.mts';

/*
 * How the emulator shows what it knows. Every body whose shape the service specification leaves
 * open is built here and nowhere else.
 */

export function recording(row: RecordingRow): Recording {
	return {
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
		format: row.format,
		encrypted: row.encrypted,
		sizeBytes: row.storedBytes,
	};
}

export function recordingList(rows: readonly RecordingRow[]): Recording[] {
	return rows.map(recording);
}

export function deletedReply(row: RecordingRow): DeletedReply {
	return { deleted: true, sessionGuid: row.sessionGuid };
}

export function makeCallReply(call: Call): MakeCallReply {
	return { sessionGuid: call.sessionGuid, status: 'queued', to: call.to };
}

export function callStartBody(call: Call): CallStartBody {
	return {
		event: 'CallStart',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		...(call.metadata && { metadata: call.metadata }),
	};
}

export function callEndBody(call: Call & { endedAt: string }): CallEndBody {
	return {
		event: 'CallEnd',
		sessionGuid: call.sessionGuid,
		to: call.to,
		from: call.from,
		startedAt: call.startedAt,
		endedAt: call.endedAt,
		durationSeconds: call.durationSeconds ?? 0,
		recorded: call.recorded,
		...(call.metadata && { metadata: call.metadata }),
	};
}

/** CallEnd for a recording whose call the emulator may not know. */
export function callEndBodyOfRecording(row: RecordingRow): CallEndBody {
	return {
		event: 'CallEnd',
		sessionGuid: row.sessionGuid,
		to: row.to,
		from: row.from,
		startedAt: isoTime(row.startedAt),
		endedAt: isoTime(row.endedAt),
		durationSeconds: row.durationSeconds,
		recorded: true,
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
