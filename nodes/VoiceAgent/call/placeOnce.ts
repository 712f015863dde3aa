import type { IExecuteFunctions } from 'n8n-workflow';

import { refused } from './callGuard';
import { mayBeDone } from '../oncePerItem';
import { oneAtATime } from '../oneAtATime';

/** Of more keys, n8n forgets the oldest. */
const ENTRIES = { mode: 'entries', maxEntries: 10_000 } as const;

/**
 * Places a call unless this node has placed one with the same key before, in any execution, or may have. The key is noted
 * before the call, and forgotten only if the call was certainly not placed.
 *
 * @throws VoiceAgentError `callRefused`, also if n8n cannot remember the key
 */
export async function placeOnce<T>(
	{ helpers }: IExecuteFunctions,
	key: string,
	place: () => Promise<T>,
): Promise<T> {
	const ask = async () => await helpers.checkProcessedAndRecord([key], 'node', ENTRIES);
	// Another process may write at the same time: n8n then refuses the first key of a node, or loses one.
	const note = async () => await ask().catch(ask).finally(ask);
	const known = await oneAtATime(note).catch(() => undefined);
	if (known?.new.length !== 1) {
		const why = known ? 'was used before' : 'cannot be noted by n8n';
		throw refused(`the key '${key.slice(0, 64)}' of 'Place Once per Key' ${why}`);
	}
	const forget = async () => await helpers.removeProcessed([key], 'node', ENTRIES);
	return await place().catch(async (error: Error) => {
		if (!mayBeDone(error, 'callMayHaveBeenPlaced')) await oneAtATime(forget).catch(() => undefined);
		return await Promise.reject(error);
	});
}
