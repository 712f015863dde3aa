import type { JsonObject } from './json';
import { plainName } from './json';

const PASSWORD = plainName('recordCallPassword');

/**
 * Hides the password of recordings in what the service has sent: it may repeat its instructions, and the password must not
 * be stored beside the recording.
 */
export function hidePasswords(document: unknown): void {
	let level = [document];
	while (level.length > 0) {
		const objects = level.filter((value) => typeof value === 'object' && value !== null);
		for (const object of objects as JsonObject[]) hideIn(object);
		level = objects.flatMap((value) => Object.values(value as object) as unknown[]);
	}
}

/** As a field, as the value beside its name, and in a text such as JSON. */
function hideIn(object: JsonObject): void {
	const holds = (value: unknown) =>
		typeof value === 'string' && /pass/i.test(value) && plainName(value).includes(PASSWORD);
	const isNamed = Object.values(object).some((value) => holds(value) && isName(value));
	for (const [name, value] of Object.entries(object)) {
		const isHidden = holds(name) || holds(value) || (isNamed && typeof value === 'string');
		if (isHidden && value !== null) object[name] = '[redacted]';
	}
}

function isName(value: unknown): boolean {
	return plainName(value as string) === PASSWORD;
}
