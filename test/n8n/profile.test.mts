/** The core workflows with a service that nobody has seen before, and the settings of Explore. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';

import { NODE } from '../../harness/nodeRun.mts';
import { addService } from '../../harness/stack.mts';
import { coreWorkflows } from '../profile/coreWorkflows.mts';
import type { Profile } from '../profile/mainJob.mts';
import { hostOf } from './suite.mts';

suite('workflows with a service as its profile shows it', () => {
	const host = hostOf(async () => await Promise.resolve({}));

	/** Explores a service that pages by a number from 0, and spells everything in its own way. */
	async function exploredProfile(): Promise<Profile> {
		const service = await addService(host.n8n, {
			shapes: {
				...{ list: 'paged', paging: 'pageIndex', pageSize: 2, listOrder: 'newestFirst' },
				...{ recordFields: 'PascalCase', sessionGuid: 'braces', unknownGuid: '410' },
				...{ deleteReply: '202', webhookBody: 'nested', errorBody: 'problem' },
				...{ download: 'otherOrigin', contentType: 'octet-stream' },
			},
		});
		try {
			const { control } = service.emulator;
			for (const hours of [3, 2, 1]) {
				const endedAt = new Date(control.now() - hours * 3_600_000).toISOString();
				await control.addRecording({ endedAt, to: '+15550100', from: '+15550101' });
			}
			const [{ sessionGuid = '' } = {}] = control.recordings();
			control.setWebhooks({ callEnd: 'http://127.0.0.1:1/' });
			const { requestBody } = await control.sendCallEnd(sessionGuid);
			const callEndPayload = JSON.stringify(requestBody);
			const execution = await service.runNode({
				parameters: { resource: 'connection', operation: 'explore', options: { callEndPayload } },
			});
			const file = execution.items(NODE)[0]?.binary?.data;
			assert.ok(file, String(execution.error?.message));
			return JSON.parse(String(await host.n8n.binary(file))) as Profile;
		} finally {
			await service.stop();
		}
	}

	test('all core workflows work with the settings that Explore proposes', async () => {
		const profile = await exploredProfile();
		const steps = await coreWorkflows(host.n8n, host.folder, profile);
		assert.equal(steps.length, 4);
		assert.deepEqual(
			steps.filter(({ works }) => !works),
			[],
		);
	});

	test('a workflow that does not work is named with the reason', async () => {
		const profile = await exploredProfile();
		const settings = { ...profile.settings, adapt: true, listField: 'nowhere' };
		const steps = await coreWorkflows(host.n8n, host.folder, { ...profile, settings });
		const sweep = steps.find(({ name }) => name === 'Workflow: sweep-before-purge');
		assert.equal(sweep?.works, false);
		assert.match(sweep.said, /nowhere/);
	});
});
