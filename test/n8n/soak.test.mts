/** A short soak. `npm run soak` runs longer ones. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { makePlan } from '../soak/plan.mts';
import { soak, type Result } from '../soak/run.mts';
import { faultsOf } from '../soak/verdict.mts';

suite('soak', { concurrency: 1, skip: process.platform === 'win32' }, () => {
	let result: Result;

	test('40 calls end while n8n is killed twice, and each recording is archived', async (t) => {
		const plan = makePlan({ calls: 40, kills: 2, seed: 1 });
		result = await soak(plan, (line) => t.diagnostic(line));
		assert.deepEqual(faultsOf(result), []);
	});

	test('the verdict is not good if anything is missing, altered, left, stuck or deleted too early', () => {
		const { files, recordings, executions } = result;
		const [recording, ...otherRecordings] = recordings;
		const [execution, ...otherExecutions] = executions;
		assert.ok(recording && execution);
		const unrecorded = result.plan.calls.find((call) => call.recording === undefined);
		const stray = { name: `${unrecorded?.sessionGuid}.opus`, content: Buffer.from('stray') };
		const isOfFirst = ({ name }: { name: string }) => name.includes(recording.sessionGuid);
		const spoilt: Array<Partial<Result>> = [
			{ files: files.filter((file) => !isOfFirst(file)) },
			{ files: files.map((file) => (isOfFirst(file) ? { ...file, ...stray } : file)) },
			{ files: [...files, stray] },
			{ wrongDeletes: [recording.sessionGuid] },
			{ recordings: [{ ...recording, state: 'stored' }, ...otherRecordings] },
			{ executions: [{ ...execution, status: 'running' }, ...otherExecutions] },
		];
		for (const change of spoilt) assert.notDeepEqual(faultsOf({ ...result, ...change }), []);
	});
});
