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

/** A status and, unless the body is empty, a body for JSON. */
export interface ShapedReply {
	status: number;
	body?: unknown;
}

/** Shapes such as `202-empty`: a status, and whether there is a body. */
export function replyOf(shape: string, body: unknown): ShapedReply {
	const [status, rest] = shape.split('-');
	return { status: Number(status), ...(rest !== 'empty' && { body }) };
}

/** Spells a lower-case UUID as the service spells its session GUIDs. */
export function newSessionGuid(uuid: string, shape: Shapes['sessionGuid']): string {
	const spell: Record<Shapes['sessionGuid'], () => string> = {
		lowerCase: () => uuid,
		upperCase: () => uuid.toUpperCase(),
		braces: () => `{${uuid}}`,
		noHyphens: () => uuid.replaceAll('-', ''),
	};
	return spell[shape]();
}
