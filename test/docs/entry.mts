import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

import { stages } from '../../scripts/test/stages.mjs';
import { succeeds } from './copy.mts';
import { ROOT, type Command } from './pages.mts';

/** A command of the documentation, and what it must do. */
export interface Entry {
	/** Exactly as it stands in pages. */
	command: string;
	/** Where a reader of these pages runs it; without it, in any folder. */
	folder?: string;
	run(context: TestContext, entry: Entry): Promise<void> | void;
	/** Commands that need the program that this one starts. */
	guests?: Entry[];
}

export function shows(entry: Entry, { text, folder }: Pick<Command, 'text' | 'folder'>): boolean {
	return entry.command === text && (entry.folder ?? folder) === folder;
}

/** The tests of a package take minutes. `npm test` has them as a stage, and runs them by this command. */
export function stage(folder: string): Entry {
	return {
		command: 'npm test',
		folder,
		run: () => assert.ok(stages.some(({ name }) => name === folder)),
	};
}

/** Succeeds and prints these lines. A shorter command may run in its place. */
export function prints(
	command: string,
	lines: RegExp[],
	more: { folder?: string; instead?: string; env?: Record<string, string> } = {},
): Entry {
	const { folder = '.', instead = command, env } = more;
	return {
		command,
		folder,
		async run() {
			const { output } = await succeeds(instead, { cwd: folder, env });
			for (const line of lines) assert.match(output, line);
		},
	};
}

/** Not run here: `weekly.yml` does it each week. */
export function weekly(command: string, ...lines: RegExp[]): Entry {
	return {
		command,
		folder: '.',
		run() {
			const text = readFileSync(join(ROOT, '.github/workflows/weekly.yml'), 'utf8');
			for (const line of lines) assert.match(text, line);
		},
	};
}

export function title({ command, folder = '.' }: Entry): string {
	return folder === '.' ? oneLine(command) : `${folder}: ${oneLine(command)}`;
}

function oneLine(command: string): string {
	return command.replaceAll(/\s*\n\s*/g, ' ; ');
}
