/** Programs that the harness starts and ends: signals go to nobody else. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { suite, test } from 'node:test';

import { ProcessGroup } from '../../scripts/processGroup.mjs';

const skip = process.platform === 'win32' && 'Windows has no process groups';

suite('a process group', { skip }, () => {
	test('gets no signal once it is empty: its id may be that of another group', async (t) => {
		const group = new ProcessGroup(process.execPath, ['-e', ''], { stdio: 'ignore' });
		await group.closed;
		const { mock } = t.mock.method(process, 'kill', () => true);
		group.signal('SIGKILL');
		await group.end({ graceMs: 1 });
		assert.deepEqual(mock.calls, []);
	});

	test('is killed with what its program has left behind', { timeout: 300_000 }, async () => {
		const program = `
			const { spawn } = require('node:child_process');
			const endless = ['-e', 'setInterval(() => {}, 1000)'];
			const left = spawn(process.execPath, endless, { stdio: 'inherit' });
			left.once('spawn', () => process.exit());
		`;
		const group = new ProcessGroup(process.execPath, ['-e', program], {
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await once(group.child, 'exit');
		// What is left holds the output open.
		await group.end({ graceMs: 1 });
	});
});
