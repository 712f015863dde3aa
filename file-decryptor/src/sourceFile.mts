import { constants, type BigIntStats } from 'node:fs';
import { lstat, open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import type { Chunks } from '../../nodes/recordingFile/chunks.ts';
import { identityOf } from './fileIdentity.mts';
import { asRefusal, Refusal } from './refusal.mts';
import { openTemporary, untrack } from './temporaryFiles.mts';

/** Larger pieces would need more memory. With smaller ones, system calls would cost more time. */
const PIECE_BYTES = 512 * 1024;

/** An encrypted file that is open for reading and can be read again from its start. */
export class SourceFile {
	readonly #handle: FileHandle;

	readonly #stats: BigIntStats;

	private constructor(handle: FileHandle, stats: BigIntStats) {
		this.#handle = handle;
		this.#stats = stats;
	}

	/** @throws Refusal for links, folders, pipes and devices; whatever opening throws */
	static async open(path: string): Promise<SourceFile> {
		refuseUnlessFile(await lstat(path, { bigint: true }));
		// Does not follow a link that has replaced the file in the meantime. Windows has no such flag.
		const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
		try {
			const stats = await handle.stat({ bigint: true });
			refuseUnlessFile(stats);
			return new SourceFile(handle, stats);
		} catch (error) {
			await handle.close();
			throw error;
		}
	}

	/**
	 * Keeps what can be read only once in a temporary file, so that it can be read again. The file
	 * stays encrypted. It loses its name at once, so it is gone when this process ends in any way.
	 */
	static async spool(chunks: Chunks): Promise<SourceFile> {
		try {
			const { path, handle } = await openTemporary(tmpdir());
			try {
				await unlink(path);
				untrack(path);
				for await (const chunk of chunks) await handle.writeFile(chunk);
				return new SourceFile(handle, await handle.stat({ bigint: true }));
			} catch (error) {
				await handle.close();
				throw error;
			}
		} catch (error) {
			const { code, message } = asRefusal(error, `the temporary folder ${tmpdir()}`);
			throw new Refusal(code, message, 'Choose another temporary folder with TMPDIR.');
		}
	}

	get size(): number {
		return Number(this.#stats.size);
	}

	/**
	 * The whole file from its start. The next piece is read while the reader works on the one before.
	 * The reader may hold back one more, as `watched` and `peek` do with the first one. The fourth
	 * piece therefore uses the memory of the first one again.
	 */
	async *chunks(): AsyncGenerator<Buffer, void, undefined> {
		const memory = Buffer.allocUnsafeSlow(3 * PIECE_BYTES);
		let position = 0;
		let reading = this.#read(position, memory);
		try {
			for (;;) {
				const piece = await reading;
				if (piece.length === 0) return;
				position += piece.length;
				reading = this.#read(position, memory);
				yield piece;
			}
		} finally {
			await reading.catch(() => undefined);
		}
	}

	/** Only the last piece is shorter, so that every reading has the same pieces. */
	async #read(position: number, memory: Buffer): Promise<Buffer> {
		const start = position % memory.length;
		const piece = memory.subarray(start, start + PIECE_BYTES);
		let length = 0;
		while (length < piece.length) {
			const { bytesRead } = await this.#handle.read(
				piece,
				length,
				piece.length - length,
				position + length,
			);
			if (bytesRead === 0) break;
			length += bytesRead;
		}
		return piece.subarray(0, length);
	}

	/**
	 * Deletes the file, unless its name now belongs to another file or its content has changed.
	 *
	 * @throws Refusal `sourceChanged`; whatever deleting throws
	 */
	async delete(path: string): Promise<void> {
		const now = await lstat(path, { bigint: true });
		const { size, mtimeNs } = this.#stats;
		if (
			identityOf(now) !== identityOf(this.#stats) ||
			now.size !== size ||
			now.mtimeNs !== mtimeNs
		) {
			throw new Refusal('sourceChanged', 'The file has changed since it was read');
		}
		await unlink(path);
	}

	async close(): Promise<void> {
		await this.#handle.close();
	}
}

function refuseUnlessFile(stats: BigIntStats): void {
	if (stats.isFile()) return;
	if (stats.isSymbolicLink()) {
		throw new Refusal('link', 'This is a symbolic link', 'Name the file that it points to.');
	}
	if (stats.isDirectory()) {
		throw new Refusal('folder', 'This is a folder');
	}
	throw new Refusal(
		'notAFile',
		'This is not a file but a pipe or a device',
		'Read it through standard input, with - as the file.',
	);
}
