import { fieldsIn } from '../../data/fields';

/**
 * Where a payload has JSON as text, which services send by encoding it twice.
 *
 * @returns in words; `undefined` if there is none
 */
export function jsonInText(payload: unknown): string | undefined {
	const field = fieldsIn(payload).find(({ value }) => isJsonText(value));
	if (!field) return undefined;
	const place = field.path === '' ? 'the payload' : `its field '${field.path}'`;
	return `${place} is text that holds JSON: let the service send JSON that is not encoded twice`;
}

function isJsonText(value: unknown): boolean {
	if (typeof value !== 'string' || !/^\s*[{[]/.test(value)) return false;
	try {
		JSON.parse(value);
		return true;
	} catch {
		return false;
	}
}
