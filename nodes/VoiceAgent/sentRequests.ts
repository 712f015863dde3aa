import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { executionIdOf } from './executionId';

/**
 * What a node has sent in one execution. Neither of the two places in which it is kept would do
 * alone:
 *
 * - The context of the node, which n8n stores with the execution, outlasts a Wait node and a
 *   restart. It holds JSON only, so it has a count, and digests of requests.
 * - The memory of this process also has answers, even those that are still awaited.
 *
 * Some tool calls have no execution: n8n's MCP Server Trigger runs a tool without the id of one.
 * Each of these calls has a context of its own, and the memory has the rest.
 */

/**
 * The context of the node, which n8n stores with the execution. Without an execution, it lasts for
 * one tool call.
 */
interface StoredContext {
	/**
	 * How many requests the node has sent in this execution, without those that were certainly not
	 * carried out.
	 */
	sent?: number;
	/** Digests of the requests that the service may have carried out although they failed. */
	unclear?: string[];
}

/** What a request is sent for. */
interface Origin {
	/** The run of the node within the execution, from 0. */
	run: number;
	itemIndex: number;
	/** Digest of the input item. */
	input: string;
}

interface SentRequest extends Origin {
	/** The answer to the request, or its failure: for this try, and for all later ones. */
	answer: Promise<unknown>;
	/** Whether the request was certainly not carried out, so that a later try sends it again. */
	isUndone: boolean;
}

/** By run and item. */
type Requests = Map<string, SentRequest>;

/**
 * For how many nodes of executions this process remembers the requests. A process hardly runs more
 * at the same time.
 *
 * If the answers of a node are forgotten while it runs, a later try of its run sends again what has
 * succeeded. What the stored context has is not forgotten: a request with an unclear outcome is
 * still not sent again, and all requests still count.
 */
const MAX_NODES = 1_000;
/**
 * The requests of each node of an execution, those of the node that asked last at the end. They are
 * not in the context of the node: n8n may resume an execution twice at the same moment, and each of
 * the two gets a context of its own.
 */
const requestsByNode = new Map<string, Requests>();
/** The requests of tool calls without an execution, by the context of the node. */
const requestsByContext = new WeakMap<StoredContext, Requests>();

export class SentRequests {
	constructor(
		private readonly stored: StoredContext,
		private readonly requests: Requests,
		readonly unclear: UnclearRequests,
	) {}

	/**
	 * The answer that an earlier try for the same item in the same run has got, or will get.
	 * `undefined` if there was none, or if its request was certainly not carried out.
	 *
	 * @throws VoiceAgentError `toolCallsMixedUp`
	 */
	answerTo(origin: Origin): Promise<unknown> | undefined {
		const earlier = this.requests.get(keyOf(origin));
		if (!earlier) return undefined;
		// n8n gives all tool calls of one batch the same run, and $fromAI() the values of the first
		// call of the batch. So this tool call would call the person whom the first one has called.
		if (earlier.input !== origin.input) throw new VoiceAgentError('toolCallsMixedUp');
		return earlier.isUndone ? undefined : earlier.answer;
	}

	/**
	 * How many requests the earlier runs of the node have sent in this execution. A run does not
	 * outlast the process, so the memory has all requests of this run. If it has forgotten some, they
	 * count as those of earlier runs.
	 */
	countBefore(run: number): number {
		const inThisRun = [...this.requests.values()].filter((one) => one.run === run && !one.isUndone);
		return (this.stored.sent ?? 0) - inThisRun.length;
	}

	/** Notes a request that was just sent. */
	note(origin: Origin, answer: Promise<unknown>): SentRequest {
		const request = { ...origin, answer, isUndone: false };
		this.requests.set(keyOf(origin), request);
		this.stored.sent = (this.stored.sent ?? 0) + 1;
		return request;
	}

	/** Notes that a request was certainly not carried out: it no longer counts. */
	undo(request: SentRequest): void {
		request.isUndone = true;
		this.stored.sent = (this.stored.sent ?? 0) - 1;
	}
}

export function sentRequestsOf(context: IExecuteFunctions): SentRequests {
	const stored = context.getContext('node') as StoredContext;
	const executionId = executionIdOf(context);
	if (executionId === undefined) {
		const requests = requestsByContext.get(stored) ?? new Map<string, SentRequest>();
		requestsByContext.set(stored, requests);
		return new SentRequests(stored, requests, unclearInLastHour(context));
	}
	const requests = requestsOfNode(`${executionId} ${context.getNode().id}`);
	return new SentRequests(stored, requests, unclearInExecution(stored));
}

function requestsOfNode(key: string): Requests {
	const requests = requestsByNode.get(key) ?? new Map<string, SentRequest>();
	// At the end of the map, the requests of this node are the last ones to be forgotten.
	requestsByNode.delete(key);
	requestsByNode.set(key, requests);
	if (requestsByNode.size > MAX_NODES) {
		const [oldest] = requestsByNode.keys();
		if (oldest !== undefined) requestsByNode.delete(oldest);
	}
	return requests;
}

function keyOf({ run, itemIndex }: Origin): string {
	return `${run} ${itemIndex}`;
}

/** The requests that the service may have carried out although they failed, by their digests. */
interface UnclearRequests {
	/** When such a request was sent, for a message. */
	period: string;
	has(identity: string): boolean;
	add(identities: readonly string[]): void;
}

function unclearInExecution(stored: StoredContext): UnclearRequests {
	return {
		period: 'in this execution',
		has: (identity) => stored.unclear?.includes(identity) === true,
		add(identities) {
			stored.unclear = [...(stored.unclear ?? []), ...identities];
		},
	};
}

/** How long an unclear request of a tool call without an execution is remembered. */
const UNCLEAR_MS = 60 * 60_000;
/** When the request failed, in milliseconds since 1970, by workflow, node and identity. */
const unclearHere = new Map<string, number>();

function unclearInLastHour(context: IExecuteFunctions): UnclearRequests {
	const nowMs = Date.now();
	for (const [key, failedMs] of unclearHere) {
		if (nowMs - failedMs > UNCLEAR_MS) unclearHere.delete(key);
	}
	const place = `${context.getWorkflow().id} ${context.getNode().id}`;
	return {
		period: 'in the last hour',
		has: (identity) => unclearHere.has(`${place} ${identity}`),
		add(identities) {
			for (const identity of identities) unclearHere.set(`${place} ${identity}`, Date.now());
		},
	};
}
