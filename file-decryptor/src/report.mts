import type { Progress } from './progress.mts';
import type { Settings } from './settings.mts';
import { writeText } from './streams.mts';
import { formatBytes, printable } from './text.mts';

/** What became of one file; as JSON, one line of `--json`. */
export interface Outcome {
	file: string;
	status: 'decrypted' | 'verified' | 'skipped' | 'refused';
	/** `null` if no file was written. For a skipped recording, it is the output that exists. */
	output: string | null;
	/** `opus`, `ogg`, `mp3`, `wav` or `unknown`; `null` if it was not decrypted. */
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
	readonly #settings: Pick<Settings, 'json' | 'quiet' | 'dryRun'>;

	readonly #progress: Progress;

	constructor(settings: Pick<Settings, 'json' | 'quiet' | 'dryRun'>, progress: Progress) {
		this.#settings = settings;
		this.#progress = progress;
	}

	note(text: string): void {
		if (!this.#settings.quiet) this.#progress.print(text);
	}

	outcome(outcome: Outcome): void {
		const { json } = this.#settings;
		if (json) writeText('standard output', `${JSON.stringify(outcome)}\n`);
		if (outcome.error) this.#progress.print(errorLine(outcome.file, outcome.error));
		else if (!json) this.note(successLine(outcome));
	}

	/** The last line, if there was more than one file. */
	summary(statuses: readonly Outcome['status'][]): void {
		if (this.#settings.json || statuses.length < 2) return;
		const number = (status: Outcome['status']): number =>
			statuses.filter((each) => each === status).length;
		const done = number('decrypted') + number('verified');
		const of = done < statuses.length ? `${done} of ${statuses.length}` : `All ${done}`;
		const rest = (['skipped', 'refused'] as const)
			.filter((status) => number(status) > 0)
			.map((status) => `, ${number(status)} ${status}`);
		this.note(
			`${of} recordings ${this.#settings.dryRun ? 'verified' : 'decrypted'}${rest.join('')}.`,
		);
	}
}

function errorLine(file: string, { message, hint }: { message: string; hint: string }): string {
	return `${printable(file)}: ${message}.${hint === '' ? '' : ` ${hint}`}`;
}

function successLine(outcome: Outcome): string {
	const { file, status, output, format, bytes, passwordIndex, sourceDeleted } = outcome;
	if (status === 'skipped') return printable(`${file}: skipped, because ${output} exists`);
	const what = [format === 'unknown' ? 'format not recognized' : format, formatBytes(bytes ?? 0)];
	if (passwordIndex !== null && passwordIndex > 0) what.push('opened with a previous password');
	if (sourceDeleted) what.push('source deleted');
	const result = status === 'verified' ? ': intact' : ` -> ${output ?? 'standard output'}`;
	return printable(`${file}${result} (${what.join(', ')})`);
}
