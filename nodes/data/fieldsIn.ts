import { isJsonObject } from './json';

/** A value in an answer. */
export interface Field {
	name: string;
	/** The name of the object around it. */
	around: string;
	/** Where it is, with dots; empty for the whole answer. */
	path: string;
	depth: number;
	value: unknown;
}

/** Larger objects are content, such as values by identifier, and deeper ones too. */
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 8;

/** The answer itself and what is in its objects, the outermost first. What is in a list is content. */
export function fieldsIn(document: unknown): Field[] {
	const fields: Field[] = [{ name: '', around: '', path: '', depth: 0, value: document }];
	// The loop also visits the fields that are added meanwhile.
	for (const { name: around, path, depth, value: object } of fields) {
		if (!isJsonObject(object) || depth >= MAX_DEPTH) continue;
		const names = Object.keys(object);
		if (names.length > MAX_FIELDS) continue;
		for (const name of names) {
			const inner = path === '' ? name : `${path}.${name}`;
			fields.push({ name, around, path: inner, depth: depth + 1, value: object[name] });
		}
	}
	return fields;
}
