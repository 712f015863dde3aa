import { Command, CommanderError, Option } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { PASSWORD_VARIABLE, PREVIOUS_PASSWORDS_VARIABLE } from './environment.mts';
import { splitOperands } from './operands.mts';
import { checkOptionForms, hyphenHint } from './optionForms.mts';
import { UsageError } from './refusal.mts';
import { refuseContradictions, type Settings } from './settings.mts';
import { writeText } from './streams.mts';

/** What commander makes of the options. */
type Options = Omit<Settings, 'files' | 'passwordArgument'> & { passwordStdin: boolean };

const description = `Opens encrypted call recordings (.enc) of the VoiceAgent service.

The audio is written beside each recording, under its base name with the
extension given, or with the one of its format: opus, mp3 or wav. It appears
there only after it was verified; nothing that exists is overwritten.`;

const more = `
Files:
  Any number of files, folders (with all .enc files below them), and patterns
  such as 'calls/**/*.enc', in quotes. A single hyphen reads standard input and,
  without --output, writes standard output. Names and passwords that start with
  a hyphen go after --.

Password:
  - --password-file or --password-stdin
  - or the second argument, after a single file, folder or pattern. Other users
    of this machine can see it, and the shell keeps it: the other ways are safer
  - or the environment variable ${PASSWORD_VARIABLE}
  - or none of them: it is asked for, without being shown
  It is taken as given (UTF-8), with all its spaces. If it was changed since
  some of the calls, give the former ones with --previous-password-file or in
  ${PREVIOUS_PASSWORDS_VARIABLE}, one per line.

Examples:
  FileDecryptor call.enc                       asks for the password
  FileDecryptor -p password.txt -e wav *.enc
  FileDecryptor -p password.txt -d audio --skip-existing calls
  FileDecryptor -p password.txt --dry-run 'calls/**/*.enc'
  FileDecryptor -p password.txt - < call.enc | ffplay -

Exit codes:
  0  all done
  1  at least one file was refused, or a message was lost; the others are done
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
		.addOption(
			new Option('-o, --output <file>', 'name of the output file; - is standard output').conflicts([
				'outDir',
				'extension',
			]),
		)
		.option(
			'-d, --out-dir <folder>',
			'write into this folder, with the subfolders; made if missing',
		)
		.option('-f, --force', 'replace output files that exist', false)
		.addOption(
			new Option('--skip-existing', 'leave out recordings whose output exists')
				.default(false)
				.conflicts(['force', 'dryRun']),
		)
		.addOption(
			new Option('-n, --dry-run', 'verify only; nothing is written or deleted')
				.default(false)
				.conflicts('deleteSource'),
		)
		.option('--delete-source', 'delete each recording once its output is safely stored', false)
		.addOption(
			new Option(
				'-p, --password-file <file>',
				'read the password from this file; - is standard input',
			).conflicts('passwordStdin'),
		)
		.option('--password-stdin', 'read the password from standard input', false)
		.option('--previous-password-file <file>', 'passwords to try as well, one per line')
		.option('--json', 'one JSON object per file on standard output', false)
		.option('-q, --quiet', 'no messages but errors', false)
		.version(manifest.version, '-V, --version', 'print the version')
		.helpOption('-h, --help', 'print this help')
		.addHelpText('after', more)
		.configureHelp({
			visibleArguments: () => [],
			// Without the default values, which are all false.
			optionDescription: ({ description: text }) => text,
			helpWidth: 80,
		})
		.exitOverride()
		.configureOutput({
			writeOut: (text) => writeText('standard output', text),
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
	const isOptionBetween = checkOptionForms(argv, command.options);
	try {
		command.parse(argv, { from: 'user' });
	} catch (error) {
		if (!(error instanceof CommanderError)) throw error;
		if (error.exitCode === 0) return undefined;
		throw new UsageError(explainCommander(error));
	}
	return settingsOf(command.args, isOptionBetween, command.opts<Options>());
}

/**
 * Says what is wrong without the argument that commander quotes: it may be a password that starts
 * with a hyphen.
 */
function explainCommander({ code, message }: CommanderError): string {
	if (code === 'commander.optionMissingArgument') return `${message.replace(/^error: /, '')}.`;
	if (code === 'commander.conflictingOption') {
		const [option = '', other = ''] = message.match(/--[a-z-]+/g) ?? [];
		return conflictTexts[other] ?? `${option} and ${other} cannot be used together.`;
	}
	const [suggestion = ''] = /\(Did you mean [^)]+\)/.exec(message) ?? [];
	return `There is an unknown option. ${suggestion}\n${hyphenHint}`;
}

/** Conflicts whose reason needs saying, by the second option. */
const conflictTexts: Record<string, string> = {
	'--extension': '--output names the whole file: leave --extension out.',
	'--delete-source': '--dry-run deletes nothing: it cannot be used with --delete-source.',
};

function settingsOf(
	operands: readonly string[],
	isOptionBetween: boolean,
	{ passwordStdin, ...options }: Options,
): Settings {
	if (Object.values(options).includes('')) {
		throw new UsageError('An option is followed by an empty value. Is a variable not set?');
	}
	const passwordFile = passwordStdin ? '-' : options.passwordFile;
	const { files, passwordArgument, extensionArgument } = splitOperands(
		operands,
		passwordFile !== undefined,
		isOptionBetween,
	);
	if (extensionArgument !== undefined && options.extension !== undefined) {
		throw new UsageError('The extension is given twice, as an argument and with --extension.');
	}
	const extension = parseExtension(extensionArgument ?? options.extension);
	const settings = { ...options, files, passwordArgument, passwordFile, extension };
	refuseContradictions(settings);
	return settings;
}

function parseExtension(text: string | undefined): string | undefined {
	if (text === undefined) return undefined;
	const extension = text.replace(/^\./, '');
	if (/^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,30}[A-Za-z0-9])?$/.test(extension)) return extension;
	throw new UsageError(
		'The output extension cannot be used. It has letters and digits only, ' +
			'for example wav, mp3 or opus.',
	);
}
