import type { JsonObject } from '../../data/json';
import { isJsonObject } from '../../data/json';
import { invalid, VoiceAgentError } from '../../errors';

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
	field: string,
	patterns: string,
): T {
	const allowed = patterns
		.split(/[,\n]/)
		.filter((pattern) => pattern.trim() !== '')
		.map(parsePattern);
	if (allowed.length === 0) {
		throw invalid("'Allowed Destinations' must have at least one pattern");
	}
	const path = field.trim();
	if (path === '') throw invalid("'Destination Field' must be the name of a field");
	const places = placesOf(body, path.toLowerCase());
	if (places.length > 1) {
		const names = places.map(({ names }) => names.join('.')).join("', '");
		throw refused(`the number to call is in more than one field: '${names}'`);
	}
	const place = places.find(({ names }) => names.join('.') === path);
	const destination = withoutPunctuation(place?.value);
	if (!place || !/^\+?\d+$/.test(destination)) {
		throw refused(`the field '${path}' holds no phone number that could be checked`);
	}
	if (destination.replace('+', '').length > MAX_DIGITS) {
		throw refused(`${destination} has more than ${MAX_DIGITS} digits, so it is not a phone number`);
	}
	if (!allowed.some((pattern) => pattern.test(destination))) {
		throw refused(`${destination} is not among the 'Allowed Destinations'`);
	}
	return typeof place.value === 'string' ? withValueAt(body, place.names, destination) : body;
}

/**
 * Refuses a call if the execution would place more calls than allowed.
 * @throws VoiceAgentError `callRefused`
 */
export function requireMaxCalls(planned: number, maxCalls = Infinity): void {
	if (planned <= maxCalls) return;
	throw refused(
		`${planned} calls in one execution are more than the 'Max Calls per Execution' of ${maxCalls}`,
	);
}

/** All fields that the service may read as the one at this path, in lower case, if it ignores letter case. */
function placesOf(object: JsonObject, path: string): Array<{ names: string[]; value: unknown }> {
	return Object.entries(object).flatMap(([name, value]) => {
		const lower = name.toLowerCase();
		if (lower === path) return [{ names: [name], value }];
		if (!path.startsWith(`${lower}.`) || !isJsonObject(value)) return [];
		const inner = placesOf(value, path.slice(lower.length + 1));
		return inner.map((place) => ({ ...place, names: [name, ...place.names] }));
	});
}

/** A copy in which the value at this path is another one. */
function withValueAt<T extends JsonObject>(object: T, names: readonly string[], value: string): T {
	const [name = '', ...others] = names;
	const inner = object[name];
	return { ...object, [name]: isJsonObject(inner) ? withValueAt(inner, others, value) : value };
}

function parsePattern(pattern: string): RegExp {
	const text = withoutPunctuation(pattern);
	if (!/^\+?[\d*?]+$/.test(text)) {
		throw invalid(
			`'Allowed Destinations' has the pattern '${pattern.trim()}': use digits, +, * and ? only`,
		);
	}
	// One repetition for several wildcards in a row: there would be too many ways to share the digits among them.
	const source = text.replace('+', '\\+').replace(/[*?]+/g, (wildcards) => {
		const least = wildcards.replaceAll('*', '').length;
		return `\\d{${least}${wildcards.includes('*') ? ',' : ''}}`;
	});
	return new RegExp(`^${source}$`);
}

/** A number without the characters that only make it readable. A sign or a fraction stays: it must not be overlooked. */
function withoutPunctuation(number: unknown): string {
	if (typeof number !== 'string') return String(JSON.stringify(number));
	return number.replace(/[\s().\-/]/g, '');
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('callRefused', { detail });
}
