import { openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { asRefusal, UsageError } from './refusal.mts';
import { printable } from './text.mts';
import { standardError } from './streams.mts';

export const PASSWORD_VARIABLE = 'FILE_DECRYPTOR_PASSWORD';
export const PREVIOUS_PASSWORDS_VARIABLE = 'FILE_DECRYPTOR_PREVIOUS_PASSWORDS';

export interface PasswordSettings {
	/** The second argument, in the form that the service specifies. */
	passwordArgument?: string | undefined;
	/** `-` is standard input. */
	passwordFile?: string | undefined;
	previousPasswordFile?: string | undefined;
}

/**
 * Collects the passwords: the current one first, then the previous ones, each once. Nothing is trimmed or normalised.
 *
 * @param warn called with a text for the user
 * @throws UsageError when there is none, or one that cannot be read
 */
export async function collectPasswords(
	settings: PasswordSettings,
	warn: (text: string) => void,
): Promise<string[]> {
	const previous = await previousPasswords(settings, warn);
	const current = await currentPassword(settings, warn);
	return [...new Set([current, ...previous])];
}

async function currentPassword(
	{ passwordArgument, passwordFile }: PasswordSettings,
	warn: (text: string) => void,
): Promise<string> {
	if (passwordArgument !== undefined) {
		warn(
			'Warning: a password given as an argument can be seen by other users of this machine, and the shell keeps ' +
				'it in its history. --password-file, --password-stdin, the variable ' +
				`${PASSWORD_VARIABLE} and the prompt are safer (see --help).`,
		);
		return passwordArgument;
	}
	if (passwordFile !== undefined) return await passwordFromFile(passwordFile, warn);
	return process.env[PASSWORD_VARIABLE] || (await promptForPassword());
}

async function passwordFromFile(file: string, warn: (text: string) => void): Promise<string> {
	if (file === '-' && process.stdin.isTTY) return await promptForPassword();
	const where = file === '-' ? 'standard input' : `the password file ${printable(file)}`;
	const lines = linesOf(await readText(file, where, warn));
	const [password] = lines;
	if (!password) throw new UsageError(`There is no password in ${where}: it is empty.`);
	if (lines.length > 1) {
		throw new UsageError(
			`There are ${lines.length} lines in ${where}, and a password is one line. ` +
				'Previous passwords go into a file of their own: --previous-password-file.',
		);
	}
	return password;
}

async function previousPasswords(
	{ previousPasswordFile: file }: PasswordSettings,
	warn: (text: string) => void,
): Promise<string[]> {
	const fromEnvironment = linesOf(process.env[PREVIOUS_PASSWORDS_VARIABLE] ?? '');
	const fromFile =
		file === undefined
			? []
			: linesOf(await readText(file, `the password file ${printable(file)}`, warn));
	return [...fromFile, ...fromEnvironment].filter((password) => password !== '');
}

/** The lines without their line ends. The last line may lack its end; otherwise every character counts. */
function linesOf(text: string): string[] {
	const lines = text.split(/\r?\n/);
	if (lines.at(-1) === '') lines.pop();
	return lines;
}

async function readText(
	file: string,
	where: string,
	warn: (text: string) => void,
): Promise<string> {
	let bytes: Buffer;
	try {
		bytes = file === '-' ? await readStandardInput() : await readFile(file);
		if (file !== '-') await warnIfReadableByOthers(file, where, warn);
	} catch (error) {
		throw new UsageError(`Cannot read ${where}: ${asRefusal(error).message}.`);
	}
	try {
		// Drops the mark that some editors put in front of UTF-8 (BOM): it is not part of the password.
		return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
	} catch {
		throw new UsageError(`The text in ${where} is not UTF-8. Save it as UTF-8 and try again.`);
	}
}

async function readStandardInput(): Promise<Buffer> {
	const chunks: Buffer[] = [];
	for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks);
}

async function warnIfReadableByOthers(
	file: string,
	where: string,
	warn: (text: string) => void,
): Promise<void> {
	if (process.platform === 'win32') return;
	const stats = await stat(file);
	if (stats.isFile() && (stats.mode & 0o004) !== 0) {
		warn(
			`Warning: every user of this machine can read ${where}. To keep it to yourself: chmod 600.`,
		);
	}
}

/** Asks on the terminal without showing what is typed. The terminal is also found when files come and go through pipes. */
async function promptForPassword(): Promise<string> {
	const input = await terminalInput();
	if (!input) {
		throw new UsageError(
			'A password is needed, and there is no terminal to ask for it. Give it with --password-file, ' +
				`--password-stdin or the variable ${PASSWORD_VARIABLE}.`,
		);
	}
	const { read } = await import('read');
	const password = await new Promise<string>((resolve, reject) => {
		// `read` never settles at the end of the input (Ctrl-D): the process would just end.
		process.once('beforeExit', () => reject(new UsageError('No password was entered.')));
		read({
			prompt: 'Password of the recordings (not shown):',
			silent: true,
			input,
			output: standardError(),
			terminal: true,
		}).then(resolve, () => {
			// Ctrl-C: the terminal did not turn it into a signal, because it was read key by key.
			process.emit('SIGINT');
		});
	}).finally(() => {
		if (input !== process.stdin) input.destroy();
		standardError().write('\n');
	});
	if (password === '') throw new UsageError('No password was entered.');
	return password;
}

async function terminalInput(): Promise<NodeJS.ReadStream | undefined> {
	if (process.stdin.isTTY) return process.stdin;
	if (process.platform === 'win32') return undefined;
	// Loaded late, as everything is that most runs do not need: they start faster.
	const { ReadStream } = await import('node:tty');
	try {
		return new ReadStream(openSync('/dev/tty', 'r'));
	} catch {
		return undefined;
	}
}
