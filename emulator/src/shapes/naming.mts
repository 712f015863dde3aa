import type { Shapes } from './unknowns.mts';

/** How the names of fields are spelled. */
export type Naming = Shapes['recordFields'];

/** Spells the names of fields, which are camelCase here. An object inside keeps its own names. */
export function rename(record: object, naming: Naming): Record<string, unknown> {
	const newName: Record<Naming, (name: string) => string> = {
		camelCase: (name) => name,
		PascalCase: (name) => name.charAt(0).toUpperCase() + name.slice(1),
		snake_case: (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
	};
	return Object.fromEntries(
		Object.entries(record).map(([name, value]) => [newName[naming](name), value as unknown]),
	);
}
