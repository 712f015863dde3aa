import type { IExecuteFunctions } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../service/sessionGuid';

/** A second delivery of a webhook is recognized for this long, or twice as long. After that, a sweep may go on. */
const PERIOD_MS = 30 * 60_000;
const ENTRIES = { mode: 'entries', maxEntries: 1000 } as const;

/** Recordings and the executions that began with them. In one process, this is exact. */
const begun = new Map<string, { executionId: string; ms: number }>();
/** n8n reads its entries, then writes all of them: of two requests at once, one would be lost. */
let lastRequest: Promise<unknown> = Promise.resolve();

/**
 * Whether another execution that a webhook has started, in this process or another, has begun with this recording within
 * the last half hour: a service may deliver a webhook twice. Executions that are started or retried by hand, and those of
 * a sweep, are never taken for repeated ones. If two processes ask in the same moment, n8n may tell both that they are the
 * first.
 */
export async function isRepeated(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	if (context.getMode() !== 'webhook') return false;
	const now = Date.now();
	for (const [key, { ms }] of begun) if (now - ms > PERIOD_MS) begun.delete(key);
	const key = keyOf(context, sessionGuid);
	const executionId = context.getExecutionId();
	const former = begun.get(key);
	if (former) return former.executionId !== executionId;
	begun.set(key, { executionId, ms: now });

	const ask = async () =>
		await context.helpers.checkProcessedAndRecord(entriesOf(sessionGuid, now), 'node', ENTRIES);
	// n8n refuses the first entries of a node if another process writes its first ones in this moment. And whatever n8n
	// cannot remember, a recording is better downloaded twice than not at all.
	const answer = await oneAtATime(async () => await ask().catch(ask)).catch(() => undefined);
	return (answer?.processed.length ?? 0) > 0;
}

/** After an execution that has output nothing, the next webhook for this recording is not a repeated one. */
export async function forgetRecording(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<void> {
	const key = keyOf(context, sessionGuid);
	const mine = begun.get(key);
	if (mine?.executionId !== context.getExecutionId()) return;
	begun.delete(key);
	await oneAtATime(
		async () =>
			await context.helpers.removeProcessed(entriesOf(sessionGuid, mine.ms), 'node', ENTRIES),
	).catch(() => undefined);
}

function keyOf(context: IExecuteFunctions, sessionGuid: string): string {
	const recording = canonicalSessionGuid(sessionGuid);
	return [context.getWorkflow().id, context.getNode().id, recording].join(' ');
}

function entriesOf(sessionGuid: string, ms: number): string[] {
	const period = Math.floor(ms / PERIOD_MS);
	return [period, period - 1].map((one) => `${canonicalSessionGuid(sessionGuid)} ${one}`);
}

async function oneAtATime<T>(request: () => Promise<T>): Promise<T> {
	const result = lastRequest.then(request);
	lastRequest = result.catch(() => undefined);
	return await result;
}
