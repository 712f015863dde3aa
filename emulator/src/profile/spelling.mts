import type { Spelling } from './schema.mts';

/** Spells the names of fields, which are camelCase here. An object inside keeps its own names. */
export function rename(record: object, spelling: Spelling): Record<string, unknown> {
	const newName: Record<Spelling, (name: string) => string> = {
		camelCase: (name) => name,
		PascalCase: (name) => name.charAt(0).toUpperCase() + name.slice(1),
		snake_case: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
	};
	return Object.fromEntries(
		Object.entries(record).map(([name, value]) => [newName[spelling](name), value as unknown]),
	);
}

export const GUID = /^\{?[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}\}?$/i;

/** Spells a lower-case UUID as a session GUID of the service. */
export function spelledAs(example: string, uuid: string): string {
	const digits = example.includes('-') ? uuid : uuid.replaceAll('-', '');
	const spelled = /[A-F]/.test(example) ? digits.toUpperCase() : digits;
	return example.startsWith('{') ? `{${spelled}}` : spelled;
}
