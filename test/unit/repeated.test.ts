import type { IExecuteFunctions } from 'n8n-workflow';
import { sleep } from 'n8n-workflow';

import { downloadRecording } from '../../nodes/VoiceAgent/recording/download.operation';
import { forgetRecording, isRepeated } from '../../nodes/VoiceAgent/recording/presence/repeated';

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: jest.fn(),
}));

/** What n8n remembers of a node, for all its processes. */
interface Memory {
	entries: Set<string>;
	/** How many of the next requests n8n refuses. */
	refusals: number;
}

const sessionGuid = '0e8f6d6e-1111-4222-8333-444455556666';
let memory: Memory;
let failures = 0;
/** The process remembers by workflow, and each test has one of its own. */
let workflow = 0;
beforeEach(() => {
	memory = { entries: new Set(), refusals: 0 };
	workflow += 1;
	jest.mocked(sleep).mockClear();
});

/** An execution, as far as it matters here. */
function execution(mode = 'webhook', id = workflow, finished: Array<() => unknown> = []) {
	const node = {};
	// As n8n does: reads all entries, waits for its database, writes all of them.
	const change = async (scope: string, alter: (entries: Set<string>) => void) => {
		if (scope !== 'node') throw new Error('not only for this node');
		const entries = new Set(memory.entries);
		await Promise.resolve();
		if (memory.refusals > 0) {
			memory.refusals -= 1;
			throw new Error('duplicate key value violates unique constraint');
		}
		alter(entries);
		memory.entries = entries;
	};
	return {
		getMode: () => mode,
		getContext: () => node,
		getNode: () => ({ id: 'node', type: 'n8n-nodes-voiceagent.voiceAgent' }),
		getWorkflow: () => ({ id }),
		getExecutionId: () => String(failures),
		getExecutionDataById: async (count: string) => ({
			resultData: { error: count === '0' ? undefined : 'it failed' },
		}),
		onExecutionFinish: (handler: () => unknown) => finished.push(handler),
		helpers: {
			checkProcessedAndRecord: async (items: string[], scope: string) => {
				const processed: string[] = [];
				await change(scope, (entries) => {
					for (const one of items) {
						if (entries.has(one)) processed.push(one);
						entries.add(one);
					}
				});
				return { processed };
			},
			removeProcessed: async (items: string[], scope: string) =>
				await change(scope, (entries) => items.forEach((one) => entries.delete(one))),
		},
	} as unknown as IExecuteFunctions;
}

test('the second execution of a webhook is a repetition; the first one and its retries are not', async () => {
	const first = execution();
	const second = execution();
	expect(await isRepeated(first, sessionGuid)).toBe(false);
	expect(await isRepeated(second, sessionGuid.toUpperCase())).toBe(true);
	expect(await isRepeated(first, sessionGuid)).toBe(false);
	expect(await isRepeated(second, sessionGuid)).toBe(true);
});

test('a repeated webhook downloads nothing, and names the recording', async () => {
	await isRepeated(execution(), sessionGuid);
	const hints: object[] = [];
	const customData = { setAll: jest.fn() };
	const known = {};
	const context = {
		...execution(),
		getCredentials: async () => ({}),
		getInputData: () => [{ json: {} }],
		getNodeParameter: (name: string, _index: number, byDefault: unknown) =>
			name === 'recording' ? `{${sessionGuid.toUpperCase()}}` : byDefault,
		getWorkflowDataProxy: () => ({ $execution: { customData } }),
		getExecutionContext: () => known,
		addExecutionHints: (hint: object) => hints.push(hint),
	} as unknown as IExecuteFunctions;
	expect(await downloadRecording.begin(context)(0)).toEqual([]);
	const message = expect.stringContaining('another execution began with');
	expect(hints).toEqual([{ type: 'info', location: 'outputPane', message }]);
	// For the list of executions and for error workflows.
	const spelling = `{${sessionGuid.toUpperCase()}}`;
	expect(known).toEqual({ sessionGuid: spelling, recordingKey: sessionGuid, keptUntil: null });
	expect(customData.setAll).toHaveBeenCalledWith({ sessionGuid });
});

test.each(['manual', 'retry', 'trigger', 'integrated'])(
	'an execution in the mode %s is never skipped',
	async (mode) => {
		expect(await isRepeated(execution(), sessionGuid)).toBe(false);
		expect(await isRepeated(execution(mode), sessionGuid)).toBe(false);
	},
);

test('a tool that a model uses again in another message is never skipped', async () => {
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
	const node = { id: 'node', type: 'n8n-nodes-voiceagent.voiceAgentTool' };
	for (let message = 0; message < 2; message += 1) {
		const tool = { ...execution(), getNode: () => node } as unknown as IExecuteFunctions;
		expect(await isRepeated(tool, sessionGuid)).toBe(false);
	}
	expect(jest.mocked(sleep)).not.toHaveBeenCalled();
});

test('without an execution, as in a tool of the MCP Server Trigger, nothing is skipped', async () => {
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
	for (const id of [undefined, '__UNKNOWN__']) {
		const call = { ...execution(), getExecutionId: () => id } as unknown as IExecuteFunctions;
		expect(await isRepeated(call, sessionGuid)).toBe(false);
	}
});

test('of executions that begin at the same moment, one is first, and all are remembered', async () => {
	const guids = Array.from({ length: 50 }, (_, index) => {
		return `${sessionGuid.slice(0, -2)}${index + 10}`;
	});
	const first = await Promise.all(guids.map((guid) => isRepeated(execution(), guid)));
	expect(first).toEqual(guids.map(() => false));
	expect(memory.entries.size).toBe(2 * guids.length);
	const same = await Promise.all([1, 2, 3].map(() => isRepeated(execution(), sessionGuid)));
	expect(same).toEqual([false, true, true]);
});

test('n8n is asked again if it refuses entries because another process has just written', async () => {
	memory.refusals = 1;
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
	expect(memory.entries.size).toBe(2);
});

test('if n8n cannot remember anything, the recording is downloaded', async () => {
	memory.refusals = 2;
	// An older n8n, which does not say when an execution is over.
	const older = { ...execution(), onExecutionFinish: undefined } as unknown as IExecuteFunctions;
	expect(await isRepeated(older, sessionGuid)).toBe(false);
	expect(memory.entries.size).toBe(0);
});

test('an execution that output nothing is forgotten', async () => {
	const first = execution();
	expect(await isRepeated(first, sessionGuid)).toBe(false);
	expect(await isRepeated(execution(), sessionGuid)).toBe(true);
	await forgetRecording(first, sessionGuid);
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
});

test('it is no error if n8n cannot forget: another error is about to be shown', async () => {
	const first = execution();
	expect(await isRepeated(first, sessionGuid)).toBe(false);
	memory.refusals = 1;
	await forgetRecording(first, sessionGuid);
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
	expect(jest.mocked(sleep)).toHaveBeenCalled();
});

test('an execution that was not noted cannot be forgotten, and that is no error', async () => {
	expect(await isRepeated(execution(), sessionGuid)).toBe(false);
	await forgetRecording(execution('manual'), sessionGuid);
	expect(await isRepeated(execution(), sessionGuid)).toBe(true);
});

test.each([
	[30, true],
	[31, false],
])('a webhook that comes again after %i minutes is a repetition: %s', async (minutes, expected) => {
	const start = Date.now();
	const clock = jest.spyOn(Date, 'now');
	try {
		clock.mockReturnValue(start);
		expect(await isRepeated(execution(), sessionGuid)).toBe(false);
		clock.mockReturnValue(start + minutes * 60_000);
		expect(await isRepeated(execution(), sessionGuid)).toBe(expected);
	} finally {
		clock.mockRestore();
	}
});

test.each([
	[1, false],
	[0, true],
])(
	'after an execution that failed %i times, the webhook that comes again is a repetition: %s',
	async (count, expected) => {
		const finished: Array<() => unknown> = [];
		expect(await isRepeated(execution('webhook', workflow, finished), sessionGuid)).toBe(false);
		failures = count;
		for (const handler of finished) await handler();
		failures = 0;
		expect(await isRepeated(execution(), sessionGuid)).toBe(expected);
		expect(jest.mocked(sleep)).not.toHaveBeenCalled();
	},
);

test('a process waits and goes on if another one, which may have been killed, has begun', async () => {
	await isRepeated(execution(), sessionGuid);
	// In another process, this one is not remembered.
	expect(await isRepeated(execution('webhook', -1), sessionGuid)).toBe(false);
	const [[waitedMs] = []] = jest.mocked(sleep).mock.calls;
	expect(waitedMs).toBeGreaterThanOrEqual(60_000);
	expect(waitedMs).toBeLessThanOrEqual(120_000);
});
