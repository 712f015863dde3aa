import type { MultiBar, SingleBar } from 'cli-progress';
import { standardError, writeText } from './streams.mts';
import { count, formatBytes } from './text.mts';

export interface ProgressOptions {
	json: boolean;
	quiet: boolean;
	/** How many files there are. */
	files: number;
	/** Bytes to read in all, `undefined` if a size is unknown. */
	totalBytes: number | undefined;
}

/** A bar that shows for a moment only disturbs. */
const BAR_AFTER_MS = 1_000;
const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 10_000;

/** How far the work is: a bar if standard error is a terminal, else a line from time to time. */
export class Progress {
	readonly #options: ProgressOptions;

	readonly #start = Date.now();

	#bytes = 0;

	#file = 0;

	#lastShown = Date.now();

	#bars: MultiBar | undefined;

	#bar: SingleBar | undefined;

	#isBarLoading = false;

	constructor(options: ProgressOptions) {
		this.#options = options;
	}

	startFile(): void {
		this.#file += 1;
	}

	/** Adds bytes that were read. Called for every piece, so it does next to nothing most of the time. */
	add(bytes: number): void {
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
			this.print(this.#progressLine());
		}
	}

	/** Takes bytes back that are read again, because another password is tried. */
	rewind(bytes: number): void {
		this.#bytes -= bytes;
	}

	/** Takes the bar from the screen. */
	stop(): void {
		this.#bars?.stop();
		this.#bars = undefined;
		this.#bar = undefined;
	}

	/** Prints a line on standard error, above the bar. */
	print(text: string): void {
		if (!this.#bars) {
			writeText('standard error', `${text}\n`);
			return;
		}
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
	return standardError().isTTY === true && process.env['TERM'] !== 'dumb';
}
