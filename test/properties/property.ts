import fc from 'fast-check';

import { VoiceAgentError } from '../../nodes/errors';
import { cpuMsOf, isTimed } from './node';
import { MOST_CASES, SEED } from './seed';

/** No case may keep n8n from its other work for longer. */
const MAX_CPU_MS = 50;
/** Compiling and collecting garbage take time too, but not each time. */
const CPU_ATTEMPTS = 4;

/**
 * A test that checks a property with many values. With `npm run fuzz`, it also checks how long each
 * case takes.
 */
export function property<Values extends [unknown, ...unknown[]]>(
	name: string,
	cases: number,
	arbitraries: { [Key in keyof Values]: fc.Arbitrary<Values[Key]> },
	check: (...values: Values) => void | Promise<void>,
): void {
	test(`${name} (${cases} cases)`, async () => {
		const run = async (...values: Values) => {
			if (!isTimed) return await check(...values);
			let cpuMs = Infinity;
			for (let attempt = 0; attempt < CPU_ATTEMPTS && cpuMs > MAX_CPU_MS; attempt++) {
				cpuMs = await cpuMsOf(async () => await check(...values));
			}
			if (cpuMs > MAX_CPU_MS) throw new Error(`it takes ${Math.round(cpuMs)} ms`);
		};
		const numRuns = Math.min(cases, MOST_CASES);
		await fc.assert(fc.asyncProperty(...arbitraries, run), { seed: SEED, numRuns });
	});
}

/** What a function yields, or its error, which must be one of our own. */
export async function outcomeOf<T>(
	work: () => T | Promise<T>,
): Promise<{ value?: T; reason?: string; error?: VoiceAgentError }> {
	try {
		return { value: await work() };
	} catch (error) {
		if (error instanceof VoiceAgentError) return { reason: error.reason, error };
		return Promise.reject(error);
	}
}
