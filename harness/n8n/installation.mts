/** The n8n that is driven: that of the set-up, or another version of `npm run test:compat`. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { COMPAT_N8N, COMPAT_NODE } = process.env;

const RUNTIME = join(import.meta.dirname, '..', 'runtime');

export const isOtherVersion = COMPAT_N8N !== undefined;

/** The folder into which n8n is installed. */
export const installation = COMPAT_N8N ?? RUNTIME;

export const n8nCommand = join(installation, 'node_modules', 'n8n', 'bin', 'n8n');

/** The Node that runs this file fits the n8n of the set-up. Another n8n may need another one. */
export const nodeOfN8n = COMPAT_NODE ?? process.execPath;

/** Loads a package that the n8n of the set-up brings along, or a file of n8n. */
export const fromN8n = createRequire(join(RUNTIME, 'node_modules', 'n8n', 'package.json'));
