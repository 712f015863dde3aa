import type { Progress } from './progress.mts';
import type { Settings } from './settings.mts';
import { standardOutput } from './streams.mts';
import { formatBytes, printable } from './text.mts';

/** What became of one file; as JSON, one line of `--json`. */
export interface Outcome {
	file: string;
	status: 'decrypted' | 'verified' | 'refused';
	/** `null` for standard output, and if nothing was written. */
	output: string | null;
	/** `opus`, `ogg`, `mp3`, `wav` or `unknown`; `null` if it was refused. */
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

/** What a run says about its files: on standard error, except `--json`. */
export class Report {
	readonly #settings: Pick<Settings, 'json' | 'quiet'>;

	readonly #progress: Progress;

	constructor(settings: Pick<Settings, 'json' | 'quiet'>, progress: Progress) {
		this.#settings = settings;
		this.#progress = progress;
	}

	note(text: string): void {
		if (!this.#settings.quiet) this.#progress.print(text);
	}

	outcome(outcome: Outcome): void {
		const { json } = this.#settings;
		if (json) standardOutput().write(`${JSON.stringify(outcome)}\n`);
		if (outcome.error) this.#progress.print(errorLine(outcome.file, outcome.error));
		else if (!json) this.note(successLine(outcome));
	}

	/** The last line, if there was more than one file. */
	summary(verb: 'decrypted' | 'verified', done: number, refused: number): void {
		if (this.#settings.json || done + refused < 2) return;
		const of = refused > 0 ? `${done} of ${done + refused}` : `All ${done}`;
		this.note(`${of} recordings ${verb}${refused > 0 ? `, ${refused} refused` : ''}.`);
	}
}

function errorLine(file: string, { message, hint }: { message: string; hint: string }): string {
	return `${printable(file)}: ${message}.${hint === '' ? '' : ` ${hint}`}`;
}

function successLine(outcome: Outcome): string {
	const { file, status, output, format, bytes, passwordIndex, sourceDeleted } = outcome;
	const what = [format === 'unknown' ? 'format not recognized' : format, formatBytes(bytes ?? 0)];
	if (passwordIndex !== null && passwordIndex > 0) what.push('opened with a previous password');
	if (sourceDeleted) what.push('source deleted');
	const result = status === 'verified' ? ': intact' : ` -> ${output ?? 'standard output'}`;
	return printable(`${file}${result} (${what.join(', ')})`);
}
