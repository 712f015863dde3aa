import type { IDeduplicationOutput, IExecuteFunctions } from 'n8n-workflow';

/**
 * What n8n remembers for a node over all its executions, in all processes: keys, which it keeps in
 * its database.
 *
 * To note or to forget keys, n8n reads all keys of the node, and then writes all of them. It has no
 * lock, so requests of this process wait for each other. Nothing makes other processes wait:
 *
 * - If two of them write the first keys of a node, n8n refuses the request of one.
 * - If both have read the keys before either writes, those of the first one are lost.
 */

export interface MemorySettings {
	/** Of more keys, n8n forgets the oldest. */
	maxKeys: number;
	/** Whether no key may get lost to another process, at the price of a second request. */
	isCritical?: boolean;
}

/**
 * Notes keys.
 *
 * @returns which of them are new, and which were noted before; `undefined` if n8n cannot note them
 */
export async function remember(
	{ helpers }: IExecuteFunctions,
	keys: string[],
	{ maxKeys, isCritical = false }: MemorySettings,
): Promise<IDeduplicationOutput | undefined> {
	const note = async () =>
		await helpers.checkProcessedAndRecord(keys, 'node', { mode: 'entries', maxEntries: maxKeys });
	return await inTurn(async () => {
		try {
			const noted = await tryTwice(note);
			// Another process may meanwhile have written the keys that it had read before. Ours are
			// then lost, and this notes them again. The first answer counts: to the second one, all
			// keys are known.
			if (isCritical) await note();
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
 * Whether a key is noted. n8n can be asked only by noting the key, so a new one is forgotten again:
 * of two that ask at the same moment, one may hear that it is noted.
 *
 * @returns `false` also if n8n cannot say it
 */
export async function isRemembered(
	context: IExecuteFunctions,
	key: string,
	settings: MemorySettings,
): Promise<boolean> {
	const noted = await remember(context, [key], settings);
	if (noted?.new.includes(key)) await forget(context, [key]);
	return noted?.processed.includes(key) ?? false;
}

/**
 * Forgets keys. This fails safe: if n8n cannot forget a key, the key stays noted. There is no
 * error, because the caller is about to throw its own.
 */
export async function forget({ helpers }: IExecuteFunctions, keys: string[]): Promise<void> {
	const remove = async () => await helpers.removeProcessed(keys, 'node', { mode: 'entries' });
	await inTurn(remove).catch(() => undefined);
}

/** The request to n8n that was made last, in this process. */
let last: Promise<unknown> = Promise.resolve();

/** Makes a request once all earlier ones are over, however they ended. */
async function inTurn<T>(request: () => Promise<T>): Promise<T> {
	const result = last.then(request);
	last = result.catch(() => undefined);
	return await result;
}
