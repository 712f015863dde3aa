import type { MultiBar, SingleBar } from 'cli-progress';
import { count, formatBytes, printable } from './text.mts';
import { standardError, standardOutput } from './streams.mts';

/** What became of one file; as JSON, one line of `--json`. */
export interface Outcome {
	file: string;
	status: 'decrypted' | 'verified' | 'refused';
	/** `null` for standard output and where nothing was written. */
	output: string | null;
	/** `opus`, `ogg`, `mp3`, `wav` or `unknown`; `null` where it was refused. */
	format: string | null;
	/** Size of the decrypted recording. */
	bytes: number | null;
	/** 0 is the current password, 1 the first of the previous ones, and so on. */
	passwordIndex: number | null;
	sourceDeleted: boolean;
	seconds: number;
	/** Why it was refused or, with the status `decrypted`, why the source was not deleted. */
	error: { code: string; message: string; hint: string } | null;
}

export interface ReportOptions {
	json: boolean;
	quiet: boolean;
	/** How many files there are. */
	files: number;
	/** Bytes to read in all, `undefined` where one file's size is unknown. */
	totalBytes: number | undefined;
}

/** A bar that is gone after a blink only disturbs. */
const BAR_AFTER_MS = 1_000;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

/** Everything that a run says, all of it on standard error except `--json`. */
export class Report {
	readonly #options: ReportOptions;

	readonly #start = Date.now();

	#bytes = 0;

	#file = 0;

	#lastShown = Date.now();

	#bars: MultiBar | undefined;

	#bar: SingleBar | undefined;

	#isBarLoading = false;

	constructor(options: ReportOptions) {
		this.#options = options;
	}

	/** @param file its number, from 1 */
	startFile(file: number): void {
		this.#file = file;
	}

	/** Counts bytes that were read. Called for every piece, so it does next to nothing most of the time. */
	progress(bytes: number): void {
		this.#bytes += bytes;
		if (this.#options.quiet) return;
		const now = Date.now();
		if (now - this.#start < BAR_AFTER_MS) return;
		if (isWatched()) {
			if (this.#bar) {
				if (now - this.#lastShown < BAR_EVERY_MS) return;
				this.#lastShown = now;
				this.#bar.update(this.#bytes, this.#barTexts());
			} else if (!this.#isBarLoading) {
				this.#isBarLoading = true;
				void this.#showBar();
			}
		} else if (!this.#options.json && now - this.#lastShown > LINE_EVERY_MS) {
			this.#lastShown = now;
			this.#line(this.#progressLine());
		}
	}

	/** Bytes that are read again, because another password is tried. */
	rewind(bytes: number): void {
		this.#bytes -= bytes;
	}

	note(text: string): void {
		if (!this.#options.quiet) this.#line(text);
	}

	outcome(outcome: Outcome): void {
		if (this.#options.json) standardOutput().write(`${JSON.stringify(outcome)}\n`);
		if (outcome.error) this.#line(errorLine(outcome.file, outcome.error));
		else if (!this.#options.json) this.note(successLine(outcome));
	}

	/** The last line, where there was more than one file. */
	summary(verb: 'decrypted' | 'verified', done: number, refused: number): void {
		if (this.#options.json || done + refused < 2) return;
		const of = refused > 0 ? `${done} of ${done + refused}` : `All ${done}`;
		this.note(`${of} recordings ${verb}${refused > 0 ? `, ${refused} refused` : ''}.`);
	}

	/** Takes the bar from the screen. */
	stop(): void {
		this.#bars?.stop();
		this.#bars = undefined;
		this.#bar = undefined;
	}

	#line(text: string): void {
		if (!this.#bars) {
			standardError().write(`${text}\n`);
			return;
		}
		// Above the bar.
		this.#bars.log(`${text}\n`);
		this.#bars.update();
	}

	async #showBar(): Promise<void> {
		const { default: progress } = await import('cli-progress');
		const { totalBytes } = this.#options;
		this.#bars = new progress.MultiBar({
			stream: standardError(),
			format:
				totalBytes === undefined
					? '{done} read | {speed}'
					: '{bar} {percentage} % | {done} of {all} | {speed} | {eta_formatted} left{files}',
			// Unknown until there are two moments to compare.
			formatTime: (seconds, options, roundTo) =>
				seconds > 0 || this.#bytes === totalBytes
					? progress.Format.TimeFormat(seconds, options, roundTo)
					: '?',
			barsize: 16,
			barCompleteChar: '#',
			barIncompleteChar: '.',
			etaBuffer: 50,
			clearOnComplete: true,
			// Not switched off: a run that is killed would leave the terminal so.
			linewrap: true,
			fps: 5,
		});
		this.#bar = this.#bars.create(totalBytes ?? 0, this.#bytes, this.#barTexts());
	}

	#barTexts(): Record<string, string> {
		const { totalBytes, files } = this.#options;
		return {
			done: formatBytes(this.#bytes),
			all: formatBytes(totalBytes ?? 0),
			speed: this.#speed(),
			files: files > 1 ? ` | ${this.#file}/${files}` : '',
		};
	}

	#progressLine(): string {
		const { totalBytes } = this.#options;
		if (totalBytes === undefined) return `${formatBytes(this.#bytes)} read, ${this.#speed()}`;
		const elapsed = Date.now() - this.#start;
		const left = ((totalBytes - this.#bytes) / this.#bytes) * (elapsed / 1000);
		return (
			`${Math.floor((100 * this.#bytes) / totalBytes)} % (${formatBytes(this.#bytes)} of ` +
			`${formatBytes(totalBytes)}), ${this.#speed()}, about ${count(Math.ceil(left), 'second')} left`
		);
	}

	#speed(): string {
		const seconds = (Date.now() - this.#start) / 1000;
		return `${formatBytes(Math.round(this.#bytes / seconds))}/s`;
	}
}

function isWatched(): boolean {
	return standardError().isTTY && process.env['TERM'] !== 'dumb';
}

function errorLine(file: string, { message, hint }: { message: string; hint: string }): string {
	return `${printable(file)}: ${message}.${hint === '' ? '' : ` ${hint}`}`;
}

function successLine(outcome: Outcome): string {
	const { file, status, output, format, bytes, passwordIndex, sourceDeleted } = outcome;
	const what = [format === 'unknown' ? 'format not recognised' : format, formatBytes(bytes ?? 0)];
	if (passwordIndex !== null && passwordIndex > 0) what.push('opened with a previous password');
	if (sourceDeleted) what.push('source deleted');
	const result = status === 'verified' ? ': intact' : ` -> ${output ?? 'standard output'}`;
	return printable(`${file}${result} (${what.join(', ')})`);
}
