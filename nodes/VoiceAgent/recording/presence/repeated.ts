import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { isToolNode } from '../../../nodeError';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { executionIdOf } from '../../executionId';
import { forget, remember } from '../../n8nMemory';

/**
 * For this long, or up to twice as long, n8n remembers for all its processes that one of them has
 * begun with a recording. Download may wait a minute for it.
 */
const PERIOD_MS = 60_000;
/** How many keys n8n remembers for a node that downloads: up to four for each recording. */
export const MAX_KEYS = 4_000;
/**
 * A second delivery of a webhook is recognized for this long after an execution that did not fail.
 */
const REPEATED_MS = 30 * 60_000;

/** What n8n keeps with the execution: unlike the memory of the process, it outlasts a Wait node. */
interface Kept {
	/**
	 * The keys that n8n remembers for the recordings that this execution has begun with, by
	 * canonical session GUID.
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
 * and those of a sweep, are never taken for repeated ones.
 *
 * If another process has begun with the recording, it may have been killed since. Then this one
 * waits, for up to two minutes, and goes on.
 */
export async function isRepeated(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	// A chat may start its execution in the mode of a webhook. A model that asks for a recording
	// again, in another message, wants it again.
	if (context.getMode() !== 'webhook' || isToolNode(context.getNode())) return false;
	// Without an id, there is no execution that ends.
	if (executionIdOf(context) === undefined) return false;
	const kept = context.getContext('node') as Kept;
	const begun = (kept.begun ??= {});
	const guid = canonicalSessionGuid(sessionGuid);
	// The same execution again, by Retry On Fail or for a second item.
	if (begun[guid]) return false;

	const nowMs = Date.now();
	for (const [key, begunMs] of begunHere) {
		if (nowMs - begunMs > REPEATED_MS) begunHere.delete(key);
	}
	if (begunHere.has(keyOf(context, guid))) return true;
	begunHere.set(keyOf(context, guid), nowMs);

	const period = Math.floor(nowMs / PERIOD_MS);
	// With the period before, so that an execution is found that began right at the end of it.
	const keys = [`${guid} ${period}`, `${guid} ${period - 1}`];
	begun[guid] = keys;
	context.onExecutionFinish?.(async () => {
		const data = await context.getExecutionDataById(context.getExecutionId());
		if (!data || data.resultData.error) await forgetRecording(context, guid);
	});
	const noted = await remember(context, keys, { maxKeys: MAX_KEYS });
	// Whatever n8n cannot note: a recording is better downloaded twice than not at all.
	const isKnown = noted !== undefined && noted.processed.length > 0;
	if (isKnown) await sleep((period + 2) * PERIOD_MS - nowMs);
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
	const keys = begun[guid];
	if (!keys) return;
	delete begun[guid];
	begunHere.delete(keyOf(context, guid));
	await forget(context, keys);
}

function keyOf(context: IExecuteFunctions, guid: string): string {
	return `${context.getWorkflow().id} ${context.getNode().id} ${guid}`;
}
