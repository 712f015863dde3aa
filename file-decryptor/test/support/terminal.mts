import { spawnSync } from 'node:child_process';
import { program, startCommand, testedNode } from './program.mts';

// util-linux: gives a program a terminal of its own.
const hasScript =
	process.platform === 'linux' &&
	/util-linux/.test(spawnSync('script', ['--version']).stdout?.toString());
/** The reason to skip tests that need a terminal, if there is one. */
export const skip = !hasScript && 'needs script of util-linux';

interface Dialogue {
	folder: string;
	/** What is typed once `waitFor` is shown. */
	typed?: string;
	waitFor?: RegExp;
	env?: Record<string, string>;
}

/** Runs a shell command in a terminal; `@` stands for the program. */
export async function inTerminal(
	command: string,
	{ folder, typed, waitFor = /not shown\):/, env }: Dialogue,
): Promise<{ code: number | null; shown: string }> {
	const line = command.replaceAll('@', `'${testedNode}' '${program}'`);
	const { child, ended } = startCommand('script', ['-qec', line, '/dev/null'], {
		cwd: folder,
		env: { TERM: 'xterm', ...env },
	});
	let shown = '';
	let isTyped = typed === undefined;
	child.stdout?.on('data', (chunk: Buffer) => {
		shown += chunk.toString();
		if (isTyped || !waitFor.test(shown)) return;
		isTyped = true;
		// The program turns the echo off right after it has asked.
		setTimeout(() => child.stdin?.write(typed ?? ''), 200);
	});
	const { code } = await ended;
	child.stdin?.destroy();
	return { code, shown };
}
