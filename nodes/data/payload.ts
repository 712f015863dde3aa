/** Reading payloads and records whose shape the service specification does not show. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The JSON of an item that an expression has named. In a workflow with the binary mode 'combined', n8n puts the JSON in
 * the place of the item.
 */
export function jsonOfItem(item: unknown): unknown {
	return isJsonObject(item) && isJsonObject(item.json) ? item.json : item;
}

/** A value that is a boolean, or the word for one. */
export function booleanIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
	return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** Objects with so many fields that listing their names takes long. */
const large = new WeakSet<object>();

export function markAsLarge(object: object): void {
	large.add(object);
}

/** Lists that were JSON lines, the first or last of which may be about the list. */
const lines = new WeakSet<object>();

export function markAsLines<T>(list: T[]): T[] {
	lines.add(list);
	return list;
}

export function areLines(value: unknown): value is unknown[] {
	return Array.isArray(value) && lines.has(value);
}

/** The names in an object if they are few: for what says something beside the content. */
export function fewNamesIn(object: object): string[] {
	const names = large.has(object) ? [] : Object.keys(object);
	return names.length > MAX_FEW ? [] : names;
}

/** A name in lower case without separators: `sessionguid` for `SessionGuid` and `session_guid`. */
export function plainName(name: string): string {
	return name.replace(/[-_ ]/g, '').toLowerCase();
}

/** More fields than that are content, such as a list by identifier. */
export const MAX_FEW = 1_000;
/** More cannot be searched without keeping n8n from its other work. */
export const MAX_VALUES = 50_000;
/** Far more than any payload needs. Deeper nesting could overflow the stack of the code that serializes it. */
export const MAX_DEPTH = 64;
/** How much JSON inside texts is parsed, in characters. */
const MAX_INNER_JSON = 256 * 1024;

/** A value in a payload, and where it is. */
export interface Field {
	/** Parsed if it is a text that holds JSON. */
	readonly value: unknown;
	/** Elements of a list have the name of the list. */
	readonly name: string;
	readonly isElement: boolean;
	/** The names that lead to it, with dots, without positions in lists. */
	readonly path: string;
	readonly parent?: Field;
	readonly depth: number;
	/** The other value of a pair. */
	readonly beside?: unknown;
	/** Set by {@link fieldsNamed}: it has the name itself, and not just the object or list around it. */
	isNamed?: boolean;
	/** Set by who reads the fields: what is in it is left out. */
	isClosed?: boolean;
}

/** All fields of a document at any depth, the outermost first, also those in texts that hold JSON. */
export function* fieldsIn(document: unknown): Generator<Field> {
	const open = jsonOpener();
	const root: Field = { value: open(document), name: '', isElement: false, path: '', depth: 0 };
	yield root;
	const places = [root];
	// The loop also visits the places that are added meanwhile.
	for (const parent of places) {
		if (parent.isClosed || !isContainer(parent.value)) continue;
		const values = parent.value as JsonObject;
		// Not the entries: to make them takes several times as long.
		const keys = Array.isArray(values) ? undefined : Object.keys(values);
		const { length } = keys ?? (parent.value as unknown[]);
		for (let index = 0; index < length; index++) {
			const key = keys?.[index];
			if (key === '__proto__') continue;
			const field: Field = {
				value: open(values[key ?? index]),
				name: key ?? parent.name,
				isElement: key === undefined,
				path:
					key === undefined || parent.path === '' ? (key ?? parent.path) : `${parent.path}.${key}`,
				parent,
				depth: parent.depth + 1,
				beside: length === 2 ? values[keys?.[1 - index] ?? 1 - index] : undefined,
			};
			yield field;
			if (isContainer(field.value)) places.push(field);
		}
	}
}

/** A field after all that is around it, the outermost first. */
export function lineage(field: Field): Field[] {
	const places: Field[] = [];
	for (let place: Field | undefined = field; place; place = place.parent) places.unshift(place);
	return places;
}

/** Whether a field is the one with this path, or around it. */
export function leadsTo({ path }: Field, wanted: string): boolean {
	return path === '' || path === wanted || wanted.startsWith(`${path}.`);
}

/**
 * Finds the values with a name at any depth: `{ name: value }`, `{ name: { any: value } }`, `{ key: 'name', value }`.
 * The outermost come first.
 *
 * @param wanted the path that a user names, or what recognizes a name by its spelling and by the name of what is around it
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsNamed(
	payload: unknown,
	wanted: string | ((name: string, around: string) => boolean),
): Field[] | undefined {
	const hits: Field[] = [];
	let visited = 0;
	for (const field of fieldsIn(payload)) {
		const { value, name, isElement, path, parent, beside } = field;
		if (typeof wanted === 'string') {
			field.isNamed = path === wanted && !isElement;
			field.isClosed = !leadsTo(field, wanted);
		} else {
			field.isNamed =
				(!isElement && wanted(name, parent?.name ?? '')) ||
				(typeof beside === 'string' && wanted(beside, ''));
		}
		const isTooLong = Array.isArray(value) && value.length > MAX_VALUES && !field.isClosed;
		if (isTooLong || visited++ > MAX_VALUES || field.depth > MAX_DEPTH) return undefined;
		if (field.isNamed || (parent?.isNamed && !isContainer(value))) hits.push(field);
	}
	return hits;
}

export function isContainer(value: unknown): value is JsonObject | unknown[] {
	return typeof value === 'object' && value !== null;
}

/** Reads texts that hold a JSON object or list. Other values, and texts beyond a limit, stay as they are. */
export function jsonOpener(): (value: unknown) => unknown {
	let budget = MAX_INNER_JSON;
	return (value) => {
		if (typeof value !== 'string' || value.length > budget || !/^\s{0,99}[{[]/.test(value))
			return value;
		budget -= value.length;
		try {
			return JSON.parse(value) as unknown;
		} catch {
			return value;
		}
	};
}

/** The value of the field that a user names. Dots lead into nested objects, unless a field has this exact name. */
export function valueAt(payload: JsonObject, path: string): unknown {
	if (Object.hasOwn(payload, path)) return payload[path];
	return path
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined,
			payload,
		);
}
