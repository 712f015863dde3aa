import { existsSync, statSync } from 'node:fs';
import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { mayBePattern } from './inputs.mts';
import { PASSWORD_VARIABLE, PREVIOUS_PASSWORDS_VARIABLE } from './passwords.mts';
import { UsageError } from './refusal.mts';
import { standardOutput } from './streams.mts';

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
	dryRun: boolean;
	deleteSource: boolean;
	json: boolean;
	quiet: boolean;
}

interface Flags {
	extension?: string;
	output?: string;
	outDir?: string;
	force?: boolean;
	dryRun?: boolean;
	deleteSource?: boolean;
	passwordFile?: string;
	passwordStdin?: boolean;
	previousPasswordFile?: string;
	json?: boolean;
	quiet?: boolean;
}

const description = `Opens encrypted call recordings (.enc) of the VoiceAgent service.

The audio is written beside each recording, under its base name with the
extension given, or with the one of its format: opus, mp3 or wav. It appears
there only after it was verified; nothing that exists is overwritten.`;

const more = `
Files:
  Any number of files and patterns such as 'calls/**/*.enc', in quotes. A single
  hyphen reads standard input and, without --output, writes standard output.
  Names that start with a hyphen go after --.

Password:
  - --password-file or --password-stdin
  - or the second argument, after a single file or pattern. Other users of this
    machine can see it while the program runs; the other ways are safer
  - or the environment variable ${PASSWORD_VARIABLE}
  - or none of them: it is asked for, without being shown
  It is taken as given (UTF-8), with all its spaces. If it was changed since
  some of the calls, give the former ones with --previous-password-file or in
  ${PREVIOUS_PASSWORDS_VARIABLE}, one per line.

Examples:
  FileDecryptor call.enc 'my password' wav     writes call.wav
  FileDecryptor *.enc                          asks for the password
  FileDecryptor -p password.txt -d audio 'calls/**/*.enc'
  FileDecryptor -p password.txt --dry-run *.enc
  FileDecryptor -p password.txt - < call.enc | ffplay -

Exit codes:
  0  all done
  1  at least one file was refused; the others are done
  2  the command line cannot be followed; nothing was done
  128 + n  stopped by signal n (130: Ctrl-C); complete files are kept`;

function createCommand(): Command {
	return new Command('FileDecryptor')
		.usage(
			'[options] <fileName> <password> [outputExtension]\n' +
				'       FileDecryptor [options] <file>...',
		)
		.description(description)
		.argument('[arguments...]')
		.option('-e, --extension <extension>', 'extension of the output files')
		.option('-o, --output <file>', 'name of the output file; - is standard output')
		.option('-d, --out-dir <folder>', 'write into this folder; made if missing')
		.option('-f, --force', 'replace output files that exist')
		.option('-n, --dry-run', 'verify only; nothing is written or deleted')
		.option('--delete-source', 'delete each recording once its output is safely stored')
		.addOption(
			new Option(
				'-p, --password-file <file>',
				'read the password from this file; - is standard input',
			),
		)
		.option('--password-stdin', 'read the password from standard input')
		.option('--previous-password-file <file>', 'passwords to try as well, one per line')
		.option('--json', 'one JSON object per file on standard output')
		.option('-q, --quiet', 'no messages but errors')
		.version(manifest.version, '-V, --version', 'print the version')
		.helpOption('-h, --help', 'print this help')
		.addHelpText('after', more)
		.configureHelp({ visibleArguments: () => [], helpWidth: 80 })
		.exitOverride()
		.configureOutput({
			writeOut: (text) => standardOutput().write(text),
			outputError: () => undefined,
		});
}

/**
 * @param argv arguments without the program's name
 * @returns `undefined` if help or the version was printed
 * @throws UsageError
 */
export function parseArguments(argv: readonly string[]): Settings | undefined {
	const command = createCommand();
	if (argv.length === 0) {
		throw new UsageError(`No file is given.\n\n${command.helpInformation().trimEnd()}`);
	}
	try {
		command.parse(argv, { from: 'user' });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode === 0) return undefined;
		throw new UsageError(explainCommander(error));
	}
	return settingsOf(command.args, command.opts<Flags>());
}

/** Commander quotes unknown options; one that starts with a hyphen by chance may be a password. */
function explainCommander({ code, message }: CommanderError): string {
	if (code === 'commander.optionMissingArgument') return `${message.replace(/^error: /, '')}.`;
	const [suggestion = ''] = /\(Did you mean [^)]+\)/.exec(message) ?? [];
	return (
		`There is an unknown option. ${suggestion}\n` +
		'A file name or password that starts with a hyphen goes after --, for example: ' +
		'FileDecryptor -- call.enc -password wav'
	);
}

function settingsOf(operands: readonly string[], flags: Flags): Settings {
	if (flags.passwordFile !== undefined && flags.passwordStdin) {
		throw new UsageError('--password-file and --password-stdin cannot be used together.');
	}
	const passwordFile = flags.passwordStdin ? '-' : flags.passwordFile;
	const { files, passwordArgument, extensionArgument } = splitOperands(
		operands,
		passwordFile !== undefined,
	);
	if (extensionArgument !== undefined && flags.extension !== undefined) {
		throw new UsageError('The extension is given twice, as an argument and with --extension.');
	}
	if (flags.output !== undefined && flags.extension !== undefined) {
		throw new UsageError('--output names the whole file: leave --extension out.');
	}
	const settings = {
		files,
		passwordArgument,
		passwordFile,
		previousPasswordFile: flags.previousPasswordFile,
		extension: parseExtension(extensionArgument ?? flags.extension),
		output: flags.output,
		outDir: flags.outDir,
		force: flags.force ?? false,
		dryRun: flags.dryRun ?? false,
		deleteSource: flags.deleteSource ?? false,
		json: flags.json ?? false,
		quiet: flags.quiet ?? false,
	};
	refuseContradictions(settings);
	return settings;
}

/**
 * Tells the specified form (file, password, extension) from a list of files. Nothing is repeated in the messages, since
 * any argument may be the password.
 */
function splitOperands(
	operands: readonly string[],
	passwordIsGiven: boolean,
): { files: string[]; passwordArgument?: string; extensionArgument?: string } {
	const [first, second, third] = operands;
	if (first === undefined) throw new UsageError('No file is given. See FileDecryptor --help.');
	if (passwordIsGiven || second === undefined || areAllFiles(operands))
		return { files: [...operands] };
	if (operands.length > 3) {
		throw new UsageError(
			'There are more than three arguments, and not all of them end in .enc. To open several files, give the ' +
				'password with --password-file, --password-stdin, ' +
				`${PASSWORD_VARIABLE} or at the prompt, and the extension with --extension.`,
		);
	}
	if (first !== '-' && !mayBePattern(first) && !existsSync(first) && isFile(second)) {
		throw new UsageError(
			'The first argument is the file and the second one the password: they seem to be swapped.',
		);
	}
	if (/\.enc$/i.test(second) && isFile(second)) {
		throw new UsageError(
			'The second argument is the password, but it is the name of a file. To open several files, give the ' +
				`password in another way (see --help) and the extension with --extension.`,
		);
	}
	return {
		files: [first],
		passwordArgument: second,
		...(third !== undefined && { extensionArgument: third }),
	};
}

/** `a.enc b.enc c.enc`, as the shell makes it of `*.enc`. Of two arguments, the second one may still be a password. */
function areAllFiles(operands: readonly string[]): boolean {
	const others = operands.slice(1);
	if (!others.every((operand) => /\.enc$/i.test(operand))) return false;
	return others.length > 1 || others.every((other) => existsSync(other) || mayBePattern(other));
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function parseExtension(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const extension = text.replace(/^\./, '');
	if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,30}[A-Za-z0-9])?$/.test(extension)) return extension;
	throw new UsageError(
		'The output extension cannot be used. It has letters and digits only, for example wav, mp3 or opus.',
	);
}

function refuseContradictions(settings: Settings): void {
	const { files, output, outDir, json, dryRun, deleteSource, passwordFile } = settings;
	const standardInputs = files.filter((file) => file === '-').length;
	const toStandardOutput =
		!dryRun && (output === '-' || (output === undefined && standardInputs > 0));
	const refuse = (isContradiction: boolean, text: string): void => {
		if (isContradiction) throw new UsageError(text);
	};

	refuse(
		standardInputs > 0 && passwordFile === '-',
		'Standard input cannot be both the file and the password.',
	);
	refuse(
		standardInputs > 0 && files.length > 1,
		'Standard input (-) can only be read alone, without other files.',
	);
	refuse(
		output !== undefined && outDir !== undefined,
		'--output and --out-dir cannot be used together.',
	);
	refuse(
		output !== undefined && files.length > 1,
		'--output is for one file. For several, use --out-dir.',
	);
	refuse(
		standardInputs > 0 && outDir !== undefined,
		'Standard input has no name that an output could get: use --output.',
	);
	refuse(
		toStandardOutput && json,
		'Standard output cannot hold both the recording and --json: use --output with a file name.',
	);
	refuse(
		deleteSource && dryRun,
		'--dry-run deletes nothing: it cannot be used with --delete-source.',
	);
	refuse(
		deleteSource && (toStandardOutput || standardInputs > 0),
		'--delete-source needs an input and an output that are files.',
	);
}
