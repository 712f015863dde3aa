import { createHash, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readlinkSync, rmdirSync, rmSync } from 'node:fs';
import { lstat, mkdir, open, readdir, unlink, type FileHandle } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from './refusal.mts';

/**
 * The name of a temporary file says who writes it: `.file-decryptor-<machine>-<process>-<random>.part`. This is how a
 * later run distinguishes the files of a killed run from those of a living one, and from everybody else's.
 */
const TEMPORARY = /^\.file-decryptor-([0-9a-f]{12})-([0-9]+)-[0-9a-f]{16}\.part$/;

/** How often a run touches its temporary files, as a sign of life for runs on other machines that share the folder. */
export const HEARTBEAT_MS = 30_000;

/** A file that was not touched for this long is abandoned, wherever it was written. Clocks may differ a little. */
const ABANDONED_MS = 10 * 60_000;

/** Process numbers are reused. After this long, the process with this number is not the one that wrote the file. */
const NUMBER_REUSED_MS = 24 * 60 * 60_000;

let machine: string | undefined;

/** Where process numbers mean the same: this machine since its last start, and this container on it. */
function thisMachine(): string {
	machine ??= createHash('sha256')
		.update(
			[
				hostname(),
				orEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
				orEmpty(() => readlinkSync('/proc/self/ns/pid')),
			].join('\0'),
		)
		.digest('hex')
		.slice(0, 12);
	return machine;
}

function temporaryName(): string {
	return `.file-decryptor-${thisMachine()}-${process.pid}-${randomBytes(8).toString('hex')}.part`;
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
			if (!(await isAbandoned(path, name))) continue;
			await unlink(path);
			deleted += 1;
		} catch {
			// Another run was faster, or the file belongs to another user. Neither is a reason to stop.
		}
	}
	return deleted;
}

async function isAbandoned(path: string, name: string): Promise<boolean> {
	const stats = await lstat(path);
	if (!stats.isFile()) return false;
	const untouchedMs = Date.now() - stats.mtimeMs;
	const [, writtenOn, processId] = TEMPORARY.exec(name) ?? [];
	if (writtenOn !== thisMachine()) return untouchedMs > ABANDONED_MS;
	return !isAlive(Number(processId)) || untouchedMs > NUMBER_REUSED_MS;
}

function isAlive(processId: number): boolean {
	try {
		process.kill(processId, 0);
		return true;
	} catch (error) {
		// A process of another user cannot be signaled, but it is alive.
		return errorCode(error) !== 'ESRCH';
	}
}

const inUse = new Set<string>();

/**
 * Makes an empty file of this run, which `deleteOwnSync` deletes. Synchronous: a file that a thread is about to make while
 * a signal ends the process would appear after everything was deleted.
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

function orEmpty(read: () => string): string {
	try {
		return read();
	} catch {
		return '';
	}
}
