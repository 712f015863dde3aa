import type { IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../nodes/errors';
import { oncePerItem } from '../../nodes/VoiceAgent/oncePerItem';

interface Call {
	run?: number;
	itemIndex?: number;
	input?: object;
	body?: object;
	isTool?: boolean;
}

const unclear = () => new VoiceAgentError('callMayHaveBeenPlaced');
const refused = () => new VoiceAgentError('rateLimited');

let executions = 0;
/** The process remembers by workflow too, and each test has one of its own. */
let workflow = 0;
beforeEach(() => {
	workflow += 1;
});
/** What the tools of n8n's MCP Server Trigger have for the id of an execution. */
const NONE = 'none';

/**
 * A node in one execution. Its calls send a request for an item: `send` gets how many requests the
 * node has sent before, and answers or fails.
 */
function node(executionId: string | undefined = `execution ${(executions += 1)}`, kept = {}) {
	return async (
		{ run = 0, itemIndex = 0, input = { n: 1 }, body = { to: 1 }, isTool = false }: Call,
		send: (sentBefore: number) => unknown,
	) => {
		const context = {
			getWorkflowDataProxy: () => ({ $runIndex: run }),
			getInputData: () => Array.from({ length: itemIndex + 1 }, () => ({ json: input })),
			getContext: () => kept,
			getExecutionId: () => (executionId === NONE ? undefined : executionId),
			getWorkflow: () => ({ id: workflow }),
			getNode: () => ({ id: 'make', type: isTool ? 'x.voiceAgentTool' : 'x.voiceAgent' }),
		} as unknown as IExecuteFunctions;
		const request = { body, unclearReason: 'callMayHaveBeenPlaced' as const };
		return await oncePerItem(context, itemIndex, request, async (count) => await send(count));
	};
}

const failing = (error: Error) => async () => await Promise.reject(error);

test('the same item in the same run gets the answer that it had', async () => {
	const call = node();
	expect(await call({}, () => 'first')).toBe('first');
	expect(await call({}, () => 'second')).toBe('first');
	expect(await call({ itemIndex: 1 }, () => 'second item')).toBe('second item');
	expect(await call({ run: 1 }, () => 'second run')).toBe('second run');
});

test('another node, or another execution, knows nothing of it', async () => {
	expect(await node()({}, () => 'first')).toBe('first');
	expect(await node()({}, () => 'second')).toBe('second');
});

test('an execution that n8n has resumed twice at the same moment sends once', async () => {
	const one = node('resumed');
	const other = node('resumed');
	expect(await Promise.all([one({}, () => 'first'), other({}, () => 'second')])).toEqual([
		'first',
		'first',
	]);
});

test('of more executions than run at the same time, the one used least is forgotten', async () => {
	for (let count = 0; count < 1_000; count++) await node(`old ${count}`)({}, () => 'first');
	expect(await node('old 0')({}, () => 'second')).toBe('first');
	await node('new')({}, () => 'first');
	expect(await node('old 0')({}, () => 'second')).toBe('first');
	expect(await node('old 1')({}, () => 'second')).toBe('second');
});

test('other parameters for the same item and run are those of another tool call', async () => {
	const call = node();
	await call({ input: { a: 1, b: 2 } }, () => 'first');
	expect(await call({ input: { b: 2, a: 1 } }, () => 'second')).toBe('first');
	const mixedUp = call({ input: { a: 2 } }, () => 'third');
	await expect(mixedUp).rejects.toMatchObject({ reason: 'toolCallsMixedUp' });
});

test('a request that was certainly not carried out is sent again', async () => {
	const call = node();
	await expect(call({}, failing(refused()))).rejects.toMatchObject({ reason: 'rateLimited' });
	expect(await call({}, (before) => before)).toBe(0);
});

describe('a request that failed, but may have been carried out, is not sent again', () => {
	test.each([unclear(), new VoiceAgentError('declaredFailure'), new TypeError('x')])(
		'after %s',
		async (error) => {
			const call = node();
			await expect(call({}, failing(error))).rejects.toBe(error);
			await expect(call({}, () => 'again')).rejects.toBe(error);
			for (const other of [{ run: 1 }, { itemIndex: 1 }, { run: 1, input: { n: 2 } }]) {
				await expect(call(other, () => 'again')).rejects.toMatchObject({
					reason: 'callMayHaveBeenPlaced',
					fullText: expect.stringContaining('The same request was sent before in this execution'),
				});
			}
			expect(await call({ run: 1, body: { to: 2 } }, () => 'another')).toBe('another');
		},
	);

	test('by a tool, even if the model only repeats what it said of the call', async () => {
		for (const isTool of [true, false]) {
			const call = node();
			await expect(call({ isTool }, failing(unclear()))).rejects.toThrow();
			const again = call({ isTool, run: 1, body: { to: 1, at: 'later' } }, () => 'again');
			await (isTool
				? expect(again).rejects.toMatchObject({ reason: 'callMayHaveBeenPlaced' })
				: expect(again).resolves.toBe('again'));
			const other = { isTool, run: 2, input: { n: 2 }, body: { to: 2 } };
			expect(await call(other, () => 'another')).toBe('another');
		}
	});

	test('with its fields in another order', async () => {
		const call = node();
		const options = { language: 'en', voice: 'a' };
		const first = call({ body: { to: 1, options } }, failing(unclear()));
		await expect(first).rejects.toThrow();
		const body = { options: { voice: 'a', language: 'en' }, to: 1 };
		const again = call({ run: 1, body }, () => 'again');
		await expect(again).rejects.toMatchObject({ reason: 'callMayHaveBeenPlaced' });
	});

	test('nor are several of them', async () => {
		const call = node();
		for (const to of [1, 2]) {
			await expect(call({ run: to, body: { to } }, failing(unclear()))).rejects.toThrow();
		}
		for (const to of [1, 2]) {
			const again = call({ run: to + 2, body: { to } }, () => 'again');
			await expect(again).rejects.toMatchObject({ reason: 'callMayHaveBeenPlaced' });
		}
	});
});

test('`send` gets the number of requests of earlier runs, without other items of its own run', async () => {
	const call = node();
	const count = (before: number) => before;
	expect(await call({ body: { to: 1 } }, count)).toBe(0);
	expect(await call({ body: { to: 2 }, itemIndex: 1 }, count)).toBe(0);
	expect(await call({ body: { to: 3 }, run: 1 }, count)).toBe(2);
	await expect(call({ body: { to: 4 }, run: 2 }, failing(unclear()))).rejects.toThrow();
	await expect(call({ body: { to: 5 }, run: 3 }, failing(refused()))).rejects.toThrow();
	expect(await call({ body: { to: 6 }, run: 4 }, count)).toBe(4);
});

describe.each([NONE, '__UNKNOWN__'])('without an execution (%s)', (id) => {
	const isTool = true;

	test('each tool call is sent, and gets its own answer', async () => {
		const answers = [1, 2, 1].map(
			async (to) => await node(id)({ isTool, input: { to }, body: { to } }, () => `call ${to}`),
		);
		expect(await Promise.all(answers)).toEqual(['call 1', 'call 2', 'call 1']);
		expect(await node(id)({ isTool }, (before) => before)).toBe(0);
		expect(await node(id)({ isTool }, () => 'new')).toBe('new');
	});

	test('the tries of one tool call are one call', async () => {
		const kept = {};
		const call = node(id, kept);
		expect(await call({ isTool }, () => 'first')).toBe('first');
		expect(await node(id, kept)({ isTool }, () => 'second')).toBe('first');
	});

	test('what may have been carried out is not sent again for an hour', async () => {
		jest.useFakeTimers();
		const again = async (body = { to: 1 }) =>
			await node(id)({ isTool, body, input: body }, () => 'again');
		const first = node(id)({ isTool, input: { to: 1 } }, failing(unclear()));
		await expect(first).rejects.toThrow();
		await expect(again()).rejects.toMatchObject({
			reason: 'callMayHaveBeenPlaced',
			fullText: expect.stringContaining('The same request was sent before in the last hour'),
		});
		expect(await again({ to: 2 })).toBe('again');
		jest.advanceTimersByTime(60 * 60_000);
		await expect(again()).rejects.toMatchObject({ reason: 'callMayHaveBeenPlaced' });
		jest.advanceTimersByTime(1);
		expect(await again()).toBe('again');
		jest.useRealTimers();
	});

	test('another workflow knows nothing of it', async () => {
		await expect(node(id)({ isTool }, failing(unclear()))).rejects.toThrow();
		workflow += 1;
		expect(await node(id)({ isTool }, () => 'another')).toBe('another');
	});
});
