import type { IExecuteFunctions } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { isFact, rememberFacts } from '../../n8nMemory';
import { MAX_KEYS } from './repeated';

/*
 * Whether a node has downloaded a recording before, in any execution and process. To the service, a
 * recording that was deleted looks like one that it has not made yet. Both answers are 404, and
 * this tells them apart. It is no evidence that the recording is archived: see done.ts.
 */

/**
 * Before another node can delete the recordings. All of them at once, because n8n reads and writes
 * all that it remembers each time.
 */
export async function noteDownloaded(
	context: IExecuteFunctions,
	sessionGuids: readonly string[],
): Promise<void> {
	await rememberFacts(context, sessionGuids.map(factOf), { maxKeys: MAX_KEYS });
}

/** `false` if n8n cannot say it: then a recording that was deleted counts as missing. */
export async function wasDownloaded(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	return await isFact(context, factOf(sessionGuid), { maxKeys: MAX_KEYS });
}

function factOf(sessionGuid: string): string {
	return `${canonicalSessionGuid(sessionGuid)} downloaded`;
}
