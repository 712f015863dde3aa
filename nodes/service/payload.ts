/** Reading payloads and records whose shape the service specification does not show. */

export type JsonObject = Record<string, unknown>;

export function isJsonObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A name in lower case without separators: `sessionguid` for `SessionGuid` and `session_guid`. */
export function plainName(name: string): string {
	return name.replace(/[-_ ]/g, '').toLowerCase();
}

/**
 * The values of all fields that a caller recognizes by name: those at the top, or else those one level down.
 *
 * @param isWanted gets the {@link plainName}
 */
export function valuesNamed(payload: JsonObject, isWanted: (name: string) => boolean): unknown[] {
	const wanted = (record: JsonObject) =>
		Object.entries(record)
			.filter(([name]) => isWanted(plainName(name)))
			.map(([, value]) => value);
	const top = wanted(payload);
	return top.length > 0 ? top : Object.values(payload).filter(isJsonObject).flatMap(wanted);
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
