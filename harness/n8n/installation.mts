/** The n8n that is driven: that of the set-up, or another version that `npm run test:compat` has installed aside. */
import { join } from 'node:path';

const { COMPAT_N8N, COMPAT_NODE } = process.env;

export const isOtherVersion = COMPAT_N8N !== undefined;

/** The folder into which n8n is installed. */
export const installation = COMPAT_N8N ?? join(import.meta.dirname, '..', 'runtime');

export const n8nCommand = join(installation, 'node_modules', 'n8n', 'bin', 'n8n');

/** The Node that runs this file is the Node 24 that n8n needs. Other versions of n8n may have another one. */
export const nodeOfN8n = COMPAT_NODE ?? process.execPath;
