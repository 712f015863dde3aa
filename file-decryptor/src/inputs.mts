import { readdir as listFolder, type Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import picomatch from 'picomatch';
import { glob } from 'tinyglobby';
import { asRefusal, errorCode, Refusal } from './refusal.mts';
import { identityOf, type FileIdentity } from './fileIdentity.mts';

export interface Input {
	/** As the user gave it; `-` is standard input. */
	path: string;
	/** Its name in messages. `nameOfMissing` says when this is not its path. */
	name: string;
	/** Size in bytes, if known. */
	size: number | undefined;
	/** The folders between the one that was searched and the file. `--out-dir` gets them, too. */
	subfolder: string;
	/** Why it cannot be opened, if that is known already. */
	refusal?: Refusal;
	/** The output that exists, if this is a reason to skip it. */
	existing?: string;
}

export interface Inputs {
	list: Input[];
	/** All files among them. */
	identities: Set<FileIdentity>;
}

/** What an argument stands for. */
interface Found {
	inputs: Input[];
	/** The folder that was searched; `undefined` for a file that was named. */
	searched?: string;
}

/** Whether an argument that is not a file may be a pattern of file names. */
export function mayBePattern(operand: string): boolean {
	return picomatch.scan(patternOf(operand)).isGlob;
}

/** Whether a name or argument ends like a recording. */
export function looksLikeRecording(operand: string): boolean {
	return /\.enc$/i.test(operand);
}

/** Finds the files, also in folders and by patterns. Each is listed once, in the order given. */
export async function listInputs(operands: readonly string[]): Promise<Inputs> {
	const identities = new Set<FileIdentity>();
	const found: Found[] = [];
	for (const [index, operand] of operands.entries()) {
		found.push(await lookUp(operand, index + 1, identities));
	}
	const named = found.filter(({ searched }) => searched === undefined);
	const common = commonFolder(named.flatMap(({ inputs }) => inputs.map(folderOf)));
	const list = new Map<string, Input>();
	for (const { inputs, searched } of found) {
		for (const input of inputs) {
			const key = input.path === '-' ? '-' : resolve(input.path);
			if (list.has(key)) continue;
			list.set(key, { ...input, subfolder: between(resolve(searched ?? common), folderOf(input)) });
		}
	}
	return { list: [...list.values()], identities };
}

async function lookUp(
	operand: string,
	position: number,
	identities: Set<FileIdentity>,
): Promise<Found> {
	if (operand === '-') return { inputs: [inputOf('-', 'standard input')] };
	const input = await lookUpPath(operand, identities);
	if (input === 'folder') {
		const inputs = await recordingsIn(operand, identities);
		if (inputs.length > 0) return { inputs, searched: operand };
		const hint = 'There is no recording (.enc) in it.';
		return { inputs: [inputOf(operand, operand, new Refusal('folder', 'This is a folder', hint))] };
	}
	if (!input.refusal) return { inputs: [input] };
	const name = nameOfMissing(operand, position);
	if (input.refusal.code !== 'notFound' || !mayBePattern(operand)) {
		return { inputs: [{ ...input, name }] };
	}
	const pattern = patternOf(operand);
	const inputs = await recordingsByPattern(pattern, identities);
	if (inputs.length > 0) {
		// The part of the path in front of the first name that varies.
		const { base } = picomatch.scan(pattern, { unescape: true });
		return { inputs, searched: base };
	}
	const refusal = new Refusal('notFound', 'No file matches this pattern');
	return { inputs: [inputOf(operand, name, refusal)] };
}

/** In a pattern, folders are separated by slashes, also on Windows. */
function patternOf(operand: string): string {
	return process.platform === 'win32' ? operand.replaceAll('\\', '/') : operand;
}

type FolderRead = (error: Error | null, entries: Dirent[]) => void;

async function recordingsByPattern(
	pattern: string,
	identities: Set<FileIdentity>,
): Promise<Input[]> {
	const unreadable: Input[] = [];
	// The library leaves out folders that cannot be read.
	const readFolder = (folder: string, options: { withFileTypes: true }, done: FolderRead) =>
		listFolder(folder, options, (error, entries) => {
			const refusal = error && asRefusal(error);
			if (refusal && refusal.code !== 'notFound') {
				const path = relative('', folder);
				unreadable.push(inputOf(path, path, refusal));
			}
			done(error, entries);
		});
	const paths = await glob(pattern, {
		expandDirectories: false,
		followSymbolicLinks: false,
		onlyFiles: true,
		// The library calls it in no other form.
		fs: { readdir: readFolder as typeof listFolder },
	});
	const files = await Promise.all(paths.sort().map((path) => lookUpFile(path, identities)));
	return [...unreadable, ...files];
}

/**
 * All `.enc` files below a folder. Links to folders are not followed. A folder that cannot be read
 * is refused.
 */
async function recordingsIn(folder: string, identities: Set<FileIdentity>): Promise<Input[]> {
	try {
		const entries = await readdir(folder, { withFileTypes: true });
		entries.sort((one, other) => (one.name < other.name ? -1 : 1));
		const found: Input[][] = [];
		for (const entry of entries) {
			const path = join(folder, entry.name);
			if (entry.isDirectory()) found.push(await recordingsIn(path, identities));
			else if (looksLikeRecording(entry.name)) found.push([await lookUpFile(path, identities)]);
		}
		return found.flat();
	} catch (error) {
		return [inputOf(folder, folder, asRefusal(error))];
	}
}

async function lookUpFile(path: string, identities: Set<FileIdentity>): Promise<Input> {
	const input = await lookUpPath(path, identities);
	return input === 'folder'
		? inputOf(path, path, new Refusal('folder', 'This is a folder'))
		: input;
}

async function lookUpPath(path: string, identities: Set<FileIdentity>): Promise<Input | 'folder'> {
	try {
		const stats = await lstat(path, { bigint: true });
		if (stats.isDirectory()) return 'folder';
		if (!stats.isFile()) return inputOf(path, path);
		identities.add(identityOf(stats));
		return { ...inputOf(path, path), size: Number(stats.size) };
	} catch (error) {
		const isMissing = errorCode(error) === 'ENOENT';
		const refusal = isMissing ? new Refusal('notFound', 'There is no such file') : asRefusal(error);
		return inputOf(path, path, refusal);
	}
}

function inputOf(path: string, name: string, refusal?: Refusal): Input {
	return { path, name, size: undefined, subfolder: '', ...(refusal && { refusal }) };
}

function folderOf({ path }: Input): string {
	return dirname(resolve(path));
}

/** The deepest folder that holds all of these; on Windows, they may be on different disks. */
function commonFolder(folders: readonly string[]): string {
	let [common = ''] = folders;
	while (!folders.every((folder) => isWithin(common, folder)) && dirname(common) !== common) {
		common = dirname(common);
	}
	return common;
}

/** The way from a folder down to another one; empty if the other one is elsewhere. */
function between(upper: string, lower: string): string {
	return isWithin(upper, lower) ? relative(upper, lower) : '';
}

function isWithin(upper: string, lower: string): boolean {
	const way = relative(upper, lower);
	return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * An argument that neither exists nor looks like a recording may be a password in the wrong place.
 * Messages do not repeat it.
 */
function nameOfMissing(operand: string, position: number): string {
	return looksLikeRecording(operand)
		? operand
		: `argument ${position} (not shown: it may be a password)`;
}
