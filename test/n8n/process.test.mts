/** Programs that the harness starts and ends: signals go to nobody else, and a port that was lost to another program is replaced. */
import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';

import { HOST, isFree } from '../../harness/n8n/ports.mts';
import { N8nProcess } from '../../harness/n8n/process.mts';
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
			const left = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
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

test('n8n starts on other ports if another program has taken one that was picked for it', async (t) => {
	const picks: number[] = [];
	while (picks.length < 4) {
		// Not those that the harness has given out itself.
		const port = crypto.randomInt(30_000, 32_000);
		if (await isFree(port)) picks.push(port);
	}
	const [taken, , , own] = picks;
	const { mock } = t.mock.method(crypto, 'randomInt', () => picks.shift());
	syncBuiltinESMExports();
	t.after(() => {
		mock.restore();
		syncBuiltinESMExports();
	});
	const userFolder = await mkdtemp(join(tmpdir(), 'n8n-'));
	t.after(async () => await rm(userFolder, { recursive: true, force: true, maxRetries: 3 }));
	const rival = createServer();
	t.after(() => rival.close());
	const listening = once(rival, 'listening');
	const lines: string[] = [];
	const n8n = await N8nProcess.start({
		...{ command: 'start', userFolder, port: 0, env: {} },
		log(line) {
			// n8n has begun, and needs seconds until it listens.
			if (lines.push(line) === 1) rival.listen(taken, HOST);
		},
	});
	await n8n.stop();
	await listening;
	assert.match(lines.join('\n'), new RegExp(`port ${taken} is already in use`));
	assert.equal(n8n.port, own);
});
