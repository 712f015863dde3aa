/**
 * n8n with a task runner beside it, as n8n 3.0 demands, and without the runner that it waits for.
 * With TASK_RUNNER=external, all tests of n8n run so.
 */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { inARow, manualTrigger } from '../../harness/flow.mts';
import { startN8n, type N8nOptions } from '../../harness/n8n/n8n.mts';
import { succeeded } from './suite.mts';

const START = 'Start';
const CODE = {
	name: 'Code',
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: 'return [{ json: { zone: $now.zoneName, sum: 1 + 1 } }];' },
};
/** Not n8n's default. */
const TIME_ZONE = 'Asia/Kolkata';

async function runCode(options: N8nOptions) {
	const n8n = await startN8n(options);
	try {
		const id = await n8n.importWorkflow(inARow('Code', [manualTrigger(START), CODE]));
		return await n8n.run(id, { trigger: START });
	} finally {
		await n8n.stop();
	}
}

suite('Code nodes, with N8N_RUNNERS_MODE=external', { concurrency: 1 }, () => {
	test('are executed by the runner, in its time zone', async () => {
		const execution = await runCode({
			taskRunner: 'external',
			env: { GENERIC_TIMEZONE: TIME_ZONE },
		});
		const [item] = succeeded(execution).items('Code');
		assert.deepEqual(item?.json, { zone: TIME_ZONE, sum: 2 });
	});

	test('without a runner, fail once n8n has waited for one, and say so', async () => {
		const env = { N8N_RUNNERS_TASK_REQUEST_TIMEOUT: '2' };
		const { status, error } = await runCode({ taskRunner: 'missing', env });
		assert.equal(status, 'error');
		assert.equal(error?.message, 'Task request timed out');
		assert.match(String(error?.description), /the task runner is currently down/);
	});
});
