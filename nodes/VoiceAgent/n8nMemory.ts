import { randomUUID } from 'node:crypto';
import { type IDeduplicationOutput, type IExecuteFunctions, sleep } from 'n8n-workflow';

/**
 * What n8n remembers for a node or a workflow over all its executions, in all processes: keys,
 * which it keeps in its database.
 *
 * To note or to forget keys, n8n reads all keys of the node or workflow, and then writes all of
 * them. It has no lock, so requests of this process wait for each other. Nothing makes other
 * processes wait:
 *
 * - If two of them write the first keys, n8n refuses the request of one.
 * - If both have read the keys before either writes, those of the first one are lost.
 */

export interface MemorySettings {
	/** Of more keys, n8n forgets the oldest. */
	maxKeys: number;
	/** Whether no key may get lost to another process, at the price of a second request. */
	isCritical?: boolean;
	/**
	 * Whose keys they are, by default those of the node. Keys of a workflow are shared by all its
	 * nodes, also by n8n's Remove Duplicates if its Scope is Workflow.
	 */
	scope?: 'node' | 'workflow';
}

/**
 * Notes keys.
 *
 * @returns which of them are new, and which were noted before; `undefined` if n8n cannot note them
 */
export async function remember(
	context: IExecuteFunctions,
	keys: string[],
	settings: MemorySettings,
): Promise<IDeduplicationOutput | undefined> {
	return await inTurn(async () => {
		try {
			const noted = await tryTwice(async () => await note(context, keys, settings));
			// Another process may meanwhile have written the keys that it had read before. Ours are
			// then lost, and this notes them again. The first answer counts: to the second one, all
			// keys are known.
			if (settings.isCritical) await note(context, keys, settings);
			return noted;
		} catch {
			return undefined;
		}
	});
}

/**
 * n8n refuses the first keys of a node if another process has just written some. The keys of that
 * process are then there to be read, so the second attempt succeeds.
 */
async function tryTwice<T>(request: () => Promise<T>): Promise<T> {
	try {
		return await request();
	} catch {
		return await request();
	}
}

/**
 * How long a process waits until what others have read before is written, in milliseconds. n8n
 * writes within milliseconds after it has read. The time must be many times as long, because others
 * may read meanwhile, and write again what was overwritten.
 */
const SETTLED_MS = 2_000;
/** After this many attempts, other processes write so often that a claim is given up. */
const MAX_CLAIMS = 5;

/**
 * Notes a key for only one of all processes.
 *
 * If several of them have read that the key is new, each writes what the others then no longer
 * find: what the last one has written stays. So each notes the key with another token. Once all of
 * them have written, the one whose token is still there has the key. That fails only if two
 * processes stand still between reading and writing for about as long as this waits.
 *
 * @returns whether the key is claimed, or was noted before; `undefined` if n8n cannot say it
 */
export async function claim(
	context: IExecuteFunctions,
	key: string,
	settings: MemorySettings,
): Promise<'claimed' | 'noted before' | undefined> {
	for (let attempt = 1; attempt <= MAX_CLAIMS; attempt++) {
		const token = `${key} ${randomUUID()}`;
		const noted = await remember(context, [key, token], settings);
		if (!noted) return undefined;
		if (noted.processed.includes(key)) {
			await forget(context, [token]);
			return 'noted before';
		}
		await sleep(SETTLED_MS);
		const stillNoted = await remember(context, [token], settings);
		if (!stillNoted) return undefined;
		await forget(context, [token]);
		if (stillNoted.processed.includes(token)) return 'claimed';
		// Another process has overwritten it, maybe for another key: this key may be free.
	}
	return undefined;
}

/**
 * Notes facts, each with two keys: n8n can be asked for a key only by noting it. A question that is
 * interrupted leaves the first key behind, which must not look like the fact.
 */
export async function rememberFacts(
	context: IExecuteFunctions,
	facts: readonly string[],
	settings: MemorySettings,
): Promise<void> {
	await remember(context, facts.flatMap(keysOf), settings);
}

/** @returns whether a fact is noted; `false` also if n8n cannot say it */
export async function isFact(
	context: IExecuteFunctions,
	fact: string,
	settings: MemorySettings,
): Promise<boolean> {
	// In one turn, so that no other question of this process hears what this one notes.
	return await inTurn(async () => {
		try {
			for (const key of keysOf(fact)) {
				const { processed } = await tryTwice(async () => await note(context, [key], settings));
				if (processed.includes(key)) continue;
				await remove(context, keysOf(fact), settings);
				return false;
			}
			return true;
		} catch {
			return false;
		}
	});
}

function keysOf(fact: string): string[] {
	return [fact, `${fact}, confirmed`];
}

/**
 * Forgets keys. This fails safe: if n8n cannot forget a key, the key stays noted. There is no
 * error, because the caller is about to throw its own.
 */
export async function forget(context: IExecuteFunctions, keys: string[]): Promise<void> {
	await inTurn(async () => await remove(context, keys)).catch(() => undefined);
}

async function note(
	{ helpers }: IExecuteFunctions,
	keys: string[],
	{ maxKeys, scope = 'node' }: MemorySettings,
): Promise<IDeduplicationOutput> {
	const options = { mode: 'entries', maxEntries: maxKeys } as const;
	return await helpers.checkProcessedAndRecord(keys, scope, options);
}

async function remove(
	{ helpers }: IExecuteFunctions,
	keys: string[],
	{ scope = 'node' }: Pick<MemorySettings, 'scope'> = {},
): Promise<void> {
	await helpers.removeProcessed(keys, scope, { mode: 'entries' });
}

/** The request to n8n that was made last, in this process. */
let last: Promise<unknown> = Promise.resolve();

/** Makes a request once all earlier ones are over, however they ended. */
async function inTurn<T>(request: () => Promise<T>): Promise<T> {
	const result = last.then(request);
	last = result.catch(() => undefined);
	return await result;
}
