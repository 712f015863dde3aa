import type { BigIntStats } from 'node:fs';
import { link, lstat, open, rename, statfs, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, asRefusal, Refusal } from './refusal.mts';
import { identityOf, type FileIdentity } from './source.mts';
import { HEARTBEAT_MS, temporaryName, track, untrack } from './temporary.mts';
import { formatBytes, printable } from './text.mts';

/** Files that this run must not replace, even when told to replace existing files. */
export interface Protected {
	inputs: ReadonlySet<FileIdentity>;
	outputs: ReadonlySet<FileIdentity>;
}

export interface ReplaceRules extends Protected {
	/** Whether an existing file may be replaced. */
	force: boolean;
}

/**
 * Checks that a file may be written under this name.
 *
 * @throws Refusal that names what is in the way
 */
export async function checkTarget(path: string, rules: ReplaceRules): Promise<void> {
	const existing = await statsOf(path);
	if (existing) refuseUnlessReplaceable(existing, path, rules);
}

async function statsOf(path: string): Promise<BigIntStats | undefined> {
	try {
		return await lstat(path, { bigint: true });
	} catch (error) {
		if (errorCode(error) === 'ENOENT') return undefined;
		throw asRefusal(error, `the output ${printable(path)}`);
	}
}

function refuseUnlessReplaceable(
	existing: BigIntStats,
	path: string,
	{ force, inputs, outputs }: ReplaceRules,
): void {
	const name = printable(path);
	if (existing.isSymbolicLink()) {
		throw new Refusal(
			'outputIsLink',
			`The output ${name} is a symbolic link`,
			'Links are never replaced or followed: remove it, or choose another name with --output.',
		);
	}
	if (existing.isDirectory()) {
		throw new Refusal(
			'outputIsFolder',
			`The output ${name} is a folder`,
			'To write into it, use --out-dir.',
		);
	}
	if (!existing.isFile()) {
		throw new Refusal(
			'outputNotAFile',
			`The output ${name} is a pipe or a device`,
			'To write there, use --output - and redirect standard output.',
		);
	}
	const identity = identityOf(existing);
	if (inputs.has(identity)) {
		throw new Refusal(
			'outputIsInput',
			`The output ${name} would replace an input file`,
			'Give another extension, --output or --out-dir.',
		);
	}
	if (outputs.has(identity)) {
		throw new Refusal(
			'outputTaken',
			`The output ${name} was just written, for another input with the same base name`,
			'Decrypt the two into different folders.',
		);
	}
	if (!force) {
		throw new Refusal('outputExists', `The output ${name} exists`, 'To replace it, use --force.');
	}
}

/**
 * A file that gets its name only when it is complete. Until then it is a private temporary file in the same folder.
 */
export class OutputFile {
	readonly #path: string;

	readonly #handle: FileHandle;

	readonly #heartbeat: NodeJS.Timeout;

	private constructor(path: string, handle: FileHandle) {
		this.#path = path;
		this.#handle = handle;
		this.#heartbeat = setInterval(() => {
			const now = new Date();
			handle.utimes(now, now).catch(() => undefined);
		}, HEARTBEAT_MS).unref();
	}

	/**
	 * @param folder where the file will be
	 * @param bytes how much will be written, where that is known
	 * @throws Refusal where the folder cannot be written to or has too little space
	 */
	static async create(folder: string, bytes?: number): Promise<OutputFile> {
		const path = join(folder, temporaryName());
		try {
			if (bytes !== undefined) await refuseIfTooLittleSpace(folder, bytes);
			track(path);
			return new OutputFile(path, await open(path, 'wx', 0o600));
		} catch (error) {
			untrack(path);
			throw asRefusal(error, `the output folder ${printable(folder)}`);
		}
	}

	async write(chunk: Uint8Array): Promise<void> {
		try {
			await this.#handle.writeFile(chunk);
		} catch (error) {
			throw asRefusal(error, 'writing the output');
		}
	}

	/** Brings what was written so far to the disk. */
	async flush(): Promise<void> {
		try {
			await this.#handle.datasync();
		} catch (error) {
			throw asRefusal(error, 'writing the output');
		}
	}

	/**
	 * Flushes the file and gives it its name. A file that has appeared there in the meantime is not replaced without
	 * `force`.
	 *
	 * @returns identity of the file
	 * @throws Refusal; the temporary file is then gone
	 */
	async commit(path: string, rules: ReplaceRules): Promise<FileIdentity> {
		clearInterval(this.#heartbeat);
		try {
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

	/** Deletes what was written. Can be called at any time, also twice. */
	async discard(): Promise<void> {
		clearInterval(this.#heartbeat);
		await this.#handle.close().catch(() => undefined);
		await unlink(this.#path).catch(() => undefined);
		untrack(this.#path);
	}
}

/** @throws an error with the code `EEXIST` where the name is taken */
async function renameToFree(from: string, to: string): Promise<void> {
	try {
		await link(from, to);
	} catch (error) {
		if (['EEXIST', 'ENOENT', 'ENOSPC', 'EDQUOT', 'EIO'].includes(errorCode(error) ?? ''))
			throw error;
		// FAT and some network disks have no hard links: there, an empty file of our own reserves the name.
		await (await open(to, 'wx', 0o600)).close();
		try {
			await rename(from, to);
		} catch (renameError) {
			await unlink(to);
			throw renameError;
		}
		return;
	}
	await unlink(from);
}

/** Without this, a power failure could lose the new name, and `--delete-source` would have lost the recording. */
export async function syncFolder(folder: string): Promise<void> {
	let handle: FileHandle;
	try {
		handle = await open(folder, 'r');
	} catch {
		// Windows does not open folders and needs no flush of them; a folder may also be writable but not readable.
		return;
	}
	try {
		await handle.sync();
	} catch (error) {
		// Some network disks do not know the operation.
		if (!['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR', 'EBADF'].includes(errorCode(error) ?? ''))
			throw error;
	} finally {
		await handle.close();
	}
}

async function refuseIfTooLittleSpace(folder: string, bytes: number): Promise<void> {
	const { blocks, bavail, bsize } = await statfs(folder);
	// Some network disks do not tell.
	if (blocks === 0) return;
	const free = bavail * bsize;
	if (free >= bytes) return;
	throw new Refusal(
		'diskFull',
		`The disk is full (${formatBytes(bytes)} are needed, ${formatBytes(free)} are free)`,
		'Free some space, or choose a folder on another disk with --out-dir.',
	);
}
