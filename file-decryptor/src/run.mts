import { mkdir } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { unknownFormat, type FileFormat } from '../../nodes/recordingFile/audioFormat.ts';
import type { Chunks } from '../../nodes/recordingFile/chunks.ts';
import type { Settings } from './arguments.mts';
import { listInputs, type Input } from './inputs.mts';
import { checkTarget, OutputFile, syncFolder, type ReplaceRules } from './output.mts';
import { collectPasswords } from './passwords.mts';
import { decryptTo, refuseImpossibleSize, type Decrypted, type Sink } from './recording.mts';
import { asRefusal, type Refusal, UsageError } from './refusal.mts';
import { Report, type Outcome } from './report.mts';
import { SameChunks, SourceFile, type FileIdentity } from './source.mts';
import { deleteAbandoned } from './temporary.mts';
import { count, printable } from './text.mts';
import { standardOutput } from './streams.mts';

/** How many pieces are written before they are brought to the disk while the work goes on. */
const FLUSH_EVERY_BYTES = 32 * 1024 * 1024;

interface Context {
	settings: Settings;
	passwords: readonly string[];
	report: Report;
	rules: ReplaceRules & { outputs: Set<FileIdentity> };
	/** Folders where the leavings of killed runs were deleted. */
	tidied: Set<string>;
}

/**
 * Does what the command line says, one file after the other.
 *
 * @param onReport called with the report before anything is shown
 * @returns the exit code
 * @throws UsageError before anything was done
 */
export async function run(settings: Settings, onReport: (report: Report) => void): Promise<0 | 1> {
	const { list, identities } = await listInputs(settings.files);
	const toStandardOutput = writesToStandardOutput(settings);
	if (toStandardOutput && standardOutput().isTTY) {
		throw new UsageError(
			'Standard output is the terminal, which cannot show audio. Redirect it, or use --output.',
		);
	}
	const sizes = list.map(({ size, refusal }) => (refusal ? 0 : size));
	const report = new Report({
		json: settings.json,
		quiet: settings.quiet,
		files: list.length,
		totalBytes: sizes.includes(undefined)
			? undefined
			: sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) * (toStandardOutput ? 2 : 1),
	});
	onReport(report);

	// Nobody is asked for a password that nothing needs.
	const passwords = list.some(({ refusal }) => !refusal)
		? await collectPasswords(settings, (text) => report.note(text))
		: [];
	const context: Context = {
		settings,
		passwords,
		report,
		rules: { force: settings.force, inputs: identities, outputs: new Set() },
		tidied: new Set(),
	};

	let failures = 0;
	let refused = 0;
	for (const [index, input] of list.entries()) {
		report.startFile(index + 1);
		const outcome = await openOne(input, context);
		report.outcome(outcome);
		if (outcome.error) failures += 1;
		if (outcome.status === 'refused') refused += 1;
	}
	report.stop();
	report.summary(settings.dryRun ? 'verified' : 'decrypted', list.length - refused, refused);
	return failures > 0 ? 1 : 0;
}

function writesToStandardOutput({ output, files, dryRun }: Settings): boolean {
	return !dryRun && (output === '-' || (output === undefined && files.includes('-')));
}

async function openOne(input: Input, context: Context): Promise<Outcome> {
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
		source = await openSource(input, context);
		const { bytes, format, passwordIndex, output } = await decryptOne(input, source, context);
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

/** @returns `undefined` for standard input that has to be read once only */
async function openSource(input: Input, context: Context): Promise<SourceFile | undefined> {
	if (input.path !== '-') {
		return await checkSize(await SourceFile.open(input.path));
	}
	const isReadAgain = context.passwords.length > 1 || writesToStandardOutput(context.settings);
	if (!isReadAgain) return undefined;
	return await checkSize(
		await SourceFile.spool(counted(standardInput(), (bytes) => context.report.progress(bytes))),
	);
}

async function checkSize(source: SourceFile): Promise<SourceFile> {
	try {
		refuseImpossibleSize(source.size);
		return source;
	} catch (error) {
		await source.close();
		throw error;
	}
}

type Written = Decrypted & { output: string | null };

async function decryptOne(
	input: Input,
	source: SourceFile | undefined,
	context: Context,
): Promise<Written> {
	const { settings, passwords, report } = context;
	let bytesRead = 0;
	const recording = {
		size: source?.size,
		chunks: () => {
			report.rewind(bytesRead);
			bytesRead = 0;
			return counted(source?.chunks() ?? standardInput(), (bytes) => {
				bytesRead += bytes;
				report.progress(bytes);
			});
		},
	};
	if (settings.dryRun) {
		return { ...(await decryptTo(new Nowhere(), recording, passwords)), output: null };
	}
	if (!source || !writesToStandardOutput(settings)) {
		const sink = new IntoFile(input, context, source?.size);
		sink.prepare();
		try {
			const decrypted = await decryptTo(sink, recording, passwords);
			return { ...decrypted, output: await sink.commit() };
		} finally {
			await sink.discard();
		}
	}
	// Nothing unverified goes out: the first reading verifies, the second one is passed on.
	let same = new SameChunks();
	const verified = await decryptTo(
		new Nowhere(),
		{
			...recording,
			chunks: () => {
				same = new SameChunks();
				return same.remember(recording.chunks());
			},
		},
		passwords,
	);
	const password = passwords[verified.passwordIndex] ?? '';
	bytesRead = 0;
	await decryptTo(
		new IntoStandardOutput(),
		{ ...recording, chunks: () => same.confirm(recording.chunks()) },
		[password],
	);
	return { ...verified, output: null };
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

function standardInput(): Chunks {
	return process.stdin;
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

/** Verification alone. */
class Nowhere implements Sink {
	async start(): Promise<void> {}

	async write(): Promise<void> {}

	async reset(): Promise<void> {}
}

class IntoFile implements Sink {
	readonly #input: Input;

	readonly #context: Context;

	readonly #bytes: number | undefined;

	#preparing: Promise<OutputFile> | undefined;

	#path = '';

	#file: OutputFile | undefined;

	#unflushed = 0;

	#flushing: Promise<void> = Promise.resolve();

	/** @param bytes about how much will be written, where that is known */
	constructor(input: Input, context: Context, bytes: number | undefined) {
		this.#input = input;
		this.#context = context;
		this.#bytes = bytes;
	}

	/** Does what needs no plaintext, so that it can go on beside the derivation of the key. */
	prepare(): void {
		this.#preparing = this.#create();
		// A failure is thrown by `start`, not before.
		this.#preparing.catch(() => undefined);
	}

	async start(format: FileFormat | undefined): Promise<void> {
		const { settings, rules } = this.#context;
		this.#file = await (this.#preparing ?? this.#create());
		this.#preparing = undefined;
		this.#path = outputPath(this.#input.path, settings, format);
		await checkTarget(this.#path, rules);
	}

	async #create(): Promise<OutputFile> {
		const { settings, rules } = this.#context;
		const { output, outDir, extension } = settings;
		const path = outputPath(this.#input.path, settings, undefined);
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
		// The disk works while the next pieces are deciphered; otherwise all of it would be waited for at the end.
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

/** Deletes what killed runs have left in the folder, once in a run. */
async function tidy(folder: string, { tidied, report }: Context): Promise<void> {
	if (tidied.has(folder)) return;
	tidied.add(folder);
	// A folder that cannot be listed can perhaps be written to all the same.
	const deleted = await deleteAbandoned(folder).catch(() => 0);
	if (deleted === 0) return;
	report.note(
		`${printable(folder)}: deleted ${count(deleted, 'unfinished file')} of an interrupted run.`,
	);
}

class IntoStandardOutput implements Sink {
	async start(): Promise<void> {}

	async write(chunk: Uint8Array): Promise<void> {
		await new Promise<void>((resolve, reject) => {
			standardOutput().write(chunk, (error) => (error ? reject(error) : resolve()));
		});
	}

	async reset(): Promise<void> {}
}

async function makeFolder(folder: string): Promise<void> {
	try {
		await mkdir(folder, { recursive: true });
	} catch (error) {
		throw asRefusal(error, `the output folder ${printable(folder)}`);
	}
}

/** Beside the input, with its base name and the extension given, or the one of its format. */
function outputPath(
	input: string,
	{ output, outDir, extension }: Settings,
	format: FileFormat | undefined,
): string {
	if (output !== undefined) return output;
	const base = basename(input, extname(input));
	return join(
		outDir ?? dirname(input),
		`${base}.${extension ?? (format ?? unknownFormat).extension}`,
	);
}
