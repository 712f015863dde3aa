import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withoutPasswords } from '../data/hidePasswords';
import { isJsonObject } from '../data/json';
import { type Reason, VoiceAgentError } from '../errors';
import { isToolNode } from '../nodeError';
import type { JsonAnswer } from '../service/http/request';
import { sentRequestsOf } from './sentRequests';

/**
 * Sends a request only once for each item, however often n8n tries again.
 *
 * Retry On Fail runs a node again with all its items, even those that succeeded: they get their
 * earlier answer. In a tool of an AI agent, n8n counts each try as a new run. So a request that the
 * service may have carried out although it failed is never sent again in the same execution.
 *
 * @param request.body what is sent
 * @param request.ambiguous reason of a failure after which the service may have carried out the
 * request
 * @param send gets the number of requests that earlier runs of the node have sent in this execution
 *
 * @throws VoiceAgentError `ambiguous` for a request that was sent before with an unclear outcome,
 * `toolCallsMixedUp` for a tool call that got the parameters of another one
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	{ body, ambiguous }: { body: object; ambiguous: Reason },
	send: (sentBefore: number) => Promise<T>,
): Promise<T> {
	const sent = sentRequestsOf(context);
	const run = context.getWorkflowDataProxy(itemIndex).$runIndex as number;
	const input = digest(context.getInputData()[itemIndex]?.json);
	const origin = { run, itemIndex, input };

	// From here to note(), nothing may wait. Two tries may be here at the same moment, and the
	// second one must find the request of the first one, or both would dial.
	const earlier = sent.answerTo(origin);
	if (earlier) return await (earlier as Promise<T>);

	const identities = [digest(body)];
	// The parameters of a retried tool call may differ, such as by the time in them. What the model
	// has asked for stays the same.
	if (isToolNode(context.getNode())) identities.push(`tool ${input}`);
	if (identities.some((identity) => sent.unclear.has(identity))) {
		throw new VoiceAgentError(ambiguous, {
			hint: `The same request was sent before ${sent.unclear.period}, with an unclear outcome.`,
		});
	}

	const answer = send(sent.countBefore(run));
	sent.note(origin, answer);
	// This is attached before the caller waits, so it runs before the caller gets the error.
	void answer.catch((error: unknown) => {
		if (mayBeDone(error, ambiguous)) sent.unclear.add(identities);
		else sent.undo(origin);
	});
	return await answer;
}

/**
 * The answer to a request that must not be repeated, as output.
 *
 * With Retry On Fail, n8n runs a node again if its first output item has a top-level field `error`.
 * That would dial a second time, so this field is renamed to `serviceError`.
 */
export function passThrough(
	answer: Pick<JsonAnswer, 'status' | 'json'> & Partial<JsonAnswer>,
): IDataObject {
	const { status, headers, secrets = [] } = answer;
	const json = withoutPasswords(answer.json, secrets);
	const location = withoutPasswords(headers?.location as string | undefined, secrets);
	if (json === undefined) {
		return { accepted: true, httpStatus: status, ...(location && { location }) };
	}
	if (!isJsonObject(json)) return { response: json as IDataObject };
	if (!('error' in json)) return json as IDataObject;
	const { error, ...others } = json as IDataObject;
	return { ...others, serviceError: error };
}

/** Whether the service may have carried out a request that has failed. */
export function mayBeDone(error: unknown, ambiguous: Reason): boolean {
	// Nobody foresaw this error, so nobody knows what happened before it.
	if (!(error instanceof VoiceAgentError)) return true;
	// The service has answered, and calls it a failure itself. It may have begun nevertheless.
	if (error.reason === 'declaredFailure') return true;
	return error.reason === ambiguous;
}

/**
 * The SHA-256 of a value, the same in whatever order its fields are: a model that asks again may
 * name them in another one.
 */
function digest(value: object = {}): string {
	const sorted = (_name: string, one: unknown) => {
		if (!isJsonObject(one)) return one;
		const names = Object.keys(one).sort();
		return names.map((name) => [name, one[name]]);
	};
	return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
