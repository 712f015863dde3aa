import { mkdir, mkdtemp, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Call } from './calls/schemas.mts';
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

/**
 * The emulator's state: a SQLite database, and a folder with the files next to it. A reader never
 * sees a row in state `stored` without its file: the file is complete before its row exists, and
 * the row ends before the file is removed.
 */
export interface Store {
	/** Folder of the recordings' files. */
	readonly filesDir: string;
	/** False for the private temporary folder, which does not have to survive a power cut. */
	readonly durable: boolean;
	insertRecording(
		row: Omit<RecordingRow, 'id' | 'state' | 'stateSince'>,
		now: number,
	): RecordingRow;
	/** The stored recordings, oldest end of call first. */
	storedSummaries(): RecordingSummary[];
	storedRecording(sessionGuid: string): RecordingRow | undefined;
	/** Stored recordings whose call ended at or before `endedAt`. */
	storedEndedBy(endedAt: number): RecordingRow[];
	updateStoredFile(id: number, storedBytes: number, storedSha256: string): void;
	/** @returns false if it had already ended */
	endRecording(id: number, state: 'deleted' | 'purged', now: number): boolean;
	/** Everything ever recorded, in the order in which it was recorded. */
	ledger(): RecordingRow[];
	saveCall(call: Call): void;
	calls(): Call[];
	/** How far the emulator's clock was moved, in milliseconds. */
	clockOffset(): number;
	saveClockOffset(offset: number): void;
	/** Forgets recordings and calls, and removes the files. */
	clear(): Promise<void>;
	/** Closes the database; the private temporary folder goes with it. */
	close(): Promise<void>;
}

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

type Row = Record<string, SQLOutputValue>;

/** The columns are typed (STRICT), so a row has these types. */
function toRecording(row: Row): RecordingRow {
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

/** The columns of `selectStored` in their order. */
function toSummary(row: SQLOutputValue[]): RecordingSummary {
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

function openDatabase(file: string): DatabaseSync {
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

/**
 * Opens the store, and removes what a killed process left behind: files without a row and rows
 * without a file.
 *
 * @param dataDir folder that survives restarts; without it the state is in memory and the files
 * are in a private temporary folder
 * @throws StartError when the folder is in use or unusable
 */
export async function openStore(dataDir: string | undefined): Promise<Store> {
	const durable = dataDir !== undefined;
	const root = dataDir ?? (await mkdtemp(path.join(tmpdir(), 'voiceagent-emulator-')));
	const filesDir = path.join(root, 'recordings');
	try {
		await mkdir(filesDir, { recursive: true });
	} catch (error) {
		throw new StartError(`The data folder ${root} cannot be used: ${messageOf(error)}`);
	}
	const database = openDatabase(durable ? path.join(root, 'emulator.sqlite') : ':memory:');
	if (durable) await reconcile(database, filesDir);

	const insert = database.prepare(`
		INSERT INTO recordings (session_guid, to_number, from_number, started_at, ended_at,
			duration_seconds, format, encrypted, plain_bytes, plain_sha256, stored_bytes,
			stored_sha256, file_name, state, state_since)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'stored', ?)
	`);
	const selectStored = database.prepare(`
		SELECT id, session_guid, to_number, from_number, started_at, ended_at, duration_seconds,
			format, encrypted, stored_bytes
		FROM recordings WHERE state = 'stored' ORDER BY ended_at, id
	`);
	// A list can be long, so it gets arrays, and only the columns that it shows.
	selectStored.setReturnArrays(true);
	const selectOne = database.prepare(
		`SELECT * FROM recordings WHERE state = 'stored' AND session_guid = ?`,
	);
	const selectEndedBy = database.prepare(
		`SELECT * FROM recordings WHERE state = 'stored' AND ended_at <= ?`,
	);
	const selectAll = database.prepare('SELECT * FROM recordings ORDER BY id');
	const updateFile = database.prepare(
		'UPDATE recordings SET stored_bytes = ?, stored_sha256 = ? WHERE id = ?',
	);
	const updateState = database.prepare(
		`UPDATE recordings SET state = ?, state_since = ? WHERE id = ? AND state = 'stored'`,
	);
	const upsertCall = database.prepare(`
		INSERT INTO calls (session_guid, call) VALUES (?, ?)
		ON CONFLICT (session_guid) DO UPDATE SET call = excluded.call
	`);
	const selectCalls = database.prepare('SELECT call FROM calls ORDER BY rowid');
	const selectClock = database.prepare('SELECT offset FROM clock');
	const upsertClock = database.prepare('INSERT OR REPLACE INTO clock (id, offset) VALUES (1, ?)');

	return {
		filesDir,
		durable,
		insertRecording(row, now) {
			const { lastInsertRowid } = insert.run(
				row.sessionGuid,
				row.to,
				row.from,
				row.startedAt,
				row.endedAt,
				row.durationSeconds,
				row.format,
				row.encrypted ? 1 : 0,
				row.plainBytes,
				row.plainSha256,
				row.storedBytes,
				row.storedSha256,
				row.fileName,
				now,
			);
			return { ...row, id: Number(lastInsertRowid), state: 'stored', stateSince: now };
		},
		storedSummaries: () => (selectStored.all() as unknown as SQLOutputValue[][]).map(toSummary),
		storedRecording(sessionGuid) {
			const row = selectOne.get(sessionGuid);
			return row && toRecording(row);
		},
		storedEndedBy: (endedAt) => selectEndedBy.all(endedAt).map(toRecording),
		updateStoredFile(id, storedBytes, storedSha256) {
			updateFile.run(storedBytes, storedSha256, id);
		},
		endRecording(id, state, now) {
			return updateState.run(state, now, id).changes > 0;
		},
		ledger: () => selectAll.all().map(toRecording),
		saveCall(call) {
			upsertCall.run(call.sessionGuid, JSON.stringify(call));
		},
		calls: () => selectCalls.all().map((row) => JSON.parse(String(row['call'])) as Call),
		clockOffset: () => Number(selectClock.get()?.['offset'] ?? 0),
		saveClockOffset(offset) {
			upsertClock.run(Math.round(offset));
		},
		async clear() {
			database.exec('DELETE FROM recordings; DELETE FROM calls');
			await reconcile(database, filesDir);
		},
		async close() {
			database.close();
			if (!durable) await rm(root, { recursive: true, force: true });
		},
	};
}

async function reconcile(database: DatabaseSync, filesDir: string): Promise<void> {
	const files = new Set(await readdir(filesDir));
	const rows = database
		.prepare(`SELECT id, file_name FROM recordings WHERE state = 'stored' AND file_name <> ''`)
		.all();
	const remove = database.prepare('DELETE FROM recordings WHERE id = ?');
	for (const row of rows) {
		// What stays in the set belongs to no row.
		if (!files.delete(String(row['file_name']))) remove.run(Number(row['id']));
	}
	for (const file of files) await unlink(path.join(filesDir, file));
}
