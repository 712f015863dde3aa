import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { fileType } from '../audio/audio.mts';
import type { Clock } from '../clock.mts';
import type { RecordingRow, RecordingSummary } from '../database.mts';
import { ServiceError } from '../errors.mts';
import type { Store } from '../store.mts';
import { encrypt } from './encryption.mts';
import { RETENTION_MS } from './retention.mts';
import type { TamperRequest } from './schemas.mts';
import {
	type Content,
	digestOf,
	flipBit,
	measure,
	shorten,
	writeAtomically,
} from './storedFile.mts';

export interface NewRecording
	extends Pick<
		RecordingRow,
		'sessionGuid' | 'to' | 'from' | 'startedAt' | 'endedAt' | 'durationSeconds' | 'format'
	> {
	/** Encrypts the file. The empty text is a password too. */
	password: string | null;
	content: Content;
	/** Keeps no file: the content is made again, byte for byte, for each download. */
	onTheFly?: boolean;
}

/** A recording that is being read. */
export interface OpenRecording {
	row: RecordingRow;
	/** Size of the content in bytes, even if the file was shortened. */
	size: number;
	/** The stored content. Destroy it if you do not read it to its end. */
	content: Readable;
}

/** File name of a recording that has no file. */
const NO_FILE = '';

/** Large reads take fewer turns of the event loop. */
const READ_CHUNK_BYTES = 1024 * 1024;

/** The life of recordings: stored, listed, read, damaged, deleted, purged. */
export interface Recordings {
	/**
	 * Stores a recording. It is listed when, and only when, its file is complete.
	 *
	 * @throws ServiceError 409 when a recording with this session GUID is stored already
	 */
	add(recording: NewRecording): Promise<RecordingRow>;
	/** What is stored now, oldest end of call first. */
	list(): Promise<RecordingSummary[]>;
	/** @throws ServiceError 404 when nothing is stored under this session GUID */
	get(sessionGuid: string): Promise<RecordingRow>;
	/** @throws ServiceError 404 as {@link get} */
	open(sessionGuid: string): Promise<OpenRecording>;
	/** @throws ServiceError 409 for a recording that is made on the fly */
	pathOf(row: RecordingRow): string;
	/** @throws ServiceError 404 as {@link get} */
	delete(sessionGuid: string): Promise<RecordingRow>;
	/**
	 * Damages a stored file and updates its row.
	 *
	 * @throws ServiceError 404 as {@link get}, 400 for a place outside the file, 409 without a file
	 */
	tamper(sessionGuid: string, change: TamperRequest): Promise<RecordingRow>;
	/** Removes everything whose retention is over, as every method does first. */
	purgeExpired(): Promise<void>;
}

export function createRecordings(
	store: Store,
	clock: Clock,
	onPurge: (row: RecordingRow) => void,
	/** Makes the content of an on-the-fly recording again. */
	remake: (row: RecordingRow) => Iterable<Uint8Array>,
): Recordings {
	function pathOf({ fileName }: Pick<RecordingRow, 'fileName'>): string {
		if (fileName === NO_FILE) {
			const message = 'This recording has no file, it is made on the fly';
			throw new ServiceError(409, 'recording_has_no_file', message);
		}
		return path.join(store.filesDir, fileName);
	}

	/**
	 * Ends the row before the file, so that no recording is listed without its file.
	 *
	 * @returns false if another request ended it first
	 */
	async function end(row: RecordingRow, state: 'deleted' | 'purged'): Promise<boolean> {
		if (!store.endRecording(row.id, state, clock.now())) return false;
		if (row.fileName !== NO_FILE) await rm(pathOf(row), { force: true });
		return true;
	}

	async function purgeExpired(): Promise<void> {
		for (const row of store.storedEndedBy(clock.now() - RETENTION_MS)) {
			if (await end(row, 'purged')) onPurge(row);
		}
	}

	function notFound(): ServiceError {
		return new ServiceError(
			404,
			'recording_not_found',
			'No recording is stored under this sessionGuid: it never existed, was deleted, or was purged 7 days after the call ended',
		);
	}

	async function get(sessionGuid: string): Promise<RecordingRow> {
		await purgeExpired();
		const row = store.storedRecording(sessionGuid);
		if (!row) throw notFound();
		return row;
	}

	function refuseDuplicate(sessionGuid: string): void {
		if (store.storedRecording(sessionGuid)) {
			throw new ServiceError(
				409,
				'recording_exists',
				'A recording with this sessionGuid is stored already',
				['sessionGuid'],
			);
		}
	}

	return {
		async add({ password, content, onTheFly = false, ...recording }) {
			refuseDuplicate(recording.sessionGuid);
			const encrypted = password !== null;
			const plain = measure(content);
			const stored = encrypted ? measure(encrypt(plain.chunks, password)) : plain;
			const { extension } = fileType(recording.format, encrypted);
			const fileName = onTheFly ? NO_FILE : `${randomUUID()}.${extension}`;
			if (onTheFly) for await (const _chunk of stored.chunks);
			else await writeAtomically(pathOf({ fileName }), stored.chunks, store.durable);
			const plainDigest = plain.digest();
			const storedDigest = encrypted ? stored.digest() : plainDigest;
			try {
				// Another call may have stored the same session GUID while this one was writing.
				refuseDuplicate(recording.sessionGuid);
				return store.insertRecording(
					{
						...recording,
						encrypted,
						plainBytes: plainDigest.bytes,
						plainSha256: plainDigest.sha256,
						storedBytes: storedDigest.bytes,
						storedSha256: storedDigest.sha256,
						fileName,
					},
					clock.now(),
				);
			} catch (error) {
				if (!onTheFly) await rm(pathOf({ fileName }), { force: true });
				throw error;
			}
		},
		async list() {
			await purgeExpired();
			return store.storedSummaries();
		},
		get,
		async open(sessionGuid) {
			const row = await get(sessionGuid);
			if (row.fileName === NO_FILE) {
				return { row, size: row.storedBytes, content: Readable.from(remake(row)) };
			}
			let file: FileHandle;
			try {
				file = await open(pathOf(row), 'r');
			} catch (error) {
				// If it was deleted in between, this throws 404.
				await get(sessionGuid);
				throw error;
			}
			const { size } = await file.stat();
			// The stream closes the file when it ends or is destroyed.
			return { row, size, content: file.createReadStream({ highWaterMark: READ_CHUNK_BYTES }) };
		},
		pathOf,
		async delete(sessionGuid) {
			const row = await get(sessionGuid);
			if (!(await end(row, 'deleted'))) throw notFound();
			return row;
		},
		async tamper(sessionGuid, { flipBitAt, truncateTo }) {
			const row = await get(sessionGuid);
			if (flipBitAt !== undefined) await flipBit(pathOf(row), flipBitAt, row.storedBytes);
			if (truncateTo !== undefined) await shorten(pathOf(row), truncateTo, row.storedBytes);
			const { bytes, sha256 } = await digestOf(pathOf(row));
			store.updateStoredFile(row.id, bytes, sha256);
			return get(sessionGuid);
		},
		purgeExpired,
	};
}
