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

/** What recognizes a field: the path that a user names, or its name and that of what is around it. */
type Wanted = string | ((name: string, around: string) => boolean);

/**
 * Finds the values with a name at any depth. The outermost come first.
 *
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsNamed(document: unknown, wanted: Wanted): Field[] | undefined {
	const { hits, isComplete } = searchFields(document, wanted);
	return isComplete ? hits : undefined;
}

/**
 * Finds the values with a name, the outermost first, as far as the document is not too large.
 *
 * @returns whether all of it was searched, too
 */
export function searchFields(
	document: unknown,
	wanted: Wanted,
): { hits: Field[]; isComplete: boolean } {
	const hits: Field[] = [];
	const places = [wholeOf(document)];
	let isComplete = true;
	/** What does not fit is left out, so that what stands beside it is still searched. */
	const searchToo = (inner: Field[]) => {
		const fits = places.length + inner.length <= MAX_VALUES;
		if (!fits) isComplete = false;
		for (const field of fits ? inner : []) places.push(field);
	};
	// The loop also visits the places that are added meanwhile.
	for (const place of places) {
		const { value, depth } = place;
		if (depth > MAX_DEPTH) return { hits, isComplete: false };
		if (Array.isArray(value)) {
			const inner = { ...place, isInList: true, depth: depth + 1 };
			if (value.length > MAX_VALUES) isComplete = false;
			else searchToo(value.map((element: unknown) => ({ ...inner, value: element })));
		} else if (isJsonObject(value)) {
			const fields = fieldsOf(value, place);
			for (const field of fields) {
				if (isWanted(field, wanted)) hits.push(field);
			}
			// Of a path that is named, what does not lead to it may be of any size.
			searchToo(fields.filter((field) => mayHold(field, wanted)));
		}
	}
	return { hits, isComplete };
}

function isWanted({ name, around, path }: Field, wanted: Wanted): boolean {
	return typeof wanted === 'string' ? path === wanted : wanted(name, around);
}

function mayHold({ path }: Field, wanted: Wanted): boolean {
	return typeof wanted !== 'string' || wanted.startsWith(`${path}.`);
}
