import type { IExecuteFunctions } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { isRemembered, remember } from '../../n8nMemory';
import { MAX_KEYS } from './repeated';

/*
 * Whether a node has downloaded a recording before, in any execution and process. To the service, a
 * recording that was archived and deleted looks like one that it has not made yet. Both answers are
 * 404, and this tells them apart.
 */

/** Before another node can delete the recording. */
export async function noteDownloaded(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<void> {
	await remember(context, [keyOf(sessionGuid)], { maxKeys: MAX_KEYS });
}

/** `false` if n8n cannot say it: then a recording that was archived counts as missing. */
export async function wasDownloaded(
	context: IExecuteFunctions,
	sessionGuid: string,
): Promise<boolean> {
	return await isRemembered(context, keyOf(sessionGuid), { maxKeys: MAX_KEYS });
}

function keyOf(sessionGuid: string): string {
	return `${canonicalSessionGuid(sessionGuid)} downloaded`;
}
