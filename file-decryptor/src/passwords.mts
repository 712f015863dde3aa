import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { PASSWORD_VARIABLE, PREVIOUS_PASSWORDS_VARIABLE } from './environment.mts';
import { promptForPassword } from './prompt.mts';
import { asRefusal, UsageError } from './refusal.mts';
import type { Settings } from './settings.mts';
import { printable } from './text.mts';

type PasswordSettings = Pick<
	Settings,
	'passwordArgument' | 'passwordFile' | 'previousPasswordFile'
>;

/**
 * Collects the passwords: the current one first, then the previous ones, each once. They are
 * neither trimmed nor normalized.
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
			'Warning: a password given as an argument can be seen by other users of this machine, ' +
				'and the shell keeps it in its history. --password-file, --password-stdin, ' +
				`the variable ${PASSWORD_VARIABLE} and the prompt are safer (see --help).`,
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

/** The lines without their ends. The last line may have none. Every other character counts. */
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
		const { message } = asRefusal(error);
		if (existsSync(file)) throw new UsageError(`Cannot read ${where}: ${message}.`);
		throw new UsageError(
			`Cannot read the password file (not shown: it may be a password): ${message}. ` +
				'The option takes the name of a file with the password in it, not the password itself.',
		);
	}
	try {
		// This drops the byte order mark that some editors write. It is not part of the password.
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
