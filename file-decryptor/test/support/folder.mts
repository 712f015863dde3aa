import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

/** A new folder, deleted after the test, group or file that asks for it. */
export function temporaryFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'file-decryptor-test-'));
	after(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export function write(folder: string, name: string, content: string | Uint8Array): string {
	const path = join(folder, name);
	writeFileSync(path, content, { mode: 0o600 });
	return path;
}
