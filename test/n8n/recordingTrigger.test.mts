/**
 * The VoiceAgent Recording Trigger. Its tests mostly wait for the next check, so they share one n8n and run
 * side by side, with a service for each test. Only those that stop n8n come afterwards, one by one.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite } from 'node:test';

import { packedPackage, startN8n, type N8n } from '../../harness/n8n/n8n.mts';
import { missingServer } from '../../harness/standIns/servers.mts';
import { restartSuite, type Host } from './recordingTrigger/restart.mts';
import { storeSuite } from './recordingTrigger/store.mts';
import { twoProcessesSuite } from './recordingTrigger/twoProcesses.mts';
import { ONE_CONNECTION } from './recordingTrigger/waiting.mts';

const noPostgres = missingServer('PostgreSQL');

suite('trigger: recordings waiting', { concurrency: 2 }, () => {
	suite('one n8n', { concurrency: 1 }, () => {
		let n8n: N8n;
		let userFolder: string;
		const host: Host = {
			get n8n() {
				return n8n;
			},
			async start() {
				n8n = await startN8n({ packages: [packedPackage()], userFolder, env: ONE_CONNECTION });
			},
			async stop(how) {
				await n8n.stop(how);
			},
		};

		before(async () => {
			userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-recordings-'));
			await host.start();
		});
		after(async () => {
			await n8n?.stop();
			await rm(userFolder, { recursive: true, force: true, maxRetries: 3 });
		});

		suite('side by side', { concurrency: true }, () => {
			storeSuite(() => n8n);
		});
		restartSuite(host);
	});

	twoProcessesSuite(noPostgres);
});
