/** YAML, by the parser that n8n brings along. */
import { fromN8n } from './n8n/installation.mts';

const { parse } = fromN8n('yaml') as {
	parse: (text: string, options: { merge: boolean }) => unknown;
};

/** With merge keys (`<<`). @throws {Error} that names the line, if it is not YAML */
export const parseYaml = (text: string): unknown => parse(text, { merge: true });
