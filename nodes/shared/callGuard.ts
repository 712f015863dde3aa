import { VoiceAgentError } from './errors';
import { isJsonObject, valueAt } from './payload';

/**
 * Refuses a call to a number that no pattern allows. Where the number cannot be found, the call is refused too.
 *
 * @param patterns separated by commas or line breaks: digits with an optional `+` before them, `*` for any number of
 * digits and `?` for one, such as `+1555*`
 * @param field name of the field that holds the number, or path with dots
 * @throws VoiceAgentError `callRefused`, or `invalidParameter` for a pattern that cannot be used
 */
export function requireAllowedDestination(body: unknown, field: string, patterns: string): void {
	const allowed = patterns
		.split(/[,\n]/)
		.map((pattern) => pattern.trim())
		.filter((pattern) => pattern !== '')
		.map(parsePattern);
	if (allowed.length === 0) {
		throw new VoiceAgentError('invalidParameter', { detail: "'Allowed Destinations' is empty" });
	}
	const value = isJsonObject(body) ? valueAt(body, field) : undefined;
	const destination = ['string', 'number'].includes(typeof value) ? compact(String(value)) : '';
	if (!/^\+?\d+$/.test(destination)) {
		throw new VoiceAgentError('callRefused', {
			detail: `the field '${field}' holds no phone number that could be checked`,
		});
	}
	if (!allowed.some((pattern) => pattern.test(destination))) {
		throw new VoiceAgentError('callRefused', {
			detail: `${destination} is not among the Allowed Destinations`,
		});
	}
}

function parsePattern(pattern: string): RegExp {
	const text = compact(pattern);
	if (!/^\+?[\d*?]+$/.test(text)) {
		throw new VoiceAgentError('invalidParameter', {
			detail: `'Allowed Destinations' has the pattern '${pattern}': use digits, +, * and ? only`,
		});
	}
	const source = text.replace('+', '\\+').replaceAll('*', '\\d*').replaceAll('?', '\\d');
	return new RegExp(`^${source}$`);
}

/** A number without the signs that only make it readable. */
function compact(number: string): string {
	return number.replace(/[\s().\-/]/g, '');
}
