import { fileType } from '../audio/audio.mts';
import type { RecordingFormat } from '../schema.mts';
import type { Roles } from './schema.mts';

/** What a recording or a call says, before it is written in the form of an example. */
export interface Facts {
	sessionGuid: string;
	to: string | null;
	from: string | null;
	startMs: number;
	endMs?: number;
	durationSeconds?: number;
	sizeBytes?: number;
	format?: RecordingFormat;
	encrypted?: boolean;
	outcome?: string;
	recorded?: boolean;
	metadata?: object | undefined;
}

type Role = Roles[string];

/** Writes facts into a copy of a record, in the form of what stands there. */
export function filled(record: unknown, roles: Roles, facts: Facts): unknown {
	return mapLeaves(record, (path, example) => {
		const role = roles[path];
		if (role === undefined) {
			return Array.isArray(example) ? filledList(example, path, { roles, facts }) : example;
		}
		if (role.role === 'metadata') return facts.metadata;
		const value = valueOf(role, example, facts);
		return value === undefined ? example : value;
	});
}

/** What is in a list has a number in its path: `events.0.to`. */
function filledList(
	list: readonly unknown[],
	path: string,
	{ roles, facts }: { roles: Roles; facts: Facts },
): unknown[] {
	return list.map((one, index) => {
		const before = path === '' ? `${index}.` : `${path}.${index}.`;
		const inside = Object.entries(roles).filter(([name]) => name.startsWith(before));
		const inner = inside.map(([name, role]) => [name.slice(before.length), role]);
		return filled(one, Object.fromEntries(inner) as Roles, facts);
	});
}

/**
 * A copy with other values. `undefined` leaves a field out. A list is a value: what is in it may be
 * about something else.
 */
export function mapLeaves(
	value: unknown,
	change: (path: string, example: unknown) => unknown,
	path = '',
): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		return change(path, value);
	}
	const entries = Object.entries(value as object).map(([name, inner]): [string, unknown] => [
		name,
		mapLeaves(inner, change, path === '' ? name : `${path}.${name}`),
	]);
	return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined));
}

function valueOf({ role, format }: Role, example: unknown, facts: Facts): unknown {
	switch (role) {
		case 'sessionGuid':
			return facts.sessionGuid;
		case 'to':
			return likeNumber(example, facts.to);
		case 'from':
			return likeNumber(example, facts.from);
		case 'start':
			return likeTime(example, facts.startMs);
		case 'end':
			return facts.endMs === undefined ? undefined : likeTime(example, facts.endMs);
		case 'duration':
			return likeDuration(example, facts.durationSeconds, format === 'milliseconds');
		case 'size':
			return typeof example === 'string' ? String(facts.sizeBytes) : facts.sizeBytes;
		case 'format':
			return likeFormat(String(example), facts.format);
		case 'encrypted':
			return facts.encrypted;
		case 'outcome':
			return facts.outcome;
		case 'recorded':
			return facts.recorded;
		default:
			return undefined;
	}
}

/** `tel:+15550100` for a number that stands like this. */
function likeNumber(example: unknown, number: string | null): unknown {
	if (number === null) return null;
	if (typeof example === 'number') return Number(number.replace(/\D/g, ''));
	const [prefix = ''] = /^(?:tel:|sips?:)/.exec(String(example)) ?? [];
	return `${prefix}${number}`;
}

function likeDuration(example: unknown, seconds: number | undefined, isMs: boolean): unknown {
	if (seconds === undefined) return undefined;
	const exact = seconds * (isMs ? 1000 : 1);
	const value = Number.isInteger(Number(example)) ? Math.round(exact) : exact;
	return typeof example === 'string' ? String(value) : value;
}

function likeFormat(example: string, format: RecordingFormat | undefined): unknown {
	if (format === undefined) return undefined;
	const text = example.includes('/') ? fileType(format, false).contentType : format;
	return example === example.toUpperCase() ? text.toUpperCase() : text;
}

/** A time in the form of another one. */
export function likeTime(example: unknown, ms: number): unknown {
	if (typeof example === 'number') return likeEpoch(example, ms);
	const text = String(example);
	if (/^\d{10}(?:\.\d+)?$|^\d{13}$|^\d{16}$/.test(text)) {
		return String(likeEpoch(Number(text), ms));
	}
	if (text.startsWith('/Date(')) return text.replace(/-?\d+/, String(ms));
	if (!/^\d{4}-/.test(text)) return likeRfc(text, ms);
	return likeIso(text, ms);
}

function likeEpoch(example: number, ms: number): number {
	if (example > 1e14) return ms * 1000;
	if (example > 1e11) return ms;
	return Number.isInteger(example) ? Math.round(ms / 1000) : ms / 1000;
}

/** ISO 8601 with the same separator, digits of a second, and zone. */
function likeIso(example: string, ms: number): string {
	const form = /^\d{4}-\d\d-\d\d(.)\d\d:\d\d(:\d\d)?(?:([.,])(\d+))?( ?)(.*)$/.exec(example);
	if (!form) return new Date(ms).toISOString();
	const [, separator = 'T', seconds, mark, digits = '', space = '', zone = ''] = form;
	const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? [];
	const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
	const iso = new Date(ms + offset).toISOString();
	const time = iso.slice(11, seconds === undefined ? 16 : 19);
	const fraction =
		mark === undefined
			? ''
			: mark + iso.slice(20, 23).padEnd(digits.length, '0').slice(0, digits.length);
	return `${iso.slice(0, 10)}${separator}${time}${fraction}${space}${zone}`;
}

function likeRfc(example: string, ms: number): string {
	const text = new Date(ms).toUTCString();
	const zone = / ?(?:GMT|UTC|[+-]\d{4})$/.exec(example)?.[0] ?? '';
	return `${text.replace(/ GMT$/, '')}${zone.replace(/[+-]\d{4}/, '+0000')}`;
}
