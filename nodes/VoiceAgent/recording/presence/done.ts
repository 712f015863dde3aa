import type { IExecuteFunctions } from 'n8n-workflow';

import { serviceAccess } from '../../../service/http/transport';
import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { isFact, type MemorySettings, rememberFacts } from '../../n8nMemory';

/*
 * Evidence that a recording which is gone is not lost: Delete or Check Archive has found it in the
 * archive, or Delete has deleted it. A download is no such evidence, because the upload behind it
 * may have failed.
 */

const MEMORY: MemorySettings = {
	/** Two for each recording. As many as n8n's Remove Duplicates keeps by default. */
	maxKeys: 10_000,
	isCritical: true,
	scope: 'workflow',
};

/**
 * What any workflow has deleted in this process, the oldest first: by service and canonical session
 * GUID. n8n has no memory that workflows share.
 */
const deletedHere = new Set<string>();
const MAX_DELETED = 10_000;

/** Notes that this workflow is done with a recording. */
export async function noteDone(context: IExecuteFunctions, sessionGuid: string): Promise<void> {
	await rememberFacts(context, [factOf(sessionGuid)], MEMORY);
}

/** Notes for other workflows that this one is done with a recording, and has deleted it. */
export async function noteDeletedHere(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<void> {
	deletedHere.add(await placeOf(context, itemIndex, sessionGuid));
	if (deletedHere.size <= MAX_DELETED) return;
	const [oldest] = deletedHere;
	if (oldest !== undefined) deletedHere.delete(oldest);
}

/**
 * Whether this workflow is done with a recording, or another one has deleted it. `false` if n8n
 * cannot say it.
 */
export async function isDone(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<boolean> {
	if (deletedHere.has(await placeOf(context, itemIndex, sessionGuid))) return true;
	return await isFact(context, factOf(sessionGuid), MEMORY);
}

async function placeOf(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<string> {
	const { baseUrl } = await serviceAccess(context, itemIndex);
	return `${baseUrl} ${canonicalSessionGuid(sessionGuid)}`;
}

function factOf(sessionGuid: string): string {
	return `${canonicalSessionGuid(sessionGuid)} done`;
}
