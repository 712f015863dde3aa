import { isJsonObject } from './json';

/** More cannot be searched without keeping n8n from its other work. */
export const MAX_VALUES = 50_000;
/** Far more than any payload needs. Deeper nesting could overflow the stack of the code that serializes it. */
export const MAX_DEPTH = 64;

/** A value in a document, and where it is. */
export interface Field {
	value: unknown;
	/** The names that lead to it, with dots, without positions in lists. */
	path: string;
	/** Whether it is in an element of a list, so that there may be several. */
	isInList: boolean;
}

interface Place extends Field {
	/** The last name in the path. */
	name: string;
	depth: number;
}

/**
 * Finds the values with a name at any depth. The outermost come first.
 *
 * @param wanted the path that a user names, or what recognizes a name by its spelling and by the name of what is around it
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsNamed(
	document: unknown,
	wanted: string | ((name: string, around: string) => boolean),
): Field[] | undefined {
	const hits: Field[] = [];
	const places: Place[] = [{ value: document, path: '', name: '', isInList: false, depth: 0 }];
	// The loop also visits the places that are added meanwhile.
	for (const { value, path, name: around, isInList, depth } of places) {
		if (places.length > MAX_VALUES || depth > MAX_DEPTH) return undefined;
		if (Array.isArray(value)) {
			if (value.length > MAX_VALUES) return undefined;
			for (const element of value as unknown[]) {
				places.push({ value: element, path, name: around, isInList: true, depth: depth + 1 });
			}
		} else if (isJsonObject(value)) {
			for (const name of Object.keys(value)) {
				const field = {
					value: value[name],
					path: path === '' ? name : `${path}.${name}`,
					isInList,
				};
				const isWanted = typeof wanted === 'string' ? field.path === wanted : wanted(name, around);
				if (isWanted) hits.push(field);
				// Of a path that is named, what does not lead to it may be of any size.
				const leads = typeof wanted !== 'string' || wanted.startsWith(`${field.path}.`);
				if (leads) places.push({ ...field, name, depth: depth + 1 });
			}
		}
	}
	return hits;
}
