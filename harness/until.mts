import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 180_000;

/**
 * Waits for what must come true, also on a busy machine. What is asked may be down meanwhile.
 *
 * @returns what the probe has found
 * @throws {Error} after three minutes
 */
export async function until<T>(
	probe: () => Promise<T> | T,
	otherwise: () => string = () => `not within three minutes: ${String(probe)}`,
): Promise<NonNullable<T>> {
	const deadline = Date.now() + TIMEOUT_MS;
	for (let cause: unknown; ; await sleep(50)) {
		try {
			const found = await probe();
			if (found) return found;
			cause = undefined;
		} catch (error) {
			cause = error;
		}
		if (Date.now() > deadline) throw new Error(otherwise(), { cause });
	}
}
