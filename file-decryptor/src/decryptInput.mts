import { dirname } from 'node:path';
import { unknownFormat } from '../../nodes/recordingFile/formats.ts';
import type { Chunks } from '../../nodes/recordingFile/chunks.ts';
import {
	refuseImpossibleSize,
	verify,
	type Decrypted,
	type ReadFromStart,
} from './decryptRecording.mts';
import { decryptToFile, type OutputContext } from './decryptToFile.mts';
import { decryptToStandardOutput } from './decryptToStandardOutput.mts';
import type { Input } from './inputs.mts';
import { syncFolder } from './outputFile.mts';
import type { Progress } from './progress.mts';
import { asRefusal, type Refusal } from './refusal.mts';
import type { Outcome } from './report.mts';
import { writesToStandardOutput } from './settings.mts';
import { SourceFile } from './sourceFile.mts';

/** What the inputs of a run share. */
export interface RunContext extends OutputContext {
	passwords: readonly string[];
	progress: Progress;
}

/** Decrypts one input, from opening to deleting it, and returns what became of it. Never throws. */
export async function decryptInput(input: Input, context: RunContext): Promise<Outcome> {
	const start = Date.now();
	const { settings } = context;
	const outcome: Outcome = {
		file: input.name,
		status: 'refused',
		output: null,
		format: null,
		bytes: null,
		passwordIndex: null,
		sourceDeleted: false,
		seconds: 0,
		error: null,
	};
	let source: SourceFile | undefined;
	try {
		if (input.refusal) throw input.refusal;
		if (input.existing !== undefined) {
			return { ...outcome, status: 'skipped', output: input.existing };
		}
		source = await openSource(input, context);
		if (source) refuseImpossibleSize(source.size);
		const { bytes, format, passwordIndex, output } = await decryptOrVerify(input, source, context);
		Object.assign(outcome, {
			status: settings.dryRun ? 'verified' : 'decrypted',
			output,
			format: (format ?? unknownFormat).format,
			bytes,
			passwordIndex,
		});
		if (settings.deleteSource && source) {
			await deleteSource(input.path, source);
			outcome.sourceDeleted = true;
		}
	} catch (error) {
		outcome.error = describe(asRefusal(error));
	} finally {
		await source?.close();
	}
	outcome.seconds = Math.round(Date.now() - start) / 1000;
	return outcome;
}

function describe({ code, message, hint }: Refusal): Outcome['error'] {
	return { code, message, hint };
}

/** @returns `undefined` for standard input that is read only once */
async function openSource(input: Input, context: RunContext): Promise<SourceFile | undefined> {
	if (input.path !== '-') return await SourceFile.open(input.path);
	const { settings, passwords, progress } = context;
	const isReadAgain = passwords.length > 1 || writesToStandardOutput(settings);
	if (!isReadAgain) return undefined;
	return await SourceFile.spool(counted(process.stdin, (bytes) => progress.add(bytes)));
}

async function decryptOrVerify(
	input: Input,
	source: SourceFile | undefined,
	context: RunContext,
): Promise<Decrypted & { output: string | null }> {
	const { settings, passwords } = context;
	const reading = countedReading(source, context);
	if (settings.dryRun) return { ...(await verify(reading, passwords)), output: null };
	if (writesToStandardOutput(settings)) {
		const secondReading = countedReading(source, context);
		const decrypted = await decryptToStandardOutput(reading, secondReading, passwords);
		return { ...decrypted, output: null };
	}
	return await decryptToFile(input, source?.size, context, reading, passwords);
}

/**
 * Counts what is read. When the next password is tried, the bytes are read again, so those of the
 * attempt before count no longer.
 */
function countedReading(source: SourceFile | undefined, { progress }: RunContext): ReadFromStart {
	let bytesRead = 0;
	return () => {
		progress.rewind(bytesRead);
		bytesRead = 0;
		return counted(source?.chunks() ?? process.stdin, (bytes) => {
			bytesRead += bytes;
			progress.add(bytes);
		});
	};
}

async function* counted(
	chunks: Chunks,
	onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	for await (const chunk of chunks) {
		onBytes(chunk.length);
		yield chunk;
	}
}

async function deleteSource(path: string, source: SourceFile): Promise<void> {
	try {
		await source.delete(path);
		await syncFolder(dirname(path));
	} catch (error) {
		const refusal = asRefusal(error);
		refusal.message = `It was decrypted, but the source was not deleted: ${refusal.message}`;
		throw refusal;
	}
}
