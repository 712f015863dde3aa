import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../errors';
import { VoiceAgentError } from '../errors';

/**
 * What was sent, by the context that n8n keeps for a node in an execution, so that it ends with that execution; then by
 * run and item.
 */
const sent = new WeakMap<object, Map<number, Map<number, Promise<unknown>>>>();

/**
 * Sends a request that must not be repeated once for an item. n8n's Retry On Fail runs a node again with all its items,
 * also with those that succeeded: they get the former answer, and those whose request may have been carried out the
 * former error. Only a request that was certainly not carried out is forgotten.
 *
 * @param ambiguous reason of a failure after which the service may have done what it was asked for
 * @param send gets how many requests other runs of the node in this execution have sent, without the forgotten ones
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	ambiguous: Reason,
	send: (sentByOtherRuns: number) => Promise<T>,
): Promise<T> {
	// The number is kept in the context itself, because a Wait node ends the process's memory of an execution.
	const node = context.getContext('node') as { sent?: number };
	const runs = sent.get(node) ?? new Map<number, Map<number, Promise<unknown>>>();
	sent.set(node, runs);
	// A loop or an AI agent runs the node several times: each run sends its own.
	const run = context.getWorkflowDataProxy(itemIndex).$runIndex as number;
	const requests = runs.get(run) ?? new Map<number, Promise<unknown>>();
	runs.set(run, requests);

	const former = requests.get(itemIndex) as Promise<T> | undefined;
	if (former) return await former;
	const request = send((node.sent ?? 0) - requests.size);
	requests.set(itemIndex, request);
	node.sent = (node.sent ?? 0) + 1;
	const [outcome] = await Promise.allSettled([request]);
	if (outcome.status === 'rejected' && mayBeRepeated(outcome.reason, ambiguous)) {
		requests.delete(itemIndex);
		node.sent -= 1;
	}
	return await request;
}

function mayBeRepeated(error: unknown, ambiguous: Reason): boolean {
	return error instanceof VoiceAgentError && error.reason !== ambiguous;
}
