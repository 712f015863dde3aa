import type { Option } from 'commander';
import { UsageError } from './refusal.mts';

export const hyphenHint =
	'A file name or password that starts with a hyphen goes after --, for example: ' +
	'FileDecryptor -- call.enc -password wav';

/**
 * Refuses what commander would accept although it may be a password that starts with a hyphen: `-pS3cret` would be the
 * file S3cret, and `-d -S3cret` a folder. The messages repeat no argument.
 *
 * @returns whether an option stands between the first two arguments that are not options
 * @throws UsageError
 */
export function checkOptionForms(argv: readonly string[], options: readonly Option[]): boolean {
	let operands = 0;
	let isOptionBetween = false;
	const rest = [...argv];
	for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
		if (argument === '--') break;
		if (!startsWithHyphen(argument)) {
			operands += 1;
			continue;
		}
		if (operands === 1) isOptionBetween = true;
		if (!takesNextArgument(argument, options)) continue;
		if (startsWithHyphen(rest.shift() ?? '')) {
			throw new UsageError(
				'An option is followed by a value that starts with a hyphen. Write a file or folder with such a name as ' +
					`./-name. ${hyphenHint}`,
			);
		}
	}
	// After --, or after the last option, there are only operands.
	return isOptionBetween;
}

/** A single hyphen is standard input or output. */
function startsWithHyphen(argument: string): boolean {
	return argument.startsWith('-') && argument !== '-';
}

/** @throws UsageError if the value is attached to a short option; `-p-` is allowed */
function takesNextArgument(argument: string, options: readonly Option[]): boolean {
	if (argument.startsWith('--')) {
		return options.some(({ long, required }) => required && long === argument);
	}
	for (const [index, letter] of [...argument].entries()) {
		if (!options.some(({ short, required }) => required && short === `-${letter}`)) continue;
		const attached = [...argument].slice(index + 1).join('');
		if (attached !== '' && attached !== '-') {
			throw new UsageError(
				`The value of a short option must not be attached to it: write a space between them. ${hyphenHint}`,
			);
		}
		return attached === '';
	}
	return false;
}
