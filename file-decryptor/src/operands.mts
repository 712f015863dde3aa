import { existsSync, statSync } from 'node:fs';
import { PASSWORD_VARIABLE } from './environment.mts';
import { looksLikeRecording, mayBePattern } from './inputs.mts';
import { hyphenHint } from './optionForms.mts';
import { UsageError } from './refusal.mts';

export interface Operands {
	files: string[];
	passwordArgument?: string;
	extensionArgument?: string;
}

/**
 * Decides whether the arguments have the form that the service specifies (file, password,
 * extension) or are a list of files. The messages repeat no argument, since any of them may be the
 * password.
 *
 * @param passwordIsGiven whether an option gives the password
 * @param isOptionBetween whether an option stands between the first two operands. In the form that
 * the service specifies, this option may be a password such as `-f`.
 * @throws UsageError
 */
export function splitOperands(
	operands: readonly string[],
	passwordIsGiven: boolean,
	isOptionBetween: boolean,
): Operands {
	const [first, second, third] = operands;
	if (first === undefined) throw new UsageError('No file is given. See FileDecryptor --help.');
	if (passwordIsGiven || second === undefined || areAllFiles(operands)) {
		return { files: [...operands] };
	}
	if (operands.length > 3) {
		throw new UsageError(
			'There are more than three arguments, and not all of them end in .enc. ' +
				'To open several files, give the password with --password-file, --password-stdin, ' +
				`${PASSWORD_VARIABLE} or at the prompt, and the extension with --extension.`,
		);
	}
	if (first !== '-' && !mayBePattern(first) && !existsSync(first) && isFile(second)) {
		throw new UsageError(
			'The first argument is the file and the second one the password: they seem to be swapped.',
		);
	}
	if (looksLikeRecording(second) && isFile(second)) {
		throw new UsageError(
			'The second argument is the password, but it is the name of a file. ' +
				'To open several files, give the password in another way (see --help) ' +
				'and the extension with --extension.',
		);
	}
	if (isOptionBetween) {
		throw new UsageError(
			'There is an option between the file and the password. ' +
				`Options go before the file or after the password. ${hyphenHint}`,
		);
	}
	return {
		files: [first],
		passwordArgument: second,
		...(third !== undefined && { extensionArgument: third }),
	};
}

/**
 * Whether this is `a.enc b.enc c.enc`, which the shell makes of `*.enc`. Of only two arguments, the
 * second one may be a password that ends in .enc.
 */
function areAllFiles(operands: readonly string[]): boolean {
	const others = operands.slice(1);
	if (!others.every(looksLikeRecording)) return false;
	return others.length > 1 || others.every((other) => existsSync(other) || mayBePattern(other));
}

function isFile(path: string): boolean {
	return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
