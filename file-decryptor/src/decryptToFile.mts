import { dirname } from 'node:path';
import type { FileFormat } from '../../nodes/recordingFile/formats.ts';
import {
	decryptTo,
	type Decrypted,
	type InTurn,
	type ReadFromStart,
	type Sink,
} from './decryptRecording.mts';
import type { FileIdentity } from './fileIdentity.mts';
import type { Input } from './inputs.mts';
import { OutputFile } from './outputFile.mts';
import { outputPath } from './outputPath.mts';
import { asRefusal } from './refusal.mts';
import { checkTarget, refuseLinksBelow, type ReplaceRules } from './replaceRules.mts';
import type { Report } from './report.mts';
import type { Settings } from './settings.mts';
import { deleteAbandoned, makeFolder } from './temporaryFiles.mts';
import { count, printable } from './text.mts';

/** What the outputs of a run share. */
export interface OutputContext {
	settings: Settings;
	report: Report;
	rules: ReplaceRules & { outputs: Set<FileIdentity> };
	/** Folders that were searched for files of killed runs. */
	tidied: Set<string>;
	/** Lets few files be written at a time, so that only the keys take more memory on more cores. */
	writeInTurn: InTurn;
}

/**
 * Decrypts into a file, which gets its name only after the tag has been verified.
 *
 * @param input gives the output its name and folder, unless the settings do
 * @param bytes about how much will be written, if known
 * @returns `output` is the path of the file
 */
export async function decryptToFile(
	input: Input,
	bytes: number | undefined,
	context: OutputContext,
	readFromStart: ReadFromStart,
	passwords: readonly string[],
): Promise<Decrypted & { output: string }> {
	const sink = new FileSink(input, bytes, context);
	try {
		const decrypted = await decryptTo(sink, readFromStart, passwords, context.writeInTurn);
		return { ...decrypted, output: await sink.commit() };
	} finally {
		await sink.reset();
	}
}

class FileSink implements Sink {
	readonly #input: Input;

	readonly #bytes: number | undefined;

	readonly #context: OutputContext;

	#path = '';

	#file: OutputFile | undefined;

	constructor(input: Input, bytes: number | undefined, context: OutputContext) {
		this.#input = input;
		this.#bytes = bytes;
		this.#context = context;
	}

	async start(format: FileFormat | undefined): Promise<void> {
		const { settings, rules } = this.#context;
		this.#path = outputPath(this.#input, settings, format);
		const folder = dirname(this.#path);
		await makeOutputFolder(folder, settings);
		await tidy(folder, this.#context);
		await checkTarget(this.#path, rules);
		this.#file = await OutputFile.create(folder, this.#bytes);
	}

	async write(chunk: Uint8Array): Promise<void> {
		if (!this.#file) throw new Error('write before start');
		await this.#file.write(chunk);
	}

	/** Gives the file its name. Then there is nothing left to reset. */
	async commit(): Promise<string> {
		if (!this.#file) throw new Error('commit before start');
		const { rules } = this.#context;
		rules.outputs.add(await this.#file.commit(this.#path, rules));
		this.#file = undefined;
		return this.#path;
	}

	async reset(): Promise<void> {
		await this.#file?.discard();
		this.#file = undefined;
	}
}

async function makeOutputFolder(folder: string, { outDir }: Settings): Promise<void> {
	if (outDir === undefined) return;
	try {
		await refuseLinksBelow(outDir, folder);
		await makeFolder(folder);
	} catch (error) {
		throw asRefusal(error, `the output folder ${printable(folder)}`);
	}
}

/** Deletes what killed runs left in the folder, once per run. */
async function tidy(folder: string, { tidied, report }: OutputContext): Promise<void> {
	if (tidied.has(folder)) return;
	tidied.add(folder);
	// A folder that cannot be listed may still be writable.
	const deleted = await deleteAbandoned(folder).catch(() => 0);
	if (deleted === 0) return;
	report.note(
		`${printable(folder)}: deleted ${count(deleted, 'unfinished file')} of an interrupted run.`,
	);
}
