/**
 * A database of n8n with its tables and its owner: to make them takes a third of a first start. The set-up runs this file
 * to make it.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { isOtherVersion } from './installation.mts';

const TEMPLATE = join(import.meta.dirname, '..', '..', '.cache', 'n8n-database');

/** Gives an n8n that has never run this database, unless it has another one or a key of its own. */
export async function copyEmptyDatabase(
	userFolder: string,
	env: Record<string, string>,
): Promise<void> {
	const folder = join(userFolder, '.n8n');
	const isOwn = 'DB_TYPE' in env || 'N8N_ENCRYPTION_KEY' in env || isOtherVersion;
	if (isOwn || existsSync(folder) || !existsSync(TEMPLATE)) return;
	await cp(TEMPLATE, folder, { recursive: true });
}

async function makeEmptyDatabase(): Promise<void> {
	// Here, because it imports this file.
	const { startN8n } = await import('./n8n.mts');
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-empty-'));
	await rm(TEMPLATE, { recursive: true, force: true });
	await (await startN8n({ userFolder })).stop();
	const files = await readdir(join(userFolder, '.n8n'));
	for (const name of files.filter((file) => /^config$|^database\.sqlite(?:-wal)?$/.test(file))) {
		await cp(join(userFolder, '.n8n', name), join(TEMPLATE, name));
	}
	await rm(userFolder, { recursive: true, force: true });
}

if (import.meta.main) void makeEmptyDatabase();
