import { invalid } from '../../errors';

/** File systems allow 255 bytes. */
const MAX_BYTES = 200;
const MAX_VALUE_BYTES = 60;
/** Characters that are read of a value. */
const MAX_TEXT = 1_000;
/** Also left out of values: invisible characters, which could make two names look alike. */
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}\p{Cf}]/u;
/** Names of devices on Windows, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

export interface FilePath {
	/** Folders and name, with slashes in between. It never leads out of the folder that it is put in. */
	path: string;
	/** The name alone. */
	fileName: string;
}

/**
 * The path of an output file, from a template such as `{date}/{time}_{to}_{sessionGuid}.{extension}`.
 *
 * A value that is missing is left out with the separator before it, and so is a folder without a name. No value adds a
 * folder.
 *
 * @param valueOf the value of a placeholder; `undefined` if it is missing
 * @param nameless the name for a file whose template has missing values only
 * @throws VoiceAgentError `invalidParameter` if the result cannot be the name of a file
 */
export function filePath(
	template: string,
	valueOf: (placeholder: string) => string | undefined,
	nameless: string,
): FilePath {
	const segments = template
		.trim()
		.split('/')
		.map((segment) => filled(segment, valueOf));
	const last = segments.pop() ?? '';
	// Nothing but the extension may be left of it.
	const isNameless = /^(?:\.\w+)?$/.test(last) && /\{\w*\}[^/]*$/.test(template);
	const path = [
		...segments.filter((segment) => segment !== ''),
		isNameless ? nameless + last : last,
	];
	if (path.some(isRefused)) throw refused();
	const safe = path.map((segment) => segment.replace(DEVICE, '_$&'));
	return { path: safe.join('/'), fileName: safe.at(-1) ?? '' };
}

/** A value from outside as a part of a name; `undefined` if nothing of it is left. */
export function nameValue(value: unknown): string | undefined {
	if (typeof value !== 'string' && typeof value !== 'number') return undefined;
	const text = String(value)
		.slice(0, MAX_TEXT)
		.normalize('NFC')
		.replace(/\p{Cf}/gu, '')
		.replace(new RegExp(FORBIDDEN, 'gu'), '-')
		.replace(/^[.\s]+|[.\s]+$/g, '');
	// The first bytes may end within a character.
	const bytes = Buffer.from(text).subarray(0, MAX_VALUE_BYTES);
	return (
		bytes
			.toString()
			.replace(/\uFFFD/g, '')
			.trimEnd() || undefined
	);
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

function filled(segment: string, valueOf: (placeholder: string) => string | undefined): string {
	if (FORBIDDEN.test(segment)) throw refused();
	// Text and placeholders in turn.
	const [start = '', ...parts] = segment.split(/\{(\w*)\}/);
	let text = start;
	for (let index = 0; index < parts.length; index += 2) {
		const [placeholder = '', next = ''] = parts.slice(index, index + 2);
		const value = valueOf(placeholder);
		if (value !== undefined) {
			text += value + next;
			continue;
		}
		text = text.replace(/[\s_+~,-]*$/, '');
		text += text === '' ? next.replace(/^[\s_+~,-]+/, '') : next;
	}
	return text.trim();
}

function isRefused(segment: string): boolean {
	return segment === '' || /[. ]$/.test(segment) || Buffer.byteLength(segment) > MAX_BYTES;
}

function refused() {
	return invalid(
		`'Output File Name' must be a file name of at most ${MAX_BYTES} bytes, without \\ : * ? " < > |`,
	);
}
