/** Reading payloads and records whose shape the service specification does not show. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value that is a boolean, or the word for one. */
export function booleanIn(value: unknown): boolean | undefined {
	if (typeof value === 'boolean') return value;
	const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
	return word === 'true' || word === 'false' ? word === 'true' : undefined;
}

/** A name in lower case without separators: `sessionguid` for `SessionGuid` and `session_guid`. */
export function plainName(name: string): string {
	return name.replace(/[-_ ]/g, '').toLowerCase();
}

/** More cannot be searched in one go without keeping n8n from its other work. */
export const MAX_VALUES = 50_000;
/** Far more than any payload needs. Deeper nesting could overflow the stack of the code that serializes it. */
export const MAX_DEPTH = 64;
/** How much JSON inside texts is parsed, in characters. */
const MAX_INNER_JSON = 256 * 1024;

/** An object or list in a payload, and where it is. */
export interface Place {
	readonly value: JsonObject | unknown[];
	/** Of its field. Elements of a list have the name of the list. */
	name: string;
	/** Whether its name is one that is looked for. */
	isNamed: boolean;
	parent: Place | undefined;
	depth: number;
}

/** A value that was found. */
export interface Hit {
	value: unknown;
	/** Whether it has the name itself, and not just the object or list around it. */
	isNamed: boolean;
	inside: Place;
}

/**
 * Finds the values with a name at any depth, also in texts that hold JSON: `{ name: value }`, `{ name: { any: value } }`,
 * `{ key: 'name', value }`. The outermost come first.
 *
 * @param isWanted gets the name of a field as it is spelled, and the name of what is around it
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsNamed(
	payload: unknown,
	isWanted: (name: string, around: string) => boolean,
): Hit[] | undefined {
	const open = jsonOpener();
	const hits: Hit[] = [];
	const places: Place[] = [];
	const visit = (given: unknown, name: string, isNamed: boolean, parent?: Place) => {
		const value = open(given);
		const isPlace = isContainer(value) && name !== '__proto__';
		if (isPlace) places.push({ value, name, isNamed, parent, depth: (parent?.depth ?? 0) + 1 });
		if (parent && (isNamed || (parent.isNamed && !isPlace))) {
			hits.push({ value, isNamed, inside: parent });
		}
	};
	visit(payload, '', false);
	let visited = 0;
	// The loop also visits the places that are added meanwhile.
	for (const place of places) {
		const isList = Array.isArray(place.value);
		if (isList && place.value.length > MAX_VALUES) return undefined;
		const entries = Object.entries(place.value);
		visited += entries.length;
		if (visited > MAX_VALUES || place.depth > MAX_DEPTH) return undefined;
		for (const [index, [key, value]] of entries.entries()) {
			const beside: unknown = entries.length === 2 ? entries[1 - index]?.[1] : undefined;
			const isNamed =
				(!isList && isWanted(key, place.name)) ||
				(typeof beside === 'string' && isWanted(beside, ''));
			visit(value, isList ? place.name : key, isNamed, place);
		}
	}
	return hits;
}

/**
 * The values of the field that a user names: {@link valueAt}, also within lists and texts that hold JSON.
 * @returns `undefined` if there are too many values, or if they are nested too deep
 */
export function fieldsAt(payload: unknown, path: string): Hit[] | undefined {
	const open = jsonOpener();
	const hits: Hit[] = [];
	let visited = 0;
	const follow = (given: unknown, rest: string, parent?: Place): boolean => {
		const value = open(given);
		if (!isContainer(value)) return true;
		const place = { value, name: '', isNamed: false, parent, depth: (parent?.depth ?? 0) + 1 };
		visited += 1;
		if (visited > MAX_VALUES || place.depth > MAX_DEPTH) return false;
		if (Array.isArray(value)) return value.every((element) => follow(element, rest, place));
		if (Object.hasOwn(value, rest)) {
			hits.push({ value: value[rest], isNamed: true, inside: place });
			return true;
		}
		const [first = '', ...more] = rest.split('.');
		return !Object.hasOwn(value, first) || follow(value[first], more.join('.'), place);
	};
	return follow(payload, path) ? hits : undefined;
}

function isContainer(value: unknown): value is JsonObject | unknown[] {
	return typeof value === 'object' && value !== null;
}

/** Reads texts that hold a JSON object or list. Other values, and texts beyond a limit, stay as they are. */
function jsonOpener(): (value: unknown) => unknown {
	let budget = MAX_INNER_JSON;
	return (value) => {
		if (typeof value !== 'string' || value.length > budget || !/^\s*[{[]/.test(value)) return value;
		budget -= value.length;
		try {
			return JSON.parse(value) as unknown;
		} catch {
			return value;
		}
	};
}

/** Where a value was found: a path with dots, without positions in lists. */
export function pathOf({ value, inside }: Hit): string {
	const [key = ''] = Object.entries(inside.value).find(([, one]) => one === value) ?? [];
	const names = Array.isArray(inside.value) ? [] : [key];
	for (let place = inside; place.parent; place = place.parent) {
		if (!Array.isArray(place.parent.value)) names.unshift(place.name);
	}
	return names.join('.');
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
