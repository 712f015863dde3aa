import { lstat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { asRefusal, errorCode, Refusal } from './refusal.mts';
import { identityOf, type FileIdentity } from './fileIdentity.mts';

export interface Input {
	/** As the user gave it; `-` is standard input. */
	path: string;
	/** Its name in messages: see `nameOfMissing`. */
	name: string;
	/** Size in bytes, if known. */
	size: number | undefined;
	/** Why it cannot be opened, if that is known already. */
	refusal?: Refusal;
}

export interface Inputs {
	list: Input[];
	/** All files among them. */
	identities: Set<FileIdentity>;
}

/** Whether an argument that is not a file may be a pattern of file names. */
export function mayBePattern(operand: string): boolean {
	return /[*?[\]{}]|[@!+]\(/.test(operand);
}

/** Whether a name or argument ends like a recording. */
export function looksLikeRecording(operand: string): boolean {
	return /\.enc$/i.test(operand);
}

/** Looks the files up and expands the patterns; each file is listed once, in the order given. */
export async function listInputs(operands: readonly string[]): Promise<Inputs> {
	const inputs: Inputs = { list: [], identities: new Set() };
	const seen = new Set<string>();
	for (const [index, operand] of operands.entries()) {
		if (operand === '-') {
			inputs.list.push({ path: '-', name: 'standard input', size: undefined });
			continue;
		}
		for (const input of await lookUp(operand, index + 1, inputs.identities)) {
			const path = resolve(input.path);
			if (!seen.has(path)) inputs.list.push(input);
			seen.add(path);
		}
	}
	return inputs;
}

async function lookUp(
	operand: string,
	position: number,
	identities: Set<FileIdentity>,
): Promise<Input[]> {
	const asFile = await lookUpFile(operand, identities);
	if (!asFile.refusal) return [asFile];

	const isMissing = asFile.refusal.code === 'notFound';
	if (!isMissing || !mayBePattern(operand)) {
		return [{ ...asFile, name: nameOfMissing(operand, position) }];
	}
	const { glob } = await import('tinyglobby');
	const pattern = process.platform === 'win32' ? operand.replaceAll('\\', '/') : operand;
	const paths = await glob(pattern, {
		expandDirectories: false,
		followSymbolicLinks: false,
		onlyFiles: true,
	});
	if (paths.length === 0) {
		const refusal = new Refusal('notFound', 'No file matches this pattern');
		return [{ path: operand, name: nameOfMissing(operand, position), size: undefined, refusal }];
	}
	return await Promise.all(paths.sort().map((path) => lookUpFile(path, identities)));
}

async function lookUpFile(path: string, identities: Set<FileIdentity>): Promise<Input> {
	try {
		const stats = await lstat(path, { bigint: true });
		if (stats.isFile()) identities.add(identityOf(stats));
		return { path, name: path, size: stats.isFile() ? Number(stats.size) : undefined };
	} catch (error) {
		const refusal =
			errorCode(error) === 'ENOENT'
				? new Refusal('notFound', 'There is no such file')
				: asRefusal(error);
		return { path, name: path, size: undefined, refusal };
	}
}

/** What does not exist and does not look like a recording may be a password in the wrong place: it is not repeated. */
function nameOfMissing(operand: string, position: number): string {
	return looksLikeRecording(operand)
		? operand
		: `argument ${position} (not shown: it may be a password)`;
}
