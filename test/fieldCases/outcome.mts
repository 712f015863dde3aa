/** Whether what has happened is one of the outcomes that a case accepts. */
import assert from 'node:assert/strict';

/** What a case accepts: all members that are there. See test/vectors/field/README.md. */
export interface Outcome {
	executions?: string[];
	instructions?: boolean;
	sessionGuids?: string[];
	endedAt?: string[];
	quiet?: boolean;
	hint?: string;
	hintLacks?: string;
	bytes?: 'same';
	format?: string;
	to?: Array<string | null>;
	placed?: boolean;
	contains?: string;
	lacks?: string;
	refused?: string;
	/** The same again with these options. */
	thenWith?: { option: Options; accept: Outcome[] };
}

export type Options = Record<string, unknown>;

/** What has happened. What the case is not about is left out. */
export interface Seen {
	/** Session GUIDs of the items that started executions. */
	executions?: string[];
	/** Whether a CallStart was answered with the instructions of the trigger. */
	instructions?: boolean;
	/** The items of the node. */
	items?: Array<Record<string, unknown>>;
	hints?: string[];
	/** Whether the stored file is what the case wants. */
	isSame?: boolean;
	/** Whether the service was asked to place a call. */
	placed?: boolean;
	/** Message of the error, or what the trigger has answered. `undefined` if it did not fail. */
	refusal?: string;
}

/** Tries a case, with these options beside its input. */
export type Try = (options: Options) => Promise<Seen>;

type Check<Name extends keyof Outcome> = (
	wanted: NonNullable<Outcome[Name]>,
	seen: Seen,
) => boolean;

const matches = (pattern: string, text: string) => new RegExp(pattern, 'i').test(text);
const sorted = (texts: readonly unknown[] = []) => JSON.stringify(texts.map(String).sort());
const inOrder = (name: string, { items = [] }: Seen) =>
	JSON.stringify(items.map((one) => one[name]));
const asText = ({ items = [] }: Seen) => JSON.stringify(items);

const CHECKS: { [Name in keyof Omit<Outcome, 'thenWith'>]-?: Check<Name> } = {
	executions: (guids, { executions }) => sorted(executions) === sorted(guids),
	instructions: (wanted, { instructions }) => instructions === wanted,
	sessionGuids: (guids, { items }) =>
		sorted(items?.map(({ sessionGuid }) => sessionGuid)) === sorted(guids),
	endedAt: (times, seen) => inOrder('endedAt', seen) === JSON.stringify(times),
	quiet: (wanted, { hints = [], refusal }) =>
		wanted === (hints.length === 0 && refusal === undefined),
	hint: (pattern, { hints = [] }) => hints.some((hint) => matches(pattern, hint)),
	hintLacks: (text, { hints = [] }) => hints.every((hint) => !hint.includes(text)),
	bytes: (_same, { isSame }) => isSame === true,
	format: (format, { items = [] }) => items[0]?.format === format,
	to: (numbers, seen) => inOrder('to', seen) === JSON.stringify(numbers),
	placed: (wanted, { placed }) => placed === wanted,
	contains: (text, seen) => asText(seen).includes(text),
	lacks: (text, seen) => !asText(seen).includes(text),
	refused: (pattern, { refusal }) => refusal !== undefined && matches(pattern, refusal),
};

/**
 * @returns whether one of the outcomes holds
 * @throws {Error} for a member that nobody checks
 */
export async function holds(accept: readonly Outcome[], attempt: Try, options: Options = {}) {
	const seen = await attempt(options);
	for (const outcome of accept) {
		if (!isAsSeen(outcome, seen)) continue;
		const { thenWith } = outcome;
		if (!thenWith) return true;
		if (await holds(thenWith.accept, attempt, { ...options, ...thenWith.option })) return true;
	}
	return false;
}

function isAsSeen({ thenWith: _then, ...members }: Outcome, seen: Seen): boolean {
	const names = Object.keys(members) as Array<keyof typeof CHECKS>;
	assert.deepEqual(
		names.filter((name) => !(name in CHECKS)),
		[],
		'members that nobody checks',
	);
	return names.every((name) => (CHECKS[name] as Check<typeof name>)(members[name] as never, seen));
}
