import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../shared/errors';
import { VoiceAgentError } from '../shared/errors';

/** What was sent, by the context that n8n keeps for a node in an execution, so that it ends with that execution. */
const sent = new WeakMap<object, Map<string, Promise<unknown>>>();

/**
 * Sends a request that must not be repeated once for an item. n8n's Retry On Fail runs a node again with all its items,
 * also with those that succeeded: they get the former answer, and those whose request may have been carried out the
 * former error.
 *
 * @param ambiguous reason of a failure after which the service may have done what it was asked for
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	ambiguous: Reason,
	send: () => Promise<T>,
): Promise<T> {
	const node = context.getContext('node');
	const requests = sent.get(node) ?? new Map<string, Promise<unknown>>();
	sent.set(node, requests);
	// A loop or an AI agent runs the node several times: each run sends its own.
	const { $runIndex } = context.getWorkflowDataProxy(itemIndex);
	const key = `${$runIndex}:${itemIndex}`;

	const former = requests.get(key) as Promise<T> | undefined;
	if (former) return await former;
	const request = send();
	requests.set(key, request);
	const [outcome] = await Promise.allSettled([request]);
	if (outcome.status === 'rejected' && !mayHaveTakenPlace(outcome.reason, ambiguous)) {
		requests.delete(key);
	}
	return await request;
}

function mayHaveTakenPlace(error: unknown, ambiguous: Reason): boolean {
	if (!(error instanceof VoiceAgentError)) return true;
	return error.reason === ambiguous || (error.httpStatus ?? 0) >= 500;
}
