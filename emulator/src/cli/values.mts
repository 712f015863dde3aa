import { readFileSync } from 'node:fs';
import { type ApiKey, type Permission, permissions } from '../auth/permissions.mts';
import type { Outcome, OutcomeRule } from '../calls/outcomes.mts';
import { messageOf, StartError } from '../errors.mts';
import type { Shapes } from '../profile/unknowns.mts';

/* Readers of option values. No message repeats a value, because it can contain a password. */

export function number(flag: string, text: string): number {
	const value = text.trim() === '' ? NaN : Number(text);
	if (Number.isNaN(value)) throw new StartError(`${flag} is not a number`);
	return value;
}

export function url(flag: string, text: string): string {
	if (URL.canParse(text) && /^https?:\/\/\S+$/.test(text)) return text;
	throw new StartError(`${flag} is not an http or https address`);
}

export function json(flag: string, text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		throw new StartError(`${flag} is not JSON`);
	}
}

/** JSON in a file. */
export function readJson(flag: string, file: string): unknown {
	let text: string;
	try {
		text = readFileSync(file, 'utf8');
	} catch (error) {
		throw new StartError(`${flag} cannot be read: ${messageOf(error)}`);
	}
	return json(flag, text);
}

export function object(flag: string, text: string): Record<string, unknown> {
	const value = json(flag, text);
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
	throw new StartError(`${flag} is not a JSON object`);
}

/**
 * @param text a key, or `key=permission,…`, `key=all` or `key=none`. The key itself may contain "="
 * if one of these follows, or if it ends with "=", as Base64 does
 */
export function apiKey(text: string): ApiKey {
	const at = text.lastIndexOf('=');
	const list = text.slice(at + 1);
	if (at < 0 || list === '') return { key: text, permissions };
	const key = text.slice(0, at);
	if (list === 'all') return { key, permissions };
	const names = list === 'none' ? [] : list.split(',');
	if (
		names.every((name): name is Permission => (permissions as readonly string[]).includes(name))
	) {
		return { key, permissions: names };
	}
	throw new StartError(
		`--api-key has no permissions after its last "=". Give ${permissions.join(', ')}, all or none`,
	);
}

/** Reads texts such as `list=paged`; `createEmulator` checks names and values. */
export function shapes(texts: readonly string[]): Partial<Shapes> {
	const entries = texts.map((text): [string, string | number] => {
		const at = text.indexOf('=');
		if (at < 0) throw new StartError(`--shape ${text} needs "=<shape>"`);
		const [name, value] = [text.slice(0, at), text.slice(at + 1)];
		return [name, name === 'pageSize' ? Number(value) : value];
	});
	return Object.fromEntries(entries);
}

/** Reads a text such as `+15550101=busy`; `createEmulator` checks the outcome. */
export function outcome(text: string): OutcomeRule {
	const at = text.lastIndexOf('=');
	if (at < 0) throw new StartError(`--outcome ${text} needs "<number>=<outcome>"`);
	return { to: text.slice(0, at), outcome: text.slice(at + 1) as Outcome };
}
