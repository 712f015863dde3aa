import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { messageOf, StartError } from './errors.mts';
import type { LedgerEntry } from './recordings/schemas.mts';
import type { RecordingFormat } from './schema.mts';

/** A recording as the database keeps it. Times are milliseconds since 1970-01-01 UTC. */
export interface RecordingRow {
	id: number;
	sessionGuid: string;
	to: string | null;
	from: string | null;
	startedAt: number;
	endedAt: number;
	durationSeconds: number;
	format: RecordingFormat;
	encrypted: boolean;
	plainBytes: number;
	plainSha256: string;
	storedBytes: number;
	storedSha256: string;
	/**
	 * Name inside the folder of files, independent of the session GUID. Empty for a recording that is
	 * made on the fly.
	 */
	fileName: string;
	state: LedgerEntry['state'];
	stateSince: number;
}

/** What a list shows of a recording. */
export type RecordingSummary = Pick<
	RecordingRow,
	| 'id'
	| 'sessionGuid'
	| 'to'
	| 'from'
	| 'startedAt'
	| 'endedAt'
	| 'durationSeconds'
	| 'format'
	| 'encrypted'
	| 'storedBytes'
>;

const SCHEMA = `
	CREATE TABLE IF NOT EXISTS recordings (
		id INTEGER PRIMARY KEY,
		session_guid TEXT NOT NULL,
		to_number TEXT,
		from_number TEXT,
		started_at INTEGER NOT NULL,
		ended_at INTEGER NOT NULL,
		duration_seconds REAL NOT NULL,
		format TEXT NOT NULL,
		encrypted INTEGER NOT NULL,
		plain_bytes INTEGER NOT NULL,
		plain_sha256 TEXT NOT NULL,
		stored_bytes INTEGER NOT NULL,
		stored_sha256 TEXT NOT NULL,
		file_name TEXT NOT NULL,
		state TEXT NOT NULL,
		state_since INTEGER NOT NULL
	) STRICT;
	CREATE UNIQUE INDEX IF NOT EXISTS stored_once
		ON recordings (session_guid) WHERE state = 'stored';
	CREATE INDEX IF NOT EXISTS stored_by_end ON recordings (ended_at) WHERE state = 'stored';
	CREATE TABLE IF NOT EXISTS calls (
		session_guid TEXT PRIMARY KEY,
		call TEXT NOT NULL
	) STRICT;
	CREATE TABLE IF NOT EXISTS clock (id INTEGER PRIMARY KEY, offset INTEGER NOT NULL) STRICT;
`;

export function openDatabase(file: string): DatabaseSync {
	try {
		const database = new DatabaseSync(file);
		// A second emulator on the same folder would remove the first one's files.
		database.exec('PRAGMA locking_mode = EXCLUSIVE');
		database.exec('PRAGMA journal_mode = WAL');
		database.exec('PRAGMA synchronous = NORMAL');
		database.exec(SCHEMA);
		return database;
	} catch (error) {
		const reason = messageOf(error);
		throw new StartError(
			/locked|busy/.test(reason)
				? `The data folder ${path.dirname(file)} is in use by another emulator; stop it or choose another folder`
				: `The database ${file} cannot be opened: ${reason}`,
		);
	}
}

type Row = Record<string, SQLOutputValue>;

/** Reads a whole row. The columns are typed (STRICT), so it has these types. */
export function toRecording(row: Row): RecordingRow {
	return {
		id: row['id'] as number,
		sessionGuid: row['session_guid'] as string,
		to: row['to_number'] as string | null,
		from: row['from_number'] as string | null,
		startedAt: row['started_at'] as number,
		endedAt: row['ended_at'] as number,
		durationSeconds: row['duration_seconds'] as number,
		format: row['format'] as RecordingFormat,
		encrypted: row['encrypted'] === 1,
		plainBytes: row['plain_bytes'] as number,
		plainSha256: row['plain_sha256'] as string,
		storedBytes: row['stored_bytes'] as number,
		storedSha256: row['stored_sha256'] as string,
		fileName: row['file_name'] as string,
		state: row['state'] as RecordingRow['state'],
		stateSince: row['state_since'] as number,
	};
}

/** Reads the columns of `selectStored` in the store, in their order. */
export function toSummary(row: SQLOutputValue[]): RecordingSummary {
	return {
		id: row[0] as number,
		sessionGuid: row[1] as string,
		to: row[2] as string | null,
		from: row[3] as string | null,
		startedAt: row[4] as number,
		endedAt: row[5] as number,
		durationSeconds: row[6] as number,
		format: row[7] as RecordingFormat,
		encrypted: row[8] === 1,
		storedBytes: row[9] as number,
	};
}
