import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import { succeeds } from './copy.mts';
import type { Command } from './pages.mts';

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

/** A command that succeeds and prints these lines. */
export function prints(
	command: string,
	lines: RegExp[],
	{ folder = '.', env }: { folder?: string; env?: Record<string, string> } = {},
): Entry {
	return {
		command,
		folder,
		async run() {
			const { output } = await succeeds(command, { cwd: folder, env });
			for (const line of lines) assert.match(output, line);
		},
	};
}

export function title({ command, folder = '.' }: Entry): string {
	return folder === '.' ? oneLine(command) : `${folder}: ${oneLine(command)}`;
}

function oneLine(command: string): string {
	return command.replaceAll(/\s*\n\s*/g, ' ; ');
}
