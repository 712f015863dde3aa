import { isJsonObject } from './json';

/** More cannot be searched without keeping n8n from its other work. */
export const MAX_VALUES = 50_000;
/**
 * Far more than any payload needs. Deeper nesting could overflow the stack of the code that
 * serializes it.
 */
export const MAX_DEPTH = 64;

/** In an answer, larger objects are content, such as values by identifier, and deeper ones too. */
const MAX_FIELDS = 1_000;
const MAX_FIELD_DEPTH = 8;

/** A value in a document, and where it is. */
export interface Field {
	/** Empty for the whole document. */
	name: string;
	/** The name of the object around it. */
	around: string;
	/** The names that lead to it, with dots, without positions in lists. */
	path: string;
	depth: number;
	/** Whether it is in an element of a list, so that there may be several. */
	isInList: boolean;
	value: unknown;
}

function wholeOf(document: unknown): Field {
	return { name: '', around: '', path: '', depth: 0, isInList: false, value: document };
}

function fieldsOf(object: object, { name: around, path, depth, isInList }: Field): Field[] {
	return Object.entries(object).map(([name, value]: [string, unknown]) => {
		const inner = path === '' ? name : `${path}.${name}`;
		return { name, around, path: inner, depth: depth + 1, isInList, value };
	});
}

/**
 * The document itself and what is in its objects, the outermost first. What is in a list is
 * content, and left out.
 */
export function fieldsIn(document: unknown): Field[] {
	const fields = [wholeOf(document)];
	// The loop also visits the fields that are added meanwhile.
	for (const field of fields) {
		if (!isJsonObject(field.value) || field.depth >= MAX_FIELD_DEPTH) continue;
		const inner = fieldsOf(field.value, field);
		if (inner.length <= MAX_FIELDS) fields.push(...inner);
	}
	return fields;
}

/**
 * Finds the values with a name at any depth. The outermost come first.
 *
 * @param wanted the path that a user names, or what recognizes a name by its spelling and by the
 * name of what is around it
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsNamed(
	document: unknown,
	wanted: string | ((name: string, around: string) => boolean),
): Field[] | undefined {
	const hits: Field[] = [];
	const places = [wholeOf(document)];
	for (const place of places) {
		const { value, depth } = place;
		if (places.length > MAX_VALUES || depth > MAX_DEPTH) return undefined;
		if (Array.isArray(value)) {
			if (value.length > MAX_VALUES) return undefined;
			for (const element of value as unknown[]) {
				places.push({ ...place, value: element, isInList: true, depth: depth + 1 });
			}
		} else if (isJsonObject(value)) {
			for (const field of fieldsOf(value, place)) {
				const { name, around, path } = field;
				if (typeof wanted === 'string' ? path === wanted : wanted(name, around)) hits.push(field);
				// Of a path that is named, what does not lead to it may be of any size.
				if (typeof wanted !== 'string' || wanted.startsWith(`${path}.`)) places.push(field);
			}
		}
	}
	return hits;
}
