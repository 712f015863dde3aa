import type { IExecuteFunctions } from 'n8n-workflow';

import type { Reason } from '../errors';
import { VoiceAgentError } from '../errors';

/**
 * What was sent, by run and item. The key is the context that n8n keeps for a node in an execution, so that the entry
 * ends with the execution.
 */
const sent = new WeakMap<object, Map<number, Map<number, Promise<unknown>>>>();

/**
 * Sends a request only once for each item. n8n's Retry On Fail runs a node again with all its items, even those that
 * succeeded. They get their earlier answer. Items whose request may have been carried out get their earlier error. Only a
 * request that was certainly not carried out is forgotten.
 *
 * @param ambiguous reason of a failure after which the service may have carried out the request
 * @param send gets the number of requests that other runs of the node in this execution have sent, without forgotten ones
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	ambiguous: Reason,
	send: (sentByOtherRuns: number) => Promise<T>,
): Promise<T> {
	// The count is kept in the context itself, because the memory of the process does not outlast a Wait node.
	const node = context.getContext('node') as { sent?: number };
	const runs = sent.get(node) ?? new Map<number, Map<number, Promise<unknown>>>();
	sent.set(node, runs);
	// A loop or an AI agent runs the node several times. Each run sends its own requests.
	const run = context.getWorkflowDataProxy(itemIndex).$runIndex as number;
	const requests = runs.get(run) ?? new Map<number, Promise<unknown>>();
	runs.set(run, requests);

	const former = requests.get(itemIndex) as Promise<T> | undefined;
	if (former) return await former;
	const request = send((node.sent ?? 0) - requests.size);
	requests.set(itemIndex, request);
	node.sent = (node.sent ?? 0) + 1;
	// Runs before the caller gets the error, because it is attached first.
	void request.catch((error: unknown) => {
		if (!mayBeRepeated(error, ambiguous)) return;
		requests.delete(itemIndex);
		node.sent = (node.sent ?? 0) - 1;
	});
	return await request;
}

function mayBeRepeated(error: unknown, ambiguous: Reason): boolean {
	return error instanceof VoiceAgentError && error.reason !== ambiguous;
}
