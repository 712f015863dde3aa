import { randomBytes } from 'node:crypto';
import { closeSync, openSync, rmdirSync, rmSync } from 'node:fs';
import { lstat, mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** What `temporaryName` makes. Nothing else is ever deleted as the file of a killed run. */
const TEMPORARY = /^\.file-decryptor-[0-9a-f]{16}\.part$/;

/**
 * A run writes to its temporary files until they are complete. A file that nobody has written to
 * for this long was left by a killed run. Clocks and time zones of machines that share a folder
 * differ by less.
 */
const ABANDONED_MS = 24 * 60 * 60_000;

function temporaryName(): string {
	return `.file-decryptor-${randomBytes(8).toString('hex')}.part`;
}

/**
 * Deletes what killed runs left in a folder.
 *
 * @returns how many files were deleted
 */
export async function deleteAbandoned(folder: string): Promise<number> {
	const names = (await readdir(folder)).filter((name) => TEMPORARY.test(name));
	let deleted = 0;
	for (const name of names) {
		const path = join(folder, name);
		try {
			if (!(await isAbandoned(path))) continue;
			await unlink(path);
			deleted += 1;
		} catch {
			// Another run was faster, or the file belongs to another user. Neither is a reason to stop.
		}
	}
	return deleted;
}

async function isAbandoned(path: string): Promise<boolean> {
	const stats = await lstat(path);
	return stats.isFile() && Date.now() - stats.mtimeMs > ABANDONED_MS;
}

const inUse = new Set<string>();

/**
 * Makes an empty file of this run, which `deleteOwnSync` deletes. It is synchronous, because a
 * signal may end the process at any moment: a thread would make the file after the deletion.
 *
 * @throws an error with the code `EEXIST` if the name is taken
 */
export function makeFileSync(path: string): void {
	closeSync(openSync(path, 'wx', 0o600));
	inUse.add(path);
}

/** Makes a temporary file of this run and opens it for reading and writing. */
export async function openTemporary(folder: string): Promise<{ path: string; handle: FileHandle }> {
	const path = join(folder, temporaryName());
	makeFileSync(path);
	try {
		return { path, handle: await open(path, 'r+') };
	} catch (error) {
		rmSync(path, { force: true });
		untrack(path);
		throw error;
	}
}

export function untrack(path: string): void {
	inUse.delete(path);
}

const madeFolders = new Set<string>();

/** Makes a folder and those above it, and remembers the ones that were missing. */
export async function makeFolder(folder: string): Promise<void> {
	const first = await mkdir(folder, { recursive: true });
	if (first === undefined) return;
	const top = resolve(first);
	for (let made = resolve(folder); made.length >= top.length; made = dirname(made)) {
		madeFolders.add(made);
	}
}

/** Deletes the folders that this run has made and in which it has left nothing. */
export function deleteEmptyFoldersSync(): void {
	// The deeper ones first.
	for (const folder of [...madeFolders].sort((one, other) => other.length - one.length)) {
		try {
			rmdirSync(folder);
		} catch {
			// There is something in it.
		}
	}
	madeFolders.clear();
}

/** Deletes at once what this run has not completed. For signal handlers. */
export function deleteOwnSync(): void {
	for (const path of inUse) rmSync(path, { force: true });
	inUse.clear();
	deleteEmptyFoldersSync();
}
