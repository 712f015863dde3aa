import { isJsonObject, type JsonObject, plainName } from './json';
import { finderOf, type Holds } from './secretForms';

const PASSWORD = plainName('recordCallPassword');
/** What other names of it have in them. */
const OTHER_NAMES = ['password', 'passphrase', 'passcode'];
/** Fields of an object that say what its value is. */
const NAMING = ['name', 'key', 'field', 'parameter', 'label'];

const REDACTED = '[redacted]';

/**
 * Hides the password of recordings in what the service has sent: it may repeat its instructions,
 * and the password must not be stored with the recording.
 *
 * @param holds whether a text has a secret in it that is known, whatever its name is: see {@link
 * finderOf}
 */
export function hidePasswords(document: unknown, holds: Holds = () => false): void {
	for (const object of objectsIn(document)) {
		hideNamed(object);
		hideHeld(object, holds);
	}
}

/** A copy of what the service has sent, without the password and these secrets. */
export function withoutPasswords<T>(document: T, secrets: readonly string[]): T {
	const around = { document: structuredClone(document) };
	hidePasswords(around, finderOf(secrets));
	return around.document;
}

/**
 * A copy without these secrets, for a text that may say what a password is called, such as an API
 * document.
 */
export function withoutSecrets<T>(document: T, secrets: readonly string[]): T {
	const around = { document: structuredClone(document) };
	const holds = finderOf(secrets);
	for (const object of objectsIn(around)) hideHeld(object, holds);
	return around.document;
}

/**
 * The objects and lists of a document, the outermost first. What is within one comes after it was
 * handled.
 */
function* objectsIn(document: unknown): Generator<JsonObject, void, undefined> {
	const places = [document];
	// The loop also visits the values that are added meanwhile.
	for (const place of places) {
		if (typeof place !== 'object' || place === null) continue;
		// A list is an object too: the names of its values are their indexes.
		yield place as JsonObject;
		for (const value of Object.values(place)) places.push(value);
	}
}

/** Hides what is a password by its name. */
function hideNamed(object: JsonObject): void {
	const isNamed = isNameAndValue(object);
	for (const [name, value] of Object.entries(object)) {
		const isValue = isNamed && (typeof value === 'string' || isJsonObject(value));
		if (isValue || isPassword(name, value)) object[name] = REDACTED;
	}
}

/** Hides what has a secret in it. */
function hideHeld(object: JsonObject, holds: Holds): void {
	for (const [name, value] of Object.entries(object)) {
		if (isSecret(value, holds)) object[name] = REDACTED;
		// The names of a list are numbers, which a secret may be too.
		if (Array.isArray(object) || !holds(name, 'name')) continue;
		object[REDACTED] = object[name];
		delete object[name];
	}
}

/** Whether an object or a list has the name of the password next to it. */
function isNameAndValue(object: JsonObject): boolean {
	const isNamed = Object.values(object).some((value) => plainText(value) === PASSWORD);
	return isNamed || NAMING.some((name) => OTHER_NAMES.includes(plainText(object[name])));
}

/**
 * Whether a field is a password by its name, also in a text such as JSON. A flag, such as
 * `hasPassword`, is none.
 */
function isPassword(name: string, value: unknown): boolean {
	if (value === null) return false;
	if ([name, value].some((one) => plainText(one).includes(PASSWORD))) return true;
	return typeof value !== 'boolean' && OTHER_NAMES.some((one) => plainText(name).includes(one));
}

/** Whether a value has a known secret in it. A list of characters or bytes is a text too. */
function isSecret(value: unknown, holds: Holds): boolean {
	if (typeof value === 'string' || typeof value === 'number') return holds(String(value));
	if (!Array.isArray(value)) return false;
	const [first] = value as unknown[];
	const isText = typeof first === 'number' || (typeof first === 'string' && first.length === 1);
	if (!isText) return false;
	return holds(typeof first === 'number' ? value.join(' ') : value.join(''));
}

/**
 * A text as its letters and digits; empty if it cannot name a password. The first look is quicker,
 * for the many texts of a long list.
 */
function plainText(value: unknown): string {
	return typeof value === 'string' && /pass/i.test(value) ? plainName(value) : '';
}
