import { createHash } from 'node:crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../data/json';
import { type Reason, VoiceAgentError } from '../errors';
import { isToolNode } from '../nodeError';
import { sentRequestsOf } from './sentRequests';

/** A request that must not be sent twice. */
interface OnceRequest {
	/** What is sent. */
	body: object;
	/** The reason of a failure after which the service may have carried out the request. */
	unclearReason: Reason;
}

/**
 * Sends a request only once for each item, however often n8n tries again.
 *
 * Retry On Fail runs a node again with all its items, even those that succeeded: they get their
 * earlier answer. In a tool of an AI agent, n8n counts each try as a new run. So a request that the
 * service may have carried out although it failed is never sent again in the same execution.
 *
 * @param send gets the number of requests that earlier runs of the node have sent in this execution
 *
 * @throws VoiceAgentError the `unclearReason` for a request that was sent before with an unclear
 * outcome, `toolCallsMixedUp` for a tool call that got the parameters of another one
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	{ body, unclearReason }: OnceRequest,
	send: (sentBefore: number) => Promise<T>,
): Promise<T> {
	const sent = sentRequestsOf(context);
	const run = context.getWorkflowDataProxy(itemIndex).$runIndex as number;
	const input = digest(context.getInputData()[itemIndex]?.json);
	const origin = { run, itemIndex, input };

	// Unless there is an earlier answer, nothing may wait from here to note(). Two tries may be here
	// at the same moment, and the second one must find the request of the first one, or both would
	// dial.
	const earlier = sent.answerTo(origin);
	if (earlier) return await (earlier as Promise<T>);

	const identities = [digest(body)];
	// The parameters of a retried tool call may differ, such as by the time in them. What the model
	// has asked for stays the same.
	if (isToolNode(context.getNode())) identities.push(`tool ${input}`);
	if (identities.some((identity) => sent.unclear.has(identity))) {
		throw new VoiceAgentError(unclearReason, {
			hint: `The same request was sent before ${sent.unclear.period}, with an unclear outcome.`,
		});
	}

	const answer = send(sent.countBefore(run));
	const request = sent.note(origin, answer);
	// This is attached before the caller waits, so it runs before the caller gets the error.
	void answer.catch((error: unknown) => {
		if (mayBeDone(error, unclearReason)) sent.unclear.add(identities);
		else sent.undo(request);
	});
	return await answer;
}

/** Whether the service may have carried out a request that has failed. */
export function mayBeDone(error: unknown, unclearReason: Reason): boolean {
	// Nobody foresaw this error, so nobody knows what happened before it.
	if (!(error instanceof VoiceAgentError)) return true;
	// The service has answered, and calls it a failure itself. It may have begun nevertheless.
	if (error.reason === 'declaredFailure') return true;
	return error.reason === unclearReason;
}

/**
 * The SHA-256 of a value, which does not depend on the order of its fields: a model that asks again
 * may name the same fields in another order.
 */
function digest(value: object = {}): string {
	const sorted = (_name: string, one: unknown) => {
		if (!isJsonObject(one)) return one;
		const names = Object.keys(one).sort();
		return names.map((name) => [name, one[name]]);
	};
	return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
