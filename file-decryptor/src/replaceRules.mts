import type { BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { identityOf, type FileIdentity } from './fileIdentity.mts';
import { asRefusal, errorCode, Refusal } from './refusal.mts';
import { printable } from './text.mts';

export interface ReplaceRules {
	/** Whether an existing file may be replaced. */
	force: boolean;
	/** Never replaced, even with `force`. */
	inputs: ReadonlySet<FileIdentity>;
	/** Written by this run, and never replaced either. */
	outputs: ReadonlySet<FileIdentity>;
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

/**
 * Checks that no folder below the upper one, down to the lower one, is a link: it could lead
 * anywhere.
 *
 * @throws Refusal `outputIsLink`
 */
export async function refuseLinksBelow(upper: string, lower: string): Promise<void> {
	let folder = upper;
	for (const name of relative(upper, lower).split(sep)) {
		folder = join(folder, name);
		const stats = name === '' ? undefined : await statsOf(folder);
		if (!stats) return;
		if (!stats.isSymbolicLink()) continue;
		throw new Refusal(
			'outputIsLink',
			`The output folder ${printable(folder)} is a symbolic link`,
			'It may lead out of --out-dir: remove it, or choose another --out-dir.',
		);
	}
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
		throw new Refusal(
			'outputExists',
			`The output ${name} exists`,
			'To leave out such recordings, use --skip-existing. To replace it, use --force.',
		);
	}
}
