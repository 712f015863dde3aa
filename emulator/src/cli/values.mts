import { type ApiKey, type Permission, permissions } from '../auth/permissions.mts';
import { StartError } from '../errors.mts';
import type { Shapes } from '../shapes/unknowns.mts';

/* Readers of option values. No message repeats a value, because it can contain a password. */

export function number(flag: string, text: string): number {
	const value = text.trim() === '' ? NaN : Number(text);
	if (Number.isNaN(value)) throw new StartError(`${flag} is not a number`);
	return value;
}

export function url(flag: string, text: string): string {
	if (URL.canParse(text) && /^https?:/.test(text)) return text;
	throw new StartError(`${flag} is not an http or https address`);
}

export function json(flag: string, text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		throw new StartError(`${flag} is not JSON`);
	}
}

export function object(flag: string, text: string): Record<string, unknown> {
	const value = json(flag, text);
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
	throw new StartError(`${flag} is not a JSON object`);
}

/** @param text a key, or `key=permission,…`, or `key=none` */
export function apiKey(text: string): ApiKey {
	const [key = '', list] = text.split('=', 2);
	if (list === undefined) return { key, permissions };
	const names = list === 'none' ? [] : list.split(',');
	const unknown = names.filter((name) => !(permissions as readonly string[]).includes(name));
	if (unknown.length > 0) {
		throw new StartError(
			`--api-key knows no permission "${unknown.join('", "')}", only ${permissions.join(', ')}, or none`,
		);
	}
	return { key, permissions: names as Permission[] };
}

/** Reads texts such as `list=paged`; `createEmulator` checks names and values. */
export function shapes(texts: readonly string[]): Partial<Shapes> {
	const entries = texts.map((text): [string, string | number] => {
		const [name = '', value] = text.split('=', 2);
		if (value === undefined) throw new StartError(`--shape ${name} needs "=<shape>"`);
		return [name, name === 'pageSize' ? Number(value) : value];
	});
	return Object.fromEntries(entries);
}
