import type { IExecuteFunctions } from 'n8n-workflow';

import type { Field } from '../../fields/field';
import { canonicalSessionGuid } from '../../service/sessionGuid';

/** A second delivery of a webhook comes within minutes of the first. It is recognized for this long, or twice as long. */
const PERIOD_MS = 10 * 60_000;
const REMEMBERED = 1000;

export const skipRepeated = {
	displayName: 'Skip Repeated Webhooks',
	name: 'skipRepeated',
	type: 'boolean',
	default: true,
	description:
		'Whether to output nothing if another execution has just begun to download the same recording, because the service delivered its webhook twice. Executions that you start or retry by hand, and those of a sweep, are never skipped.',
} as const satisfies Field;

/** Recordings and the executions that began with them. In one process, this is exact. */
const begun = new Map<string, { executionId: string; ms: number }>();

/**
 * Whether another execution that a webhook has started, in this process or another, has begun with this recording within
 * the last minutes. If two processes ask in the same moment, n8n may tell both that they are the first.
 */
export async function isRepeated(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	if (context.getMode() !== 'webhook') return false;
	const now = Date.now();
	for (const [key, { ms }] of begun) if (now - ms > PERIOD_MS) begun.delete(key);
	const recording = canonicalSessionGuid(sessionGuid);
	const key = [context.getWorkflow().id, context.getNode().id, recording].join(' ');
	const executionId = context.getExecutionId();
	const former = begun.get(key);
	if (former) return former.executionId !== executionId;
	begun.set(key, { executionId, ms: now });

	const period = Math.floor(now / PERIOD_MS);
	const entries = [period, period - 1].map((one) => `${recording} ${one}`);
	const options = { mode: 'entries', maxEntries: REMEMBERED } as const;
	const { processed } = await context.helpers.checkProcessedAndRecord(entries, 'node', options);
	return processed.length > 0;
}
