import { UsageError } from './refusal.mts';

/** What the command line asks for. */
export interface Settings {
	/** Files and patterns; `-` is standard input. */
	files: string[];
	passwordArgument: string | undefined;
	/** `-` is standard input. */
	passwordFile: string | undefined;
	previousPasswordFile: string | undefined;
	/** Without the dot; `undefined`: by the format of the recording. */
	extension: string | undefined;
	/** `-` is standard output. */
	output: string | undefined;
	outDir: string | undefined;
	force: boolean;
	/** Whether recordings whose output exists are left out. */
	skipExisting: boolean;
	dryRun: boolean;
	deleteSource: boolean;
	json: boolean;
	quiet: boolean;
}

/** Whether the recording itself goes to standard output. */
export function writesToStandardOutput({ output, files, dryRun }: Settings): boolean {
	return !dryRun && (output === '-' || (output === undefined && files.includes('-')));
}

/**
 * Refuses what commander cannot see: contradictions that depend on a value or on the files.
 *
 * @throws UsageError
 */
export function refuseContradictions(settings: Settings): void {
	const { files, outDir, json, deleteSource, passwordFile } = settings;
	const fromStandardInput = files.includes('-');
	const toStandardOutput = writesToStandardOutput(settings);
	const refuse = (isContradiction: boolean, text: string): void => {
		if (isContradiction) throw new UsageError(text);
	};

	refuse(
		fromStandardInput && passwordFile === '-',
		'Standard input cannot be both the file and the password.',
	);
	refuse(
		fromStandardInput && files.length > 1,
		'Standard input (-) can only be read alone, without other files.',
	);
	refuse(
		fromStandardInput && outDir !== undefined,
		'Standard input has no name that an output could get: use --output.',
	);
	refuse(
		toStandardOutput && json,
		'Standard output cannot hold both the recording and --json: use --output with a file name.',
	);
	refuse(
		deleteSource && (toStandardOutput || fromStandardInput),
		'--delete-source needs an input and an output that are files.',
	);
}
