import type { JsonObject } from '../../data/json';
import { comparedNumbers, plainNumber } from '../../data/phoneNumbers';
import { invalid } from '../../errors';
import { NUMBER_FIELD } from '../requestBody';
import { callRefused } from './callGuard';
import { parseDoNotCall } from './doNotCall';

/** ITU-T E.164: a phone number has at most 15 digits, country code included. */
const PHONE_NUMBER = /^\+?\d{1,15}$/;
/**
 * Characters that are invisible. With them, a person who approves the number sees its digits in
 * another order.
 */
const RIGHT_TO_LEFT = /[\u061c\u200f\u202b\u202e\u2067]/;

interface DestinationOptions {
	/**
	 * Patterns, separated by commas or line breaks: digits with an optional `+` before them, `*` for
	 * any number of digits and `?` for one, such as `+1555*`. If absent, all numbers are allowed.
	 */
	allowedDestinations?: string;
	/** Name of the field of the request that holds the number. */
	destinationField?: string;
	/** See {@link parseDoNotCall}. */
	doNotCall?: unknown;
}

/**
 * Refuses a call to a number that no pattern allows, that is on the do-not-call list, or that is
 * not clear. Without these options, every request is allowed.
 *
 * @returns the request with the number as it was checked, because the service could read another
 * spelling in another way
 *
 * @throws VoiceAgentError `callRefused`; `doNotCallUnusable`; `invalidParameter` for a field or a
 * pattern that cannot be used
 */
export function guardDestination<T extends JsonObject>(body: T, options: DestinationOptions): T {
	const { allowedDestinations } = options;
	// If the expression of an option gives nothing, the option is there with `undefined`. That must
	// not mean that nobody is on the list, so parseDoNotCall() refuses it. Allowed Destinations needs
	// no such check: checkedValues() has refused all but text, so `undefined` means not added.
	const doNotCall = 'doNotCall' in options ? parseDoNotCall(options.doNotCall) : undefined;
	const patterns =
		allowedDestinations === undefined ? undefined : parsePatterns(allowedDestinations);
	if (!patterns && !doNotCall) return body;

	const name = destinationFieldIn(body, destinationFieldOf(options));
	const value = Object.hasOwn(body, name) ? body[name] : undefined;
	const destination = plainNumber(value);
	if (!PHONE_NUMBER.test(destination) || RIGHT_TO_LEFT.test(String(value))) {
		throw callRefused(
			`the field '${name}' holds no phone number of up to 15 digits, left to right`,
		);
	}
	if (patterns && !patterns.some((pattern) => pattern.test(destination))) {
		throw callRefused(`${destination} is not among the 'Allowed Destinations'`);
	}
	if (doNotCall) requireNotListed(value, doNotCall);
	return typeof value === 'string' ? { ...body, [name]: destination } : body;
}

/** The number that a request calls, as it stands in there. */
export function destinationIn(body: JsonObject, options: DestinationOptions): unknown {
	const name = destinationFieldIn(body, destinationFieldOf(options));
	return Object.hasOwn(body, name) ? body[name] : undefined;
}

/** The name that is entered for the field with the number. */
export function destinationFieldOf({
	destinationField = NUMBER_FIELD,
}: DestinationOptions): string {
	return destinationField.trim();
}

/**
 * The name of the field with the number: the one that is entered, in this letter case.
 *
 * The service may ignore letter case, so a second field whose name differs only in that is refused.
 * The service may also mind letter case. So if the only field has its name in another letter case,
 * the number in it does not count, and the call is refused.
 */
function destinationFieldIn(body: JsonObject, name: string): string {
	if (name === '') throw invalid("'Destination Field' must be the name of a field");
	const names = Object.keys(body).filter((one) => one.toLowerCase() === name.toLowerCase());
	if (names.length > 1) {
		throw callRefused(`the number to call is in more than one field: '${names.join("', '")}'`);
	}
	return name;
}

function parsePatterns(text: string): RegExp[] {
	const patterns = text.split(/[,\n]/).filter((pattern) => pattern.trim() !== '');
	if (patterns.length === 0) throw invalid("'Allowed Destinations' must have at least one pattern");
	return patterns.map(parsePattern);
}

function parsePattern(pattern: string): RegExp {
	const text = plainNumber(pattern);
	if (!/^\+?[\d*?]+$/.test(text)) {
		throw invalid(
			`'Allowed Destinations' has the pattern '${pattern.trim()}': use digits, +, * and ? only`,
		);
	}
	// Several * in a row are one: there would be too many ways to share the digits among them.
	const source = text.replace('+', '\\+').replaceAll('?', '\\d').replace(/\*+/g, '\\d*');
	return new RegExp(`^${source}$`);
}

/** @throws VoiceAgentError `callRefused` if a number is on the list, or may be */
function requireNotListed(number: unknown, doNotCall: ReadonlySet<string>): void {
	const telephones = comparedNumbers(number);
	if (telephones.length === 0) {
		throw callRefused(
			`${plainNumber(number)} is not clear, so it cannot be compared with 'Do Not Call': enter + and all digits of one number`,
		);
	}
	if (telephones.some((one) => doNotCall.has(one))) {
		throw callRefused(`${plainNumber(number)} is on the do-not-call list`);
	}
}
