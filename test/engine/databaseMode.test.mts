/** n8n keeps files in its database, as it does in queue mode unless it is told otherwise. */
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';

import { startEngine, type BinaryMode, type Engine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';
import { PASSWORD } from '../../harness/serviceAccess.mts';

/** A file of this size is one that n8n does not get back out of PostgreSQL. */
const TOO_LARGE_BYTES = 300_000_000;

async function engineWith(t: TestContext, binaryMode: BinaryMode): Promise<Engine> {
	const engine = await startEngine({ binaryMode });
	t.after(engine.stop);
	return engine;
}

async function download(engine: Engine, sessionGuid: string) {
	return await engine.runNode({
		parameters: { resource: 'recording', operation: 'download', recording: byGuid() },
		items: [{ sessionGuid }],
	});
}

/** A small recording whose download announces far more. */
async function announcedAsTooLarge({ emulator }: Engine, password?: string): Promise<string> {
	const { sessionGuid } = await emulator.control.addRecording({ password });
	const match = { endpoint: 'downloadRecording' } as const;
	emulator.control.addFault({
		match,
		times: 1,
		fault: { kind: 'wrongLength', delta: TOO_LARGE_BYTES },
	});
	return sessionGuid;
}

for (const password of [undefined, PASSWORD]) {
	const kind = password === undefined ? 'plain' : 'encrypted';
	test(`${kind}: a recording that is announced as too large is refused at once`, async (t) => {
		const engine = await engineWith(t, 'database');
		const execution = await download(engine, await announcedAsTooLarge(engine, password));
		const error = execution.nodeError(NODE);
		assert.match(String(error?.message), /n8n keeps files in its database/);
		assert.match(String(error?.description), /N8N_DEFAULT_BINARY_DATA_MODE to filesystem/);
		assert.deepEqual(execution.items(NODE), []);
		// Another attempt would not help.
		assert.deepEqual(
			engine.emulator.control.requests().map(({ method }) => method),
			['GET'],
		);
	});
}

test('another one is stored', async (t) => {
	const engine = await engineWith(t, 'database');
	const { sessionGuid, plainSha256 } = await engine.emulator.control.addRecording({});
	const execution = await download(engine, sessionGuid);
	const [item] = execution.items(NODE);
	assert.equal(item?.json.sha256, plainSha256);
	assert.match(String(item?.binary?.data?.id), /^database:/);
});

test('in files, there is room for it', async (t) => {
	const engine = await engineWith(t, 'filesystem');
	// The download is cut short and repeated, without the fault.
	const execution = await download(engine, await announcedAsTooLarge(engine));
	assert.equal(execution.items(NODE).length, 1);
	assert.equal(engine.emulator.control.requests().length, 2);
});
