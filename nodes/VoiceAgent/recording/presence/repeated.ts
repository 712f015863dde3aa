import type { IExecuteFunctions } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';

/** A second delivery of a webhook is recognized for this long, or twice as long. After that, a sweep may go on. */
const PERIOD_MS = 30 * 60_000;
const ENTRIES = { mode: 'entries', maxEntries: 1000 } as const;

/** What n8n keeps with the execution: unlike the memory of the process, it outlasts a Wait node. */
interface Kept {
	/** What n8n remembers of the recordings that this execution has begun with, by canonical session GUID. */
	begun?: Record<string, string[]>;
}

/** n8n reads its entries, then writes all of them: of two requests at once, one would be lost. */
let lastRequest: Promise<unknown> = Promise.resolve();

/**
 * Whether another execution that a webhook has started has begun with this recording within the last half hour: a service
 * may deliver a webhook twice. Executions that are started or retried by hand, and those of a sweep, are never taken for
 * repeated ones. If two processes ask in the same moment, n8n may tell both that they are the first.
 */
export async function isRepeated(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	if (context.getMode() !== 'webhook') return false;
	const kept = context.getContext('node') as Kept;
	const begun = (kept.begun ??= {});
	const key = canonicalSessionGuid(sessionGuid);
	if (begun[key]) return false;
	const period = Math.floor(Date.now() / PERIOD_MS);
	const entries = [`${key} ${period}`, `${key} ${period - 1}`];
	begun[key] = entries;
	if (!(await isKnown(context, entries))) return false;
	delete begun[key];
	return true;
}

/** After an execution that has output nothing, the next webhook for this recording is not a repeated one. */
export async function forgetRecording(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<void> {
	const { begun = {} } = context.getContext('node') as Kept;
	const key = canonicalSessionGuid(sessionGuid);
	const entries = begun[key];
	if (!entries) return;
	delete begun[key];
	const { helpers } = context;
	const forget = async () => await helpers.removeProcessed(entries, 'node', ENTRIES);
	await oneAtATime(forget).catch(() => undefined);
}

async function isKnown({ helpers }: IExecuteFunctions, entries: string[]): Promise<boolean> {
	const ask = async () => await helpers.checkProcessedAndRecord(entries, 'node', ENTRIES);
	// n8n refuses the first entries of a node if another process writes its first ones in this moment. And whatever n8n
	// cannot remember, a recording is better downloaded twice than not at all.
	const answer = await oneAtATime(async () => await ask().catch(ask)).catch(() => undefined);
	return (answer?.processed.length ?? 0) > 0;
}

async function oneAtATime<T>(request: () => Promise<T>): Promise<T> {
	const result = lastRequest.then(request);
	lastRequest = result.catch(() => undefined);
	return await result;
}
