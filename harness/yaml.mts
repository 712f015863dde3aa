/** YAML, by the parser that n8n brings along. */
import { createRequire } from 'node:module';
import { join } from 'node:path';

const n8n = join(import.meta.dirname, 'runtime/node_modules/n8n/package.json');
const { parse } = createRequire(n8n)('yaml') as {
	parse: (text: string, options: { merge: boolean }) => unknown;
};

/** With merge keys (`<<`). @throws {Error} that names the line, if it is not YAML */
export const parseYaml = (text: string): unknown => parse(text, { merge: true });
