import { parseArgs } from 'node:util';

/**
 * The options of a command. With others, it ends with 2 and says which it takes.
 *
 * @template {import('node:util').ParseArgsConfig} T
 * @param {T} config
 * @returns {ReturnType<typeof parseArgs<T>>}
 */
export function readOptions(config) {
	try {
		return parseArgs(config);
	} catch (error) {
		if (!(error instanceof TypeError)) throw error;
		const names = Object.keys(config.options ?? {}).map((name) => `--${name}`);
		console.error(`${error.message}\nThe options are ${names.join(', ')}.`);
		process.exit(2);
	}
}
