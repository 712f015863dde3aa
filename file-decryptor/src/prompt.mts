import { openSync } from 'node:fs';
import { PASSWORD_VARIABLE } from './environment.mts';
import { hyphenHint } from './optionForms.mts';
import { UsageError } from './refusal.mts';
import { standardError } from './streams.mts';

/**
 * Asks on the terminal without showing what is typed. It finds the terminal even if standard input
 * and output are pipes.
 *
 * @throws UsageError if there is no terminal or nothing was entered
 */
export async function promptForPassword(): Promise<string> {
	const input = await terminalInput();
	if (!input) {
		throw new UsageError(
			'A password is needed, and there is no terminal to ask for it. ' +
				'Give it with --password-file, --password-stdin or the variable ' +
				`${PASSWORD_VARIABLE}. ${hyphenHint}`,
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
			// Ctrl-C: the terminal was read key by key, so it did not turn this into a signal.
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
	// Loaded only when needed, so that all other runs start faster.
	const { ReadStream } = await import('node:tty');
	try {
		return new ReadStream(openSync('/dev/tty', 'r'));
	} catch {
		return undefined;
	}
}
