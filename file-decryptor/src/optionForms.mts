import { parseArgs } from 'node:util';
import type { Option } from 'commander';
import { UsageError } from './refusal.mts';

export const hyphenHint =
	'A file name or password that starts with a hyphen goes after --, for example: ' +
	'FileDecryptor -- call.enc -password wav';

/**
 * Refuses what commander would accept although it may be a password that starts with a hyphen:
 * `-pS3cret` would be the file S3cret, and `-d -S3cret` a folder. The messages repeat no argument.
 *
 * @returns whether an option stands between the first two arguments that are not options
 * @throws UsageError
 */
export function checkOptionForms(argv: readonly string[], options: readonly Option[]): boolean {
	const { tokens } = parseArgs({
		args: [...argv],
		options: Object.fromEntries(options.map(forParseArgs)),
		allowPositionals: true,
		strict: false,
		tokens: true,
	});
	for (const token of tokens) {
		if (token.kind !== 'option' || token.value === undefined) continue;
		const isShort = !token.rawName.startsWith('--');
		// A single hyphen is standard input or output.
		if (isShort && token.inlineValue && token.value !== '-') {
			throw new UsageError(
				'The value of a short option must not be attached to it: write a space between them. ' +
					hyphenHint,
			);
		}
		if (!token.inlineValue && token.value.startsWith('-') && token.value !== '-') {
			throw new UsageError(
				'An option is followed by a value that starts with a hyphen. ' +
					`Write a file or folder with such a name as ./-name. ${hyphenHint}`,
			);
		}
	}
	const [first, second] = tokens.filter(({ kind }) => kind === 'positional');
	if (first === undefined || second === undefined) return false;
	return tokens.some(
		({ kind, index }) => kind === 'option' && index > first.index && index < second.index,
	);
}

/** What `parseArgs` needs to know about an option. */
function forParseArgs({ long, short, required }: Option) {
	const name = long?.replace(/^--/, '') ?? '';
	const config: { type: 'string' | 'boolean'; short?: string } = {
		type: required ? 'string' : 'boolean',
	};
	if (short) config.short = short.replace(/^-/, '');
	return [name, config] as const;
}
