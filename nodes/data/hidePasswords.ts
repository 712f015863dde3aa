import { type JsonObject, plainName } from './json';

const PASSWORD = plainName('recordCallPassword');

/**
 * Hides the password of recordings in what the service has sent: it may repeat its instructions, and the password must not
 * be stored with the recording.
 */
export function hidePasswords(document: unknown): void {
	let level = [document];
	while (level.length > 0) {
		const objects = level.filter((value) => typeof value === 'object' && value !== null);
		for (const object of objects as JsonObject[]) hideIn(object);
		level = objects.flatMap((value) => Object.values(value as object) as unknown[]);
	}
}

/** As a field, as the value next to its name, and in a text such as JSON. */
function hideIn(object: JsonObject): void {
	// The first look is quicker, for the many texts of a long list.
	const plain = (one: unknown) =>
		typeof one === 'string' && /pass/i.test(one) ? plainName(one) : '';
	const isNamed = Object.values(object).some((value) => plain(value) === PASSWORD);
	for (const [name, value] of Object.entries(object)) {
		const isHidden = [name, value].some((one) => plain(one).includes(PASSWORD));
		if (value !== null && (isHidden || (isNamed && typeof value === 'string'))) {
			object[name] = '[redacted]';
		}
	}
}
