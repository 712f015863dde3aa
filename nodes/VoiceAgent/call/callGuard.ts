import { invalid, VoiceAgentError } from '../../errors';
import type { JsonObject } from '../../data/payload';
import { isJsonObject, MAX_FEW, valueAt } from '../../data/payload';

/** ITU-T E.164: the most digits that a phone number can have, country code included. */
const MAX_DIGITS = 15;

/**
 * Refuses a call to a number that no pattern allows. It also refuses the call if it cannot find the number, or if more
 * than one field may hold it.
 *
 * @param field name of the field that holds the number, or path with dots
 * @param patterns separated by commas or line breaks: digits with an optional `+` before them, `*` for any number of
 * digits and `?` for one, such as `+1555*`
 * @returns the request with the number as it was checked: without spaces and punctuation, which the service could read
 * in another way
 * @throws VoiceAgentError `callRefused`, or `invalidParameter` for a field or pattern that cannot be used
 */
export function withAllowedDestination<T extends JsonObject>(
	body: T,
	field: unknown,
	patterns: unknown,
): T {
	const allowed = (typeof patterns === 'string' ? patterns : '')
		.split(/[,\n]/)
		.map((pattern) => pattern.trim())
		.filter((pattern) => pattern !== '')
		.map(parsePattern);
	if (allowed.length === 0) {
		throw invalid("'Allowed Destinations' must be text with at least one pattern");
	}
	if (Object.keys(body).length > MAX_FEW) {
		throw refused(`the call details have more than ${MAX_FEW} fields`);
	}
	const path = typeof field === 'string' ? field.trim() : '';
	if (path === '') throw invalid("'Destination Field' must be the name of a field");
	const found = matchingPaths(body, path.toLowerCase());
	if (found.length > 1) {
		const names = found.map((names) => names.join('.')).join("', '");
		throw refused(`the number to call is in more than one field: '${names}'`);
	}
	const value = valueAt(body, path);
	// A number is sent as it is, so a sign or a fraction must not be tidied away before it is checked.
	const destination =
		typeof value === 'string'
			? withoutPunctuation(value)
			: String(Number.isInteger(value) && value);
	if (!/^\+?\d+$/.test(destination)) {
		throw refused(`the field '${path}' holds no phone number that could be checked`);
	}
	if (destination.replace('+', '').length > MAX_DIGITS) {
		throw refused(`${destination} has more than ${MAX_DIGITS} digits, so it is not a phone number`);
	}
	if (!allowed.some((pattern) => pattern.test(destination))) {
		throw refused(`${destination} is not among the 'Allowed Destinations'`);
	}
	return typeof value === 'string' ? withValueAt(body, found[0] ?? [], destination) : body;
}

/**
 * Refuses a call if the execution would place more calls than allowed.
 * @throws VoiceAgentError `callRefused`, or `invalidParameter` for a maximum that cannot be used
 */
export function requireMaxCalls(planned: number, maxCalls: unknown): void {
	if (!Number.isInteger(maxCalls) || Number(maxCalls) < 1) {
		throw invalid("'Max Calls per Execution' must be a whole number of 1 or more");
	}
	if (planned > Number(maxCalls)) {
		throw refused(
			`${planned} calls in one execution are more than the 'Max Calls per Execution' of ${String(maxCalls)}`,
		);
	}
}

/**
 * The paths of all fields that the service may read as this one if it ignores letter case.
 * @param path in lower case
 */
function matchingPaths(value: unknown, path: string): string[][] {
	if (!isJsonObject(value)) return [];
	return Object.entries(value).flatMap(([name, inner]) => {
		const lower = name.toLowerCase();
		if (lower === path) return [[name]];
		if (!path.startsWith(`${lower}.`)) return [];
		return matchingPaths(inner, path.slice(lower.length + 1)).map((rest) => [name, ...rest]);
	});
}

/** A copy in which the value at this path is another one. */
function withValueAt<T extends JsonObject>(object: T, [name, ...rest]: string[], value: string): T {
	if (name === undefined) return object;
	const inner = object[name];
	return {
		...object,
		[name]: isJsonObject(inner) ? withValueAt(inner, rest, value) : value,
	};
}

function parsePattern(pattern: string): RegExp {
	const text = withoutPunctuation(pattern);
	if (!/^\+?[\d*?]+$/.test(text)) {
		throw invalid(
			`'Allowed Destinations' has the pattern '${pattern}': use digits, +, * and ? only`,
		);
	}
	// One repetition for several wildcards in a row: there would be too many ways to share the digits among them.
	const source = text.replace('+', '\\+').replace(/[*?]+/g, (wildcards) => {
		const least = wildcards.replaceAll('*', '').length;
		return wildcards.includes('*') ? `\\d{${least},}` : `\\d{${least}}`;
	});
	return new RegExp(`^${source}$`);
}

/** A number without the characters that only make it readable. */
function withoutPunctuation(number: string): string {
	return number.replace(/[\s().\-/]/g, '');
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('callRefused', { detail });
}
