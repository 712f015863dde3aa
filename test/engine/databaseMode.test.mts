/** n8n keeps files in its database, as it does in queue mode unless it is told otherwise. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startEngine } from '../../harness/engine/engine.mts';
import { byGuid } from '../../harness/flow.mts';
import { NODE } from '../../harness/nodeRun.mts';

test('a recording is stored there', async (t) => {
	const engine = await startEngine({ binaryMode: 'database' });
	t.after(engine.stop);
	const { sessionGuid, plainSha256 } = await engine.emulator.control.addRecording({});
	const execution = await engine.runNode({
		parameters: { resource: 'recording', operation: 'download', recording: byGuid() },
		items: [{ sessionGuid }],
	});
	const [item] = execution.items(NODE);
	assert.equal(item?.json.sha256, plainSha256);
	assert.match(String(item?.binary?.data?.id), /^database:/);
});
