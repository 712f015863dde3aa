import { createHash } from 'node:crypto';
import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { withoutPasswords } from '../data/hidePasswords';
import { isJsonObject } from '../data/json';
import { type Reason, VoiceAgentError } from '../errors';
import type { JsonAnswer } from '../service/http/request';
import { isToolNode } from '../nodeError';
import { executionIdOf } from './executionId';

/**
 * What n8n keeps with the execution: unlike the memory of the process, it outlasts a Wait node.
 * Without an execution, as in a tool of its MCP Server Trigger, that is for one tool call.
 */
interface Kept {
	/**
	 * How many requests the node has sent in this execution, without those that were certainly not
	 * carried out.
	 */
	sent?: number;
	/**
	 * Digests that identify the requests that the service may have carried out although they
	 * failed.
	 */
	unclear?: string[];
}

interface Sent {
	run: number;
	/** Digest of the input item. */
	input: string;
	/** `undefined` if the request was certainly not carried out, so that it may be sent again. */
	answer?: Promise<unknown>;
}

/** More do not run at the same time. */
const MAX_EXECUTIONS = 1_000;
/**
 * By execution and node, those used last at the end: n8n may resume an execution twice, and each
 * then has a context of its own.
 */
const sentByNode = new Map<string, Map<string, Sent>>();
/** By what n8n keeps, for requests without an execution. */
const sentByContext = new WeakMap<Kept, Map<string, Sent>>();

/** For so long, an unclear outcome is remembered for the next tool call without an execution. */
const UNCLEAR_MS = 60 * 60_000;
/** When that was, in milliseconds since 1970, by node and identity of the request. */
const unclearHere = new Map<string, number>();

/**
 * Sends a request only once for each item, however often n8n tries again. Retry On Fail runs a node
 * again with all its items: those that succeeded get their earlier answer. In a tool of an AI
 * agent, n8n counts each try as a new run, so a request that the service may have carried out
 * although it failed is never sent again in the same execution.
 * @param request.ambiguous reason of a failure after which the service may have carried out the
 * request
 * @param send gets the number of requests that earlier runs of the node have sent in this execution
 * @throws VoiceAgentError `ambiguous` for a request that was sent before with an unclear outcome,
 * `toolCallsMixedUp` for a tool call that got the parameters of another one
 */
export async function oncePerItem<T>(
	context: IExecuteFunctions,
	itemIndex: number,
	{ body, ambiguous }: { body: object; ambiguous: Reason },
	send: (sentBefore: number) => Promise<T>,
): Promise<T> {
	const run = context.getWorkflowDataProxy(itemIndex).$runIndex as number;
	const input = digest(context.getInputData()[itemIndex]?.json);
	// Until the request is noted down, nothing waits: of two calls at once, the second must see the
	// first.
	const kept = context.getContext('node') as Kept;
	const sent = sentIn(context, kept);
	const key = `${run} ${itemIndex}`;
	const entry: Sent = sent.get(key) ?? { run, input };
	// n8n gives tool calls of one batch the same run, and $fromAI() the values of the first of
	// them.
	if (entry.input !== input) throw new VoiceAgentError('toolCallsMixedUp');
	if (entry.answer) return await (entry.answer as Promise<T>);

	// The parameters of a retried tool call may contain the time. What the model has asked for
	// stays the same.
	const identities = [digest(body), ...(isToolNode(context.getNode()) ? [`tool ${input}`] : [])];
	const unclear = unclearOutcomes(context, kept);
	if (identities.some((identity) => unclear.has(identity))) {
		throw new VoiceAgentError(ambiguous, {
			hint: `The same request was sent before ${unclear.period}, with an unclear outcome.`,
		});
	}
	const inThisRun = [...sent.values()].filter((one) => one.run === run && one.answer);
	const answer = send((kept.sent ?? 0) - inThisRun.length);
	sent.set(key, entry);
	entry.answer = answer;
	kept.sent = (kept.sent ?? 0) + 1;
	// Runs before the caller gets the error, because it is attached first.
	void answer.catch((error: unknown) => {
		if (mayBeDone(error, ambiguous)) {
			unclear.add(identities);
		} else {
			entry.answer = undefined;
			kept.sent = (kept.sent ?? 0) - 1;
		}
	});
	return await answer;
}

function sentIn(context: IExecuteFunctions, kept: Kept): Map<string, Sent> {
	const executionId = executionIdOf(context);
	if (executionId === undefined) {
		const sent = sentByContext.get(kept) ?? new Map<string, Sent>();
		sentByContext.set(kept, sent);
		return sent;
	}
	const place = `${executionId} ${context.getNode().id}`;
	const sent = sentByNode.get(place) ?? new Map<string, Sent>();
	sentByNode.delete(place);
	sentByNode.set(place, sent);
	const [oldest = ''] = sentByNode.keys();
	if (sentByNode.size > MAX_EXECUTIONS) sentByNode.delete(oldest);
	return sent;
}

/** The requests that the service may have carried out although they failed. */
function unclearOutcomes(context: IExecuteFunctions, kept: Kept) {
	if (executionIdOf(context) !== undefined) {
		return {
			period: 'in this execution',
			has: (identity: string) => kept.unclear?.includes(identity) === true,
			add(identities: string[]) {
				kept.unclear = [...(kept.unclear ?? []), ...identities];
			},
		};
	}
	const nowMs = Date.now();
	for (const [key, ms] of unclearHere) if (nowMs - ms > UNCLEAR_MS) unclearHere.delete(key);
	const keyOf = (identity: string) =>
		`${context.getWorkflow().id} ${context.getNode().id} ${identity}`;
	return {
		period: 'in the last hour',
		has: (identity: string) => unclearHere.has(keyOf(identity)),
		add(identities: string[]) {
			for (const identity of identities) unclearHere.set(keyOf(identity), Date.now());
		},
	};
}

/**
 * The answer to a request that must not be repeated, as output. With Retry On Fail, n8n runs a node
 * again if its first output item has a top-level field `error`, so this field is renamed to
 * `serviceError`.
 */
export function passThrough(
	answer: Pick<JsonAnswer, 'status' | 'json'> & Partial<JsonAnswer>,
): IDataObject {
	const { status, headers, secrets = [] } = answer;
	const json = withoutPasswords(answer.json, secrets);
	const location = withoutPasswords(headers?.location as string | undefined, secrets);
	if (json === undefined)
		return { accepted: true, httpStatus: status, ...(location && { location }) };
	if (!isJsonObject(json)) return { response: json as IDataObject };
	if (!('error' in json)) return json as IDataObject;
	const { error, ...others } = json as IDataObject;
	return { ...others, serviceError: error };
}

/** Whether the service may have carried out a request that has failed. */
export function mayBeDone(error: unknown, ambiguous: Reason): boolean {
	return (
		!(error instanceof VoiceAgentError) || [ambiguous, 'declaredFailure'].includes(error.reason)
	);
}

/**
 * The same in whatever order the fields are: a model that asks again may name them in another one.
 */
function digest(value: object = {}): string {
	const sorted = (_name: string, one: unknown) =>
		isJsonObject(one)
			? Object.keys(one)
					.sort()
					.map((name) => [name, one[name]])
			: one;
	return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
