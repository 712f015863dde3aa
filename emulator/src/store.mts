import { mkdir, mkdtemp, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Call } from './calls/schemas.mts';
import {
	openDatabase,
	type RecordingRow,
	type RecordingSummary,
	toRecording,
	toSummary,
} from './database.mts';
import { messageOf, StartError } from './errors.mts';

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

function prepareStatements(database: DatabaseSync) {
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
		insert,
		selectStored,
		selectOne,
		selectEndedBy,
		selectAll,
		updateFile,
		updateState,
		upsertCall,
		selectCalls,
		selectClock,
		upsertClock,
	};
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

	const statements = prepareStatements(database);

	return {
		filesDir,
		durable,
		insertRecording(row, now) {
			const { lastInsertRowid } = statements.insert.run(
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
		storedSummaries: () =>
			(statements.selectStored.all() as unknown as SQLOutputValue[][]).map(toSummary),
		storedRecording(sessionGuid) {
			const row = statements.selectOne.get(sessionGuid);
			return row && toRecording(row);
		},
		storedEndedBy: (endedAt) => statements.selectEndedBy.all(endedAt).map(toRecording),
		updateStoredFile(id, storedBytes, storedSha256) {
			statements.updateFile.run(storedBytes, storedSha256, id);
		},
		endRecording(id, state, now) {
			return statements.updateState.run(state, now, id).changes > 0;
		},
		ledger: () => statements.selectAll.all().map(toRecording),
		saveCall(call) {
			statements.upsertCall.run(call.sessionGuid, JSON.stringify(call));
		},
		calls: () => statements.selectCalls.all().map((row) => JSON.parse(String(row['call'])) as Call),
		clockOffset: () => Number(statements.selectClock.get()?.['offset'] ?? 0),
		saveClockOffset(offset) {
			statements.upsertClock.run(Math.round(offset));
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
