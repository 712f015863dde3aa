import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { invalid, VoiceAgentError } from '../../errors';
import { isToolNode } from '../../nodeError';
import { executionIdOf } from '../executionId';
import { claim, forget } from '../n8nMemory';
import { mayBeDone } from '../oncePerItem';

/**
 * Modes of executions that repeat no other one: a person, a trigger or a webhook began them. An
 * execution in the mode 'manual' may go on with earlier outputs, but a person has just started it
 * and expects its calls.
 */
const STARTED_ONCE: readonly WorkflowExecuteMode[] = ['manual', 'trigger', 'webhook'];
/**
 * Why an execution in another mode may place a call again. One in the mode 'integrated' (a
 * sub-workflow) begins with nothing, so it does not know that an earlier one has placed its calls.
 */
const REPEATS: Readonly<Partial<Record<WorkflowExecuteMode, string>>> = {
	retry: 'it may have been placed before this Retry',
	integrated: 'another workflow has started this one, and its Retry would place the call again',
	error: 'a workflow that fails again would place the call again',
	chat: 'a chat message that is sent again would place the call again',
	evaluation: 'each evaluation would place the call again',
};

/** Options of Make, `undefined` if they are not added. */
interface CallOptions {
	allowedDestinations?: string;
	claimedBy?: string;
	maxCalls?: number;
	placeOnce?: string;
}

/**
 * Refuses a call that another execution may have placed, and one of an agent without limits.
 *
 * @throws VoiceAgentError `callRefused` or `invalidParameter`
 */
export function requireMayPlace(
	context: IExecuteFunctions,
	{ allowedDestinations, claimedBy, maxCalls, placeOnce }: CallOptions,
): void {
	if (placeOnce?.trim() === '') throw invalid("'Place Once per Key' is empty");
	if (claimedBy !== undefined && claimedBy !== executionIdOf(context)) {
		throw callRefused(`execution '${claimedBy}' has claimed it, not this one`);
	}
	const mode = context.getMode();
	// Either of these options recognizes a call that was placed before.
	const canTellRepeat = claimedBy !== undefined || placeOnce !== undefined;
	if (!canTellRepeat && !STARTED_ONCE.includes(mode)) {
		const why = REPEATS[mode] ?? `n8n may run an execution again in the mode '${mode}'`;
		throw callRefused(`${why}. Set 'Claimed By' or 'Place Once per Key', which can tell`);
	}
	// A model may call any number, any number of times.
	const isLimited = allowedDestinations !== undefined && maxCalls !== undefined;
	if (isToolNode(context.getNode()) && !isLimited) {
		throw callRefused(
			"a tool of an AI agent needs 'Allowed Destinations' and 'Max Calls per Execution'",
		);
	}
}

/**
 * Refuses calls beyond Max Calls per Execution.
 *
 * @param planned how many calls the execution has placed, with those that it is about to place
 *
 * @throws VoiceAgentError `callRefused`
 */
export function requireMaxCalls(planned: number, maxCalls = Infinity): void {
	if (planned <= maxCalls) return;
	throw callRefused(
		`${planned} calls in one execution are more than the 'Max Calls per Execution' of ${maxCalls}`,
	);
}

/**
 * How many keys of Place Once per Key n8n remembers for a node. After so many later keys, a second
 * call with a key is no longer refused.
 */
const MAX_KEYS = 10_000;

/**
 * Places a call unless this node has placed one with the same key before, in any execution, or may
 * have. The key is noted before the call, and forgotten only if the call was certainly not placed.
 * Of several processes that begin with the same key at the same moment, one places the call.
 *
 * @throws VoiceAgentError `placedBefore`; `callRefused` if n8n cannot remember the key
 */
export async function placeOncePerKey<T>(
	context: IExecuteFunctions,
	key: string,
	place: () => Promise<T>,
): Promise<T> {
	const shownKey = `the key '${key.slice(0, 64)}' of 'Place Once per Key'`;
	const claimed = await claim(context, key, { maxKeys: MAX_KEYS });
	if (claimed === undefined) throw callRefused(`${shownKey} cannot be noted by n8n`);
	if (claimed === 'noted before') {
		throw new VoiceAgentError('placedBefore', { detail: `${shownKey} was used before` });
	}
	return await place().catch(async (error: Error) => {
		if (!mayBeDone(error, 'callMayHaveBeenPlaced')) await forget(context, [key]);
		throw error;
	});
}

export function callRefused(detail: string): VoiceAgentError {
	return new VoiceAgentError('callRefused', { detail });
}
