/** A temporary folder for everything that the commands of the documentation need. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const TEMPORARY = mkdtempSync(join(tmpdir(), 'voiceagent-docs-'));
process.on('exit', () => rmSync(TEMPORARY, { recursive: true, force: true, maxRetries: 3 }));

/** A new folder with these files. */
export function folderWith(files: Record<string, string | Buffer>): string {
	const folder = join(mkdtempSync(join(TEMPORARY, 'folder-')), 'here');
	mkdirSync(folder);
	for (const [name, content] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content, { mode: 0o600 });
	}
	return folder;
}

/** A folder with a program that stands in for one that is not on every machine. */
export function standIn(name: string, script: string): string {
	const folder = join(TEMPORARY, 'stand-ins');
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return folder;
}
