import { invalid } from '../../../errors';

/** File systems allow 255 bytes. */
const MAX_BYTES = 200;
const MAX_VALUE_BYTES = 60;
/** If a name is too long, values of the call are cut to so many bytes, one after the other. */
const VALUE_BYTES = [MAX_VALUE_BYTES, 30, 15, 5];
const PLACEHOLDER = /\{(\w+)\}/g;
/** In place of a missing value. */
const UNKNOWN = 'unknown';
/**
 * Characters that some file system does not allow in a name. The invisible ones could make two
 * names look alike.
 */
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}\p{Cf}]/gu;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * The path of an output file, from a template such as
 * `{date}/{time}_{to}_{sessionGuid}.{extension}`: it never leads out of the folder that it is put
 * in. A value that is missing is `unknown` in it.
 *
 * @param valueOf the value of a placeholder, made by {@link nameValue}, so that it adds no folder
 * @throws VoiceAgentError `invalidParameter` if the result cannot be the name of a file
 */
export function filePath(
	template: string,
	valueOf: (placeholder: string, maxBytes: number) => string | undefined,
): string {
	const names = template.split('/').map((segment) => fittingName(segment, valueOf));
	if (names.some(isRefused)) {
		throw invalid(
			`'Output File Name' must be a file name, with or without folders, of at most ${MAX_BYTES} bytes each, without \\ : * ? " < > |`,
		);
	}
	return names.join('/');
}

/**
 * One name of the path, not longer than file systems allow: values of the call give way to what
 * tells one recording from another. Empty if it is too long even then.
 */
function fittingName(
	segment: string,
	valueOf: (placeholder: string, maxBytes: number) => string | undefined,
): string {
	for (const maxBytes of VALUE_BYTES) {
		const name = nameOf(segment, (placeholder) => valueOf(placeholder, maxBytes));
		if (Buffer.byteLength(name) <= MAX_BYTES) return name;
	}
	return '';
}

/** The names of the placeholders in a template, such as `to` for `{to}`. */
export function placeholdersIn(template: string): string[] {
	return [...template.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

function nameOf(segment: string, valueOf: (placeholder: string) => string | undefined): string {
	return segment
		.replace(PLACEHOLDER, (_all, placeholder: string) => valueOf(placeholder) ?? UNKNOWN)
		.trim()
		.replace(DEVICE, '_$&');
}

function isRefused(name: string): boolean {
	return name === '' || /[. ]$/.test(name) || name.search(FORBIDDEN) !== -1;
}

/** A value from outside as a part of a name; `undefined` if nothing of it is left. */
export function nameValue(value: unknown, maxBytes = MAX_VALUE_BYTES): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value)
		.slice(0, maxBytes)
		.normalize('NFC')
		.replace(/\p{Cf}/gu, '')
		.replace(FORBIDDEN, '-');
	// The first bytes may end within a character.
	const start = Buffer.from(text).subarray(0, maxBytes).toString().replaceAll('\uFFFD', '');
	return start.replace(/^[.\s]+|[.\s]+$/g, '') || undefined;
}

/** A moment in a time zone, such as `2026-11-21` and `14-03-22`, which sort by time. */
export function dateAndTime(
	ms: number,
	timeZone: string,
): { date: string | undefined; time: string | undefined } {
	if (Number.isNaN(ms)) return { date: undefined, time: undefined };
	const format = new Intl.DateTimeFormat('sv-SE', {
		timeZone,
		dateStyle: 'short',
		timeStyle: 'medium',
	});
	const [date, time] = format.format(ms).split(' ');
	return { date, time: time?.replaceAll(':', '-') };
}
