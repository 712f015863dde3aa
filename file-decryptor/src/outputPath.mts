import { basename, dirname, extname, join } from 'node:path';
import { unknownFormat, type FileFormat } from '../../nodes/recordingFile/formats.ts';
import type { Input } from './inputs.mts';
import type { Settings } from './settings.mts';

/** Where an output goes, up to its extension. */
export function outputStem(
	{ path, subfolder }: Pick<Input, 'path' | 'subfolder'>,
	{ outDir }: Pick<Settings, 'outDir'>,
): string {
	const folder = outDir === undefined ? dirname(path) : join(outDir, subfolder);
	return join(folder, basename(path, extname(path)));
}

/** Where an output goes: its extension is the one given, or that of the format. */
export function outputPath(
	input: Input,
	settings: Settings,
	format: Pick<FileFormat, 'extension'> = unknownFormat,
): string {
	const { output, extension = format.extension } = settings;
	return output ?? `${outputStem(input, settings)}.${extension}`;
}
