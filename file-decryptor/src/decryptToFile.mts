import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { unknownFormat, type FileFormat } from '../../nodes/recordingFile/audioFormat.ts';
import { decryptTo, type Decrypted, type ReadFromStart, type Sink } from './decryptRecording.mts';
import type { FileIdentity } from './fileIdentity.mts';
import { OutputFile } from './outputFile.mts';
import { asRefusal } from './refusal.mts';
import { checkTarget, type ReplaceRules } from './replaceRules.mts';
import type { Report } from './report.mts';
import type { Settings } from './settings.mts';
import { deleteAbandoned } from './temporaryFiles.mts';
import { count, printable } from './text.mts';

/** How many bytes are written before they are flushed to the disk while the work goes on. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

/** What the outputs of a run share. */
export interface OutputContext {
	settings: Settings;
	report: Report;
	rules: ReplaceRules & { outputs: Set<FileIdentity> };
	/** Folders that were searched for files of killed runs. */
	tidied: Set<string>;
}

/**
 * Decrypts into a file, which gets its name only after the tag has been verified.
 *
 * @param inputPath gives the output its name and folder, unless the settings do
 * @param bytes about how much will be written, if known
 * @returns `output` is the path of the file
 */
export async function decryptToFile(
	inputPath: string,
	bytes: number | undefined,
	context: OutputContext,
	readFromStart: ReadFromStart,
	passwords: readonly string[],
): Promise<Decrypted & { output: string }> {
	const sink = new FileSink(inputPath, bytes, context);
	sink.prepare();
	try {
		const decrypted = await decryptTo(sink, readFromStart, passwords);
		return { ...decrypted, output: await sink.commit() };
	} finally {
		await sink.discard();
	}
}

class FileSink implements Sink {
	readonly #inputPath: string;

	readonly #bytes: number | undefined;

	readonly #context: OutputContext;

	#preparing: Promise<OutputFile> | undefined;

	#path = '';

	#file: OutputFile | undefined;

	#unflushed = 0;

	#flushing: Promise<void> = Promise.resolve();

	constructor(inputPath: string, bytes: number | undefined, context: OutputContext) {
		this.#inputPath = inputPath;
		this.#bytes = bytes;
		this.#context = context;
	}

	/** Does what needs no plaintext, at the same time as the key is derived. */
	prepare(): void {
		this.#preparing = this.#create();
		// A failure is thrown by `start`, not before.
		this.#preparing.catch(() => undefined);
	}

	async start(format: FileFormat | undefined): Promise<void> {
		const { settings, rules } = this.#context;
		this.#file = await (this.#preparing ?? this.#create());
		this.#preparing = undefined;
		this.#path = outputPath(this.#inputPath, settings, format);
		await checkTarget(this.#path, rules);
	}

	async #create(): Promise<OutputFile> {
		const { settings, rules } = this.#context;
		const { output, outDir, extension } = settings;
		const path = outputPath(this.#inputPath, settings, undefined);
		if (output !== undefined || extension !== undefined) await checkTarget(path, rules);
		const folder = dirname(path);
		if (outDir !== undefined) await makeFolder(outDir);
		await tidy(folder, this.#context);
		return await OutputFile.create(folder, this.#bytes);
	}

	async write(chunk: Uint8Array): Promise<void> {
		const file = this.#file;
		if (!file) throw new Error('write before start');
		await file.write(chunk);
		this.#unflushed += chunk.length;
		if (this.#unflushed < FLUSH_EVERY_BYTES) return;
		this.#unflushed = 0;
		// The disk works while the next pieces are deciphered. Otherwise, the end would wait for all of it.
		await this.#flushing;
		this.#flushing = file.flush();
		this.#flushing.catch(() => undefined);
	}

	async reset(): Promise<void> {
		await this.discard();
	}

	async commit(): Promise<string> {
		if (!this.#file) throw new Error('commit before start');
		await this.#flushing;
		const { rules } = this.#context;
		rules.outputs.add(await this.#file.commit(this.#path, rules));
		this.#file = undefined;
		return this.#path;
	}

	async discard(): Promise<void> {
		await this.#flushing.catch(() => undefined);
		await this.#preparing?.then(
			(file) => file.discard(),
			() => undefined,
		);
		this.#preparing = undefined;
		await this.#file?.discard();
		this.#file = undefined;
	}
}

/** Beside the input or in the output folder, with the input's base name and the extension given, or that of the format. */
function outputPath(
	inputPath: string,
	{ output, outDir, extension }: Settings,
	format: FileFormat | undefined,
): string {
	if (output !== undefined) return output;
	const base = basename(inputPath, extname(inputPath));
	return join(
		outDir ?? dirname(inputPath),
		`${base}.${extension ?? (format ?? unknownFormat).extension}`,
	);
}

async function makeFolder(folder: string): Promise<void> {
	try {
		await mkdir(folder, { recursive: true });
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
