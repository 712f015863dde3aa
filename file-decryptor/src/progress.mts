import { Format, MultiBar } from 'cli-progress';
import { standardError, writeText } from './streams.mts';
import { formatBytes } from './text.mts';

export interface ProgressOptions {
	quiet: boolean;
	/** How many files there are. */
	files: number;
	/** Bytes to read in all, `undefined` if a size is unknown. */
	totalBytes: number | undefined;
}

/** A bar that shows for a moment only disturbs. */
const BAR_AFTER_MS = 1_000;

/** Shows how far the work is, with a bar, if standard error is a terminal. */
export class Progress {
	readonly #options: ProgressOptions;

	#start = Date.now();

	#bytes = 0;

	#file = 0;

	#waiting: NodeJS.Timeout | undefined;

	#bars: MultiBar | undefined;

	constructor(options: ProgressOptions) {
		this.#options = options;
	}

	/** Begins to measure the time. */
	begin(): void {
		this.#start = Date.now();
		if (this.#options.quiet || !isWatched()) return;
		this.#waiting = setTimeout(() => this.#showBar(), BAR_AFTER_MS);
	}

	startFile(): void {
		this.#file += 1;
	}

	/** Adds bytes that were read. */
	add(bytes: number): void {
		this.#bytes += bytes;
	}

	/** Takes bytes back that are read again, because another password is tried. */
	rewind(bytes: number): void {
		this.#bytes -= bytes;
	}

	/** Takes the bar from the screen, and shows none from then on. */
	stop(): void {
		clearTimeout(this.#waiting);
		this.#bars?.stop();
		this.#bars = undefined;
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

	#showBar(): void {
		const { totalBytes } = this.#options;
		const bars = new MultiBar({
			stream: standardError(),
			format:
				totalBytes === undefined
					? '{value} read | {speed}'
					: '{bar} {percentage} % | {value} of {total} | {speed} | {eta_formatted} left{files}',
			formatValue: (value, _options, type) =>
				type === 'value' || type === 'total' ? formatBytes(value) : String(value),
			// Unknown until there are two moments to compare.
			formatTime: (seconds, options, roundTo) =>
				seconds > 0 || this.#bytes === totalBytes
					? Format.TimeFormat(seconds, options, roundTo)
					: '?',
			barsize: 16,
			barCompleteChar: '#',
			barIncompleteChar: '.',
			etaBuffer: 50,
			clearOnComplete: true,
			// Otherwise, the library switches it off, and a run that is killed would leave it so.
			linewrap: true,
			fps: 5,
		});
		const bar = bars.create(totalBytes ?? 0, this.#bytes, this.#barTexts());
		bars.on('update-pre', () => bar.update(this.#bytes, this.#barTexts()));
		this.#bars = bars;
	}

	#barTexts(): Record<string, string> {
		const { files } = this.#options;
		const seconds = (Date.now() - this.#start) / 1000;
		return {
			speed: `${formatBytes(Math.round(this.#bytes / seconds))}/s`,
			files: files > 1 ? ` | ${this.#file}/${files}` : '',
		};
	}
}

function isWatched(): boolean {
	return standardError().isTTY === true && process.env['TERM'] !== 'dumb';
}
