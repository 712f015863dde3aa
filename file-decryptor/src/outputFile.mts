import { link, open, rename, statfs, unlink, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { identityOf, type FileIdentity } from './fileIdentity.mts';
import { asRefusal, errorCode, makeRoom, Refusal } from './refusal.mts';
import { checkTarget, type ReplaceRules } from './replaceRules.mts';
import { makeFileSync, openTemporary, untrack } from './temporaryFiles.mts';
import { formatBytes, printable } from './text.mts';

/** How many bytes are written before they are flushed to the disk while the work goes on. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

/**
 * A file that gets its name only when it is complete. Until then, it is a temporary file in the
 * same folder, which only its owner can read.
 */
export class OutputFile {
	readonly #path: string;

	readonly #handle: FileHandle;

	#unflushedBytes = 0;

	#flushing: Promise<void> = Promise.resolve();

	private constructor(path: string, handle: FileHandle) {
		this.#path = path;
		this.#handle = handle;
	}

	/**
	 * @param folder where the file will be
	 * @param bytes how much will be written, if known
	 * @throws Refusal if the folder cannot be written to or has too little space
	 */
	static async create(folder: string, bytes?: number): Promise<OutputFile> {
		try {
			if (bytes !== undefined) await refuseIfTooLittleSpace(folder, bytes);
			const { path, handle } = await openTemporary(folder);
			return new OutputFile(path, handle);
		} catch (error) {
			throw asRefusal(error, `the output folder ${printable(folder)}`);
		}
	}

	async write(chunk: Uint8Array): Promise<void> {
		try {
			await this.#handle.writeFile(chunk);
			this.#unflushedBytes += chunk.length;
			if (this.#unflushedBytes >= FLUSH_EVERY_BYTES) await this.#flushInBackground();
		} catch (error) {
			throw asRefusal(error, 'writing the output');
		}
	}

	/** The disk works while the next pieces are deciphered, so that `commit` has less to wait for. */
	async #flushInBackground(): Promise<void> {
		await this.#flushing;
		this.#unflushedBytes = 0;
		this.#flushing = this.#flush();
		// A failure is thrown where the flush is awaited, not before.
		this.#flushing.catch(() => undefined);
	}

	async #flush(): Promise<void> {
		try {
			await this.#handle.datasync();
		} catch (error) {
			throw asRefusal(error, 'writing the output');
		}
	}

	/**
	 * Flushes the file and gives it its name. Without `force`, a file that has appeared there in the
	 * meantime is never replaced.
	 *
	 * @returns identity of the file
	 * @throws Refusal; the temporary file is then gone
	 */
	async commit(path: string, rules: ReplaceRules): Promise<FileIdentity> {
		try {
			await this.#flushing;
			await this.#handle.sync();
			const identity = identityOf(await this.#handle.stat({ bigint: true }));
			await this.#handle.close();
			await checkTarget(path, rules);
			if (rules.force) await rename(this.#path, path);
			else await renameToFree(this.#path, path);
			untrack(this.#path);
			await syncFolder(dirname(path));
			return identity;
		} catch (error) {
			await this.discard();
			if (errorCode(error) === 'EEXIST') {
				throw new Refusal(
					'outputExists',
					`The output ${printable(path)} has appeared in the meantime`,
					'To replace it, use --force.',
				);
			}
			throw asRefusal(error, `the output ${printable(path)}`);
		}
	}

	/** Deletes what was written. May be called at any time, even twice. */
	async discard(): Promise<void> {
		await this.#flushing.catch(() => undefined);
		await this.#handle.close().catch(() => undefined);
		await unlink(this.#path).catch(() => undefined);
		untrack(this.#path);
	}
}

/** @throws an error with the code `EEXIST` if the name is taken */
async function renameToFree(from: string, to: string): Promise<void> {
	try {
		await link(from, to);
	} catch (error) {
		if (['EEXIST', 'ENOENT', 'ENOSPC', 'EDQUOT', 'EIO'].includes(errorCode(error) ?? ''))
			throw error;
		// FAT and some network disks have no hard links. There, an empty file reserves the name.
		makeFileSync(to);
		try {
			await rename(from, to);
		} catch (renameError) {
			await unlink(to);
			throw renameError;
		} finally {
			untrack(to);
		}
		return;
	}
	await unlink(from);
}

/**
 * Brings new and deleted names to the disk. Otherwise, a power failure after `--delete-source`
 * could lose both the recording and its output.
 */
export async function syncFolder(folder: string): Promise<void> {
	let handle: FileHandle;
	try {
		handle = await open(folder, 'r');
	} catch {
		// Windows does not open folders, and a folder may be writable but not readable.
		return;
	}
	try {
		await handle.sync();
	} catch (error) {
		// Some network disks do not support it.
		if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(errorCode(error) ?? ''))
			throw error;
	} finally {
		await handle.close();
	}
}

async function refuseIfTooLittleSpace(folder: string, bytes: number): Promise<void> {
	const { blocks, bavail, bsize } = await statfs(folder);
	// Some network disks do not say how large they are.
	if (blocks === 0) return;
	const free = bavail * bsize;
	if (free >= bytes) return;
	throw new Refusal(
		'diskFull',
		`The disk is full (${formatBytes(bytes)} are needed, ${formatBytes(free)} are free)`,
		makeRoom,
	);
}
