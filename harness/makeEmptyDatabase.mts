/** Makes the database that each n8n of the harness begins with: the set-up runs this file. */
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { TEMPLATE } from './n8n/emptyDatabase.mts';
import { startN8n } from './n8n/n8n.mts';

const userFolder = await mkdtemp(join(tmpdir(), 'n8n-empty-'));
await rm(TEMPLATE, { recursive: true, force: true });
await (await startN8n({ userFolder })).stop();
const files = await readdir(join(userFolder, '.n8n'));
for (const name of files.filter((file) => /^config$|^database\.sqlite(?:-wal)?$/.test(file))) {
	await cp(join(userFolder, '.n8n', name), join(TEMPLATE, name));
}
await rm(userFolder, { recursive: true, force: true });
