import type { IExecuteFunctions } from 'n8n-workflow';

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
beforeEach(() => place.mockClear());

test('a second call with the same key is refused, even at the same time', async () => {
	const { helpers } = memory();
	const both = ['a'.repeat(65), 'a'.repeat(65), 'b'].map(
		async (key) => await placeOncePerKey(context(helpers), key, place),
	);
	const [first, second, other] = await Promise.allSettled(both);
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
	await expect(placeOncePerKey(context(helpers), 'a', failing)).rejects.toBe(error);
	expect(known.has('a')).toBe(isKept);
});

test('with a key that n8n cannot note, no call is placed', async () => {
	const broken = { checkProcessedAndRecord: async () => await Promise.reject(new Error('full')) };
	await expect(placeOncePerKey(context(broken), 'a', place)).rejects.toThrow(
		'cannot be noted by n8n',
	);
	expect(place).not.toHaveBeenCalled();
});

/** n8n, of which each request ends as given, in this order. */
const ending = (...ends: Array<'noted' | 'known' | 'refused'>) => {
	const requests: string[][] = [];
	const helpers = {
		async checkProcessedAndRecord(keys: string[]) {
			const end = ends[requests.push(keys) - 1];
			if (end === 'refused') return await Promise.reject(new Error('duplicate key value'));
			return end === 'noted' ? { new: keys, processed: [] } : { new: [], processed: keys };
		},
	};
	return { helpers, requests };
};

test('a key is noted twice, because another process may have overwritten the first note', async () => {
	const { helpers, requests } = ending('noted', 'known');
	expect(await placeOncePerKey(context(helpers), 'a', place)).toBe('placed');
	expect(requests).toEqual([['a'], ['a']]);
});

test('the first key of a node is refused because another process has just written one: asked again', async () => {
	const { helpers, requests } = ending('refused', 'noted', 'known');
	expect(await placeOncePerKey(context(helpers), 'a', place)).toBe('placed');
	expect(requests).toHaveLength(3);
});

test.each([
	[['refused', 'known', 'known'], 'was used before'],
	[['refused', 'refused'], 'cannot be noted by n8n'],
	[['noted', 'refused'], 'cannot be noted by n8n'],
] as const)('requests that end as %j: no call, it %s', async (ends, why) => {
	const { helpers, requests } = ending(...ends);
	await expect(placeOncePerKey(context(helpers), 'a', place)).rejects.toThrow(why);
	expect(requests).toHaveLength(ends.length);
	expect(place).not.toHaveBeenCalled();
});
