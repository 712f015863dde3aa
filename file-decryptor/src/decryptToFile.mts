import { dirname } from 'node:path';
import type { FileFormat } from '../../nodes/recordingFile/formats.ts';
import { decryptTo, type Decrypted, type ReadFromStart, type Sink } from './decryptRecording.mts';
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
import type { Turnstile } from './turnstile.mts';

/** How many bytes are written before they are flushed to the disk while the work goes on. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

/** What the outputs of a run share. */
export interface OutputContext {
	settings: Settings;
	report: Report;
	rules: ReplaceRules & { outputs: Set<FileIdentity> };
	/** Folders that were searched for files of killed runs. */
	tidied: Set<string>;
	/** Passed by each file that is written, so that only the keys take more memory on more cores. */
	writing: Turnstile;
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
	sink.prepare();
	try {
		const decrypted = await decryptTo(sink, readFromStart, passwords);
		return { ...decrypted, output: await sink.commit() };
	} finally {
		await sink.discard();
	}
}

class FileSink implements Sink {
	readonly #input: Input;

	readonly #bytes: number | undefined;

	readonly #context: OutputContext;

	#preparing: Promise<OutputFile> | undefined;

	#path = '';

	#file: OutputFile | undefined;

	#isWriting = false;

	#unflushed = 0;

	#flushing: Promise<void> = Promise.resolve();

	constructor(input: Input, bytes: number | undefined, context: OutputContext) {
		this.#input = input;
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
		const { settings, rules, writing } = this.#context;
		await writing.enter();
		this.#isWriting = true;
		this.#file = await (this.#preparing ?? this.#create());
		this.#preparing = undefined;
		this.#path = outputPath(this.#input, settings, format);
		await checkTarget(this.#path, rules);
	}

	async #create(): Promise<OutputFile> {
		const { settings } = this.#context;
		const folder = dirname(outputPath(this.#input, settings, undefined));
		await makeOutputFolder(folder, settings);
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
		if (this.#isWriting) this.#context.writing.leave();
		this.#isWriting = false;
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
