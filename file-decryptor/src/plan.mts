import { stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { formats as audioFormats, unknownFormat } from '../../nodes/recordingFile/formats.ts';
import type { Input } from './inputs.mts';
import { outputPath, outputStem } from './outputPath.mts';
import { asRefusal, errorCode, Refusal, UsageError } from './refusal.mts';
import { checkTarget, refuseLinksBelow, type ReplaceRules } from './replaceRules.mts';
import type { Settings } from './settings.mts';
import { printable } from './text.mts';

/**
 * Finds what stands in the way of the outputs, before a key is derived and anything is written.
 * Inputs whose output exists are then refused or skipped.
 *
 * @throws UsageError if the run as a whole cannot be done
 */
export async function planOutputs(
	inputs: readonly Input[],
	settings: Settings,
	rules: ReplaceRules,
): Promise<void> {
	const openable = inputs.filter(({ refusal }) => !refusal);
	refuseSameOutputs(openable, settings);
	if (settings.outDir !== undefined) await refuseFileAsFolder(settings.outDir);
	for (const input of openable) {
		const refusal = await findObstacle(input, settings, rules);
		if (refusal instanceof Refusal) input.refusal = refusal;
		else if (refusal !== undefined) input.existing = refusal;
	}
}

/**
 * Refuses two inputs that differ in their extension only. Their outputs would differ if their
 * formats do, but these are not known yet.
 */
function refuseSameOutputs(inputs: readonly Input[], settings: Settings): void {
	const names = new Map<string, string>();
	for (const input of inputs) {
		const stem = sameOnDisk(resolve(settings.output ?? outputStem(input, settings)));
		const other = names.get(stem);
		names.set(stem, input.name);
		if (other === undefined) continue;
		throw new UsageError(
			`${printable(other)} and ${printable(input.name)} would have the same output. ` +
				'Decrypt them into different folders.',
		);
	}
}

/** For macOS and Windows, `Call` and `call`, or two encodings of an accent, are the same name. */
function sameOnDisk(path: string): string {
	return ['darwin', 'win32'].includes(process.platform) ? path.normalize().toLowerCase() : path;
}

/** @throws UsageError if the folder, or one above it, is a file */
async function refuseFileAsFolder(folder: string): Promise<void> {
	try {
		if ((await stat(folder)).isDirectory()) return;
	} catch (error) {
		if (errorCode(error) !== 'ENOTDIR') return;
	}
	throw new UsageError('--out-dir leads to a file, not a folder.');
}

/** @returns the path of the output that exists if the input is to be skipped; why it is refused */
async function findObstacle(
	input: Input,
	settings: Settings,
	rules: ReplaceRules,
): Promise<Refusal | string | undefined> {
	const { output, outDir, extension, force, skipExisting } = settings;
	const isNameKnown = output !== undefined || extension !== undefined;
	// The format decides which of these names the output gets. With --force, none of them is in the
	// way, and `decryptToFile` checks the name once it is known.
	const formats = force ? [] : [...Object.values(audioFormats), unknownFormat];
	const paths = isNameKnown
		? [outputPath(input, settings)]
		: formats.map((format) => outputPath(input, settings, format));
	try {
		if (outDir !== undefined) await refuseLinksBelow(outDir, dirname(outputPath(input, settings)));
	} catch (error) {
		return asRefusal(error);
	}
	for (const path of paths) {
		try {
			await checkTarget(path, rules);
		} catch (error) {
			const refusal = asRefusal(error);
			if (refusal.code === 'outputExists' && skipExisting) return path;
			// An encrypted file may itself have the extension of audio.
			if (refusal.code !== 'outputIsInput' || isNameKnown) return refusal;
		}
	}
	return undefined;
}
