/** A database with n8n's tables and an owner. To make them takes a third of a first start. */
import { existsSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import { isOtherVersion } from './installation.mts';

/** The set-up fills it, by `harness/makeEmptyDatabase.mts`. */
export const TEMPLATE = join(import.meta.dirname, '..', '..', '.cache', 'n8n-database');

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
