import { type IExecuteFunctions, sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import { placeOncePerKey } from '../../nodes/VoiceAgent/call/callGuard';

/** What n8n keeps for the node over all executions. */
function memory() {
	const known = new Set<string>();
	const helpers = {
		async checkProcessedAndRecord(keys: string[]) {
			const processed = keys.filter((key) => known.has(key));
			await Promise.resolve();
			for (const key of keys) known.add(key);
			return { new: keys.filter((key) => !processed.includes(key)), processed };
		},
		removeProcessed: async (keys: string[]) => keys.forEach((key) => known.delete(key)),
	};
	return { helpers: helpers as unknown as IExecuteFunctions['helpers'], known };
}

const context = (helpers: object) => ({ helpers }) as IExecuteFunctions;
const place = jest.fn(async () => 'placed');
beforeEach(() => {
	jest.useFakeTimers();
	place.mockClear();
});
afterEach(() => jest.useRealTimers());

/** Waits for a promise while the time of the timers passes. */
async function settled<T>(promise: Promise<T>): Promise<T> {
	let isOver = false;
	const over = promise.finally(() => (isOver = true));
	over.catch(() => undefined);
	while (!isOver) await jest.advanceTimersByTimeAsync(50);
	return await over;
}

test('a second call with the same key is refused, even at the same time', async () => {
	const { helpers } = memory();
	const both = ['a'.repeat(65), 'a'.repeat(65), 'b'].map(
		async (key) => await placeOncePerKey(context(helpers), key, place),
	);
	const [first, second, other] = await settled(Promise.allSettled(both));
	expect(first).toMatchObject({ value: 'placed' });
	const why = `'${'a'.repeat(64)}' of 'Place Once per Key' was used before`;
	expect(second).toMatchObject({ reason: { message: expect.stringContaining(why) } });
	expect(other).toMatchObject({ value: 'placed' });
	expect(place).toHaveBeenCalledTimes(2);
});

test.each([
	[new VoiceAgentError('rateLimited'), false],
	[new VoiceAgentError('callMayHaveBeenPlaced'), true],
	[new VoiceAgentError('declaredFailure'), true],
	[new Error('of somebody else'), true],
])('after %s, the key is kept: %s', async (error, isKept) => {
	const { helpers, known } = memory();
	const failing = async () => await Promise.reject(error);
	await expect(settled(placeOncePerKey(context(helpers), 'a', failing))).rejects.toBe(error);
	expect([...known]).toEqual(isKept ? ['a'] : []);
});

test('with a key that n8n cannot note, no call is placed', async () => {
	const broken = { checkProcessedAndRecord: async () => await Promise.reject(new Error('full')) };
	await expect(placeOncePerKey(context(broken), 'a', place)).rejects.toThrow(
		'cannot be noted by n8n',
	);
	expect(place).not.toHaveBeenCalled();
});

/** n8n, of which each request ends as given, in this order. */
const ending = (...ends: Array<'new' | 'known' | 'refused'>) => {
	const requests: string[][] = [];
	const helpers = {
		async checkProcessedAndRecord(keys: string[]) {
			const end = ends[requests.push(keys) - 1];
			if (end === 'refused') return await Promise.reject(new Error('duplicate key value'));
			return end === 'new' ? { new: keys, processed: [] } : { new: [], processed: keys };
		},
		removeProcessed: async () => undefined,
	};
	return { helpers, requests };
};

test('the first key of a node is refused because another process has just written one: asked again', async () => {
	const { helpers, requests } = ending('refused', 'new', 'known');
	expect(await settled(placeOncePerKey(context(helpers), 'a', place))).toBe('placed');
	expect(requests).toHaveLength(3);
});

test('what another process has overwritten is noted again', async () => {
	const { helpers, requests } = ending('new', 'new', 'new', 'known');
	expect(await settled(placeOncePerKey(context(helpers), 'a', place))).toBe('placed');
	expect(requests.map(([key]) => key === 'a')).toEqual([true, false, true, false]);
});

test.each([
	[['refused', 'known'], 'was used before'],
	[['refused', 'refused'], 'cannot be noted by n8n'],
	[['new', 'refused', 'refused'], 'cannot be noted by n8n'],
	[['new', 'new', 'known'], 'was used before'],
	[Array<'new'>(10).fill('new'), 'cannot be noted by n8n'],
] as const)('requests that end as %j: no call, it %s', async (ends, why) => {
	const { helpers, requests } = ending(...ends);
	await expect(settled(placeOncePerKey(context(helpers), 'a', place))).rejects.toThrow(why);
	expect(requests).toHaveLength(ends.length);
	expect(place).not.toHaveBeenCalled();
});

describe('several processes, each of which writes what it has read a while ago', () => {
	/** In milliseconds: the pauses before reading and between reading and writing. */
	const LONGEST_PAUSE = 200;

	/** A process has modules of its own. */
	async function startProcess(): Promise<typeof placeOncePerKey> {
		let place = placeOncePerKey;
		await jest.isolateModulesAsync(async () => {
			place = (await import('../../nodes/VoiceAgent/call/callGuard')).placeOncePerKey;
		});
		return place;
	}

	/** What n8n keeps for the node. The pauses come from a seed. */
	function slowMemory(seed: number) {
		let known: readonly string[] = [];
		let state = seed;
		const pause = async () => {
			state = (state * 48_271) % 2_147_483_647;
			const ms = state % LONGEST_PAUSE;
			await sleep(ms);
		};
		const helpers = {
			async checkProcessedAndRecord(keys: string[]) {
				await pause();
				const read = known;
				await pause();
				const fresh = keys.filter((key) => !read.includes(key));
				known = [...read, ...fresh];
				return { new: fresh, processed: keys.filter((key) => read.includes(key)) };
			},
			async removeProcessed(keys: string[]) {
				const read = known;
				await pause();
				known = read.filter((key) => !keys.includes(key));
			},
		};
		return { helpers, isKnown: (key: string) => known.includes(key) };
	}

	test('one of them places the call of a key, and the key stays noted', async () => {
		const processes = [await startProcess(), await startProcess(), await startProcess()];
		for (let seed = 1; seed <= 50; seed++) {
			const { helpers, isKnown } = slowMemory(seed * 7_919);
			const placed = { same: 0, other: 0 };
			const begin = (key: keyof typeof placed) =>
				processes.map(async (placeOnce) => {
					await placeOnce(context(helpers), key, async () => placed[key]++);
				});
			await settled(Promise.allSettled([...begin('same'), ...begin('other')]));
			expect([seed, placed]).toEqual([seed, { same: 1, other: 1 }]);
			expect([seed, isKnown('same'), isKnown('other')]).toEqual([seed, true, true]);
		}
	});
});
