import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { executionIdOf } from '../../executionId';
import { oneAtATime } from '../../oneAtATime';

/**
 * For this long, or twice as long, n8n remembers for all its processes that one has begun with a
 * recording.
 */
const PERIOD_MS = 30_000;
const ENTRIES = { mode: 'entries', maxEntries: 1000 } as const;
/**
 * A second delivery of a webhook is recognized for this long after an execution that did not fail.
 */
const REPEATED_MS = 30 * 60_000;

/** What n8n keeps with the execution: unlike the memory of the process, it outlasts a Wait node. */
interface Kept {
	/**
	 * What n8n remembers of the recordings that this execution has begun with, by canonical session
	 * GUID.
	 */
	begun?: Record<string, string[]>;
}

/**
 * What executions of this process have begun with, and when: in milliseconds since 1970. The oldest
 * come first.
 */
const begunHere = new Map<string, number>();

/**
 * Whether another execution that a webhook has started has begun with this recording, and has not
 * failed: a service may deliver a webhook twice. Executions that are started or retried by hand,
 * and those of a sweep, are never taken for repeated ones. If another process has begun with it, it
 * may have been killed: then this one waits, and goes on.
 */
export async function isRepeated(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	// A tool of n8n's MCP Server Trigger has the mode of a webhook too, and no execution that ends.
	if (context.getMode() !== 'webhook' || executionIdOf(context) === undefined) return false;
	const kept = context.getContext('node') as Kept;
	const begun = (kept.begun ??= {});
	const guid = canonicalSessionGuid(sessionGuid);
	if (begun[guid]) return false;
	const nowMs = Date.now();
	for (const [key, ms] of begunHere) if (nowMs - ms > REPEATED_MS) begunHere.delete(key);
	if (begunHere.has(keyOf(context, guid))) return true;
	begunHere.set(keyOf(context, guid), nowMs);
	const period = Math.floor(nowMs / PERIOD_MS);
	const entries = [`${guid} ${period}`, `${guid} ${period - 1}`];
	begun[guid] = entries;
	context.onExecutionFinish?.(async () => {
		const data = await context.getExecutionDataById(context.getExecutionId());
		if (!data || data.resultData.error) await forgetRecording(context, guid);
	});
	if (await isKnown(context, entries)) await sleep((period + 2) * PERIOD_MS - nowMs);
	return false;
}

/**
 * After an execution that has archived nothing, the next webhook for this recording is not a
 * repeated one.
 */
export async function forgetRecording(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<void> {
	const { begun = {} } = context.getContext('node') as Kept;
	const guid = canonicalSessionGuid(sessionGuid);
	const entries = begun[guid];
	if (!entries) return;
	delete begun[guid];
	begunHere.delete(keyOf(context, guid));
	const { helpers } = context;
	const forget = async () => await helpers.removeProcessed(entries, 'node', ENTRIES);
	await oneAtATime(forget).catch(() => undefined);
}

function keyOf(context: IExecuteFunctions, guid: string): string {
	return `${context.getWorkflow().id} ${context.getNode().id} ${guid}`;
}

async function isKnown({ helpers }: IExecuteFunctions, entries: string[]): Promise<boolean> {
	const ask = async () => await helpers.checkProcessedAndRecord(entries, 'node', ENTRIES);
	// n8n refuses the first entries of a node if another process writes its first ones in this
	// moment. And whatever n8n cannot remember, a recording is better downloaded twice than not at
	// all.
	const answer = await oneAtATime(async () => await ask().catch(ask)).catch(() => undefined);
	return (answer?.processed.length ?? 0) > 0;
}
