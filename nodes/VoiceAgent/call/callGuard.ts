import type { IExecuteFunctions } from 'n8n-workflow';

import type { JsonObject } from '../../data/json';
import { comparedNumbers, plainNumber } from '../../data/phoneNumbers';
import { invalid, VoiceAgentError } from '../../errors';
import { isToolNode } from '../../nodeError';
import { executionIdOf } from '../executionId';
import { oneAtATime } from '../oneAtATime';
import { mayBeDone } from '../oncePerItem';

/** ITU-T E.164: a phone number has at most 15 digits, country code included. */
const PHONE_NUMBER = /^\+?\d{1,15}$/;
/** Invisible, and a person who approves the number sees its digits in another order. */
const RIGHT_TO_LEFT = /[\u061c\u200f\u202b\u202e\u2067]/;

/** Modes of executions that repeat no other one: a person, a trigger or a webhook began them. */
const STARTED_ONCE: readonly string[] = ['manual', 'trigger', 'webhook'];
/** Why an execution in another mode of n8n may place a call again. */
const REPEATS: Readonly<Record<string, string>> = {
	retry: 'it may have been placed before this Retry',
	integrated: 'another workflow has started this one, and its Retry would place the call again',
	error: 'a workflow that fails again would place the call again',
	chat: 'a chat message that is sent again would place the call again',
	evaluation: 'each evaluation would place the call again',
};

/** Of more keys, n8n forgets the oldest. */
const ENTRIES = { mode: 'entries', maxEntries: 10_000 } as const;

/**
 * Refuses a call to a number that no pattern allows or that is on a do-not-call list, or that is
 * not clear.
 * @param field name of the field that holds the number
 * @param patterns separated by commas or line breaks: digits with an optional `+` before them, `*`
 * for any number of digits and `?` for one, such as `+1555*`
 * @returns the request with the number as it was checked, because the service could read another
 * spelling in another way
 * @throws VoiceAgentError `callRefused`, or `invalidParameter` for a field or pattern that cannot
 * be used
 */
export function withAllowedDestination<T extends JsonObject>(
	body: T,
	field: string,
	patterns: string,
	doNotCall?: ReadonlySet<string>,
): T {
	const allowed = patterns
		.split(/[,\n]/)
		.filter((pattern) => pattern.trim() !== '')
		.map(parsePattern);
	if (allowed.length === 0) {
		throw invalid("'Allowed Destinations' must have at least one pattern");
	}
	const name = field.trim();
	if (name === '') throw invalid("'Destination Field' must be the name of a field");
	// The service may ignore letter case.
	const names = Object.keys(body).filter((one) => one.toLowerCase() === name.toLowerCase());
	if (names.length > 1) {
		throw refused(`the number to call is in more than one field: '${names.join("', '")}'`);
	}
	const value = names.includes(name) ? body[name] : undefined;
	const destination = plainNumber(value);
	if (!PHONE_NUMBER.test(destination) || RIGHT_TO_LEFT.test(String(value))) {
		throw refused(`the field '${name}' holds no phone number of up to 15 digits, left to right`);
	}
	if (!allowed.some((pattern) => pattern.test(destination))) {
		throw refused(`${destination} is not among the 'Allowed Destinations'`);
	}
	const telephones = comparedNumbers(value);
	if (doNotCall && telephones.length === 0) {
		throw refused(
			`${destination} is not clear, so it cannot be compared with 'Do Not Call': enter + and all digits of one number`,
		);
	}
	if (telephones.some((one) => doNotCall?.has(one))) {
		throw refused(`${destination} is on the do-not-call list`);
	}
	return typeof value === 'string' ? { ...body, [name]: destination } : body;
}

interface Limits {
	allowedDestinations?: string;
	claimedBy?: string;
	maxCalls?: number;
	placeOnce?: string;
}

/**
 * Refuses a call that another execution may have placed, and one of an agent without limits.
 * @throws VoiceAgentError `callRefused` or `invalidParameter`
 */
export function assertMayPlace(
	context: IExecuteFunctions,
	{ allowedDestinations, claimedBy, maxCalls, placeOnce }: Limits,
): void {
	if (placeOnce?.trim() === '') throw invalid("'Place Once per Key' is empty");
	if (claimedBy !== undefined && claimedBy !== executionIdOf(context)) {
		throw refused(`execution '${claimedBy}' has claimed it, not this one`);
	}
	const mode: string = context.getMode();
	if ((claimedBy ?? placeOnce) === undefined && !STARTED_ONCE.includes(mode)) {
		const why = REPEATS[mode] ?? `n8n may run an execution again in the mode '${mode}'`;
		throw refused(`${why}. Set 'Claimed By' or 'Place Once per Key', which can tell`);
	}
	if (
		isToolNode(context.getNode()) &&
		(allowedDestinations === undefined || maxCalls === undefined)
	) {
		throw refused(
			"a tool of an AI agent needs 'Allowed Destinations' and 'Max Calls per Execution'",
		);
	}
}

/** @throws VoiceAgentError `callRefused` if the execution would place more calls than allowed */
export function requireMaxCalls(planned: number, maxCalls = Infinity): void {
	if (planned <= maxCalls) return;
	throw refused(
		`${planned} calls in one execution are more than the 'Max Calls per Execution' of ${maxCalls}`,
	);
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

/**
 * Places a call unless this node has placed one with the same key before, in any execution, or may
 * have. The key is noted before the call, and forgotten only if the call was certainly not placed.
 * @throws VoiceAgentError `callRefused`, also if n8n cannot remember the key
 */
export async function placeOnce<T>(
	{ helpers }: IExecuteFunctions,
	key: string,
	place: () => Promise<T>,
): Promise<T> {
	const ask = async () => await helpers.checkProcessedAndRecord([key], 'node', ENTRIES);
	// Another process may write at the same time: n8n then refuses the first key of a node, or
	// loses one.
	const note = async () => await ask().catch(ask).finally(ask);
	const known = await oneAtATime(note).catch(() => undefined);
	if (known?.new.length !== 1) {
		const why = known ? 'was used before' : 'cannot be noted by n8n';
		throw refused(`the key '${key.slice(0, 64)}' of 'Place Once per Key' ${why}`);
	}
	const forget = async () => await helpers.removeProcessed([key], 'node', ENTRIES);
	return await place().catch(async (error: Error) => {
		if (!mayBeDone(error, 'callMayHaveBeenPlaced')) await oneAtATime(forget).catch(() => undefined);
		return await Promise.reject(error);
	});
}

function refused(detail: string): VoiceAgentError {
	return new VoiceAgentError('callRefused', { detail });
}
