/** The two sweeps: what they archive, and what they report. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, afterEach, before, suite, test } from 'node:test';

import { inARow } from '../../../harness/flow.mts';
import type { N8n, Workflow } from '../../../harness/n8n/n8n.mts';
import { NODE, PASSWORD } from '../../../harness/stack.mts';
import {
	ARCHIVE_NODE,
	nodeOf,
	readWorkflow,
	sweepInto,
	type SweepName,
} from '../../../harness/workflows.mts';
import { DAY, messages, purgeAfterListing, setUpSweeps, type SweepSetup } from './sweepSetup.mts';

/** Tests that both sweeps must pass, with a service of their own in an n8n that others use too. */
export function sweepSuite(name: SweepName, getHost: () => { n8n: N8n; folder: string }): void {
	suite(`workflow: ${name}`, { concurrency: 1 }, () => {
		let setup: SweepSetup;
		before(async () => {
			setup = await setUpSweeps(getHost());
		});
		after(async () => await setup?.stop());
		afterEach(async () => await setup.clear());

		ownTests[name](() => setup);

		test('archives what is still listed, the oldest first [faults 47, 48]', async () => {
			const guids: Record<number, string> = {};
			for (const days of [1, 6.5, 3, 0.5]) {
				guids[days] = await setup.waiting(days, days > 2 ? PASSWORD : undefined);
			}
			const executions = await setup.sweeps[name](4);
			assert.deepEqual(
				executions.map(({ status, error }) => error?.message ?? status),
				executions.map(() => 'success'),
			);
			for (const sessionGuid of Object.values(guids)) await setup.assertArchived(sessionGuid);
			const order =
				name === 'sweep-before-purge'
					? executions.map((run) => run.items('When a recording is waiting')[0]?.json.sessionGuid)
					: setup.downloads();
			assert.deepEqual(
				order,
				[6.5, 3, 1, 0.5].map((days) => guids[days]),
			);
		});

		test('leaves calls that have just ended to the webhook', async () => {
			const young = await setup.waiting(5 / (24 * 60));
			const old = await setup.waiting(1);
			await setup.sweeps[name](1);
			await setup.assertArchived(old);
			assert.equal(setup.ledger(young).state, 'stored');
			assert.deepEqual(setup.downloads(), [old]);
		});

		test('one that fails is reported and stays; the others are archived', async () => {
			const spoilt = await setup.waiting(3, PASSWORD);
			const good = await setup.waiting(2, PASSWORD);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			const executions = await setup.sweeps[name](2);
			await setup.assertArchived(good);
			assert.equal(setup.ledger(spoilt).state, 'stored');
			const text = messages(executions);
			assert.match(text, new RegExp(`The recording ${spoilt} is not archived`));
			assert.match(text, /The recording cannot be decrypted/);
			assert.doesNotMatch(text, /ALARM|LOST/);
		});

		test('from day 5 it is an alarm that says until when the recording is kept [fault 48]', async () => {
			const spoilt = await setup.waiting(5.2, PASSWORD);
			await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
			const [execution] = await setup.sweeps[name](1);
			assert.equal(execution?.status, 'error');
			assert.match(messages([execution]), new RegExp(`ALARM[^]*${spoilt} is not archived`));
			const callEnd = Date.parse(setup.ledger(spoilt).endedAt);
			assert.ok(messages([execution]).includes(new Date(callEnd + 7 * DAY).toISOString()));
		});

		test('one that is purged before its turn, and is not archived, is reported as lost [fault 48]', async () => {
			const lost = await setup.waiting(6.9);
			await purgeAfterListing(setup, lost);
			const [execution] = await setup.sweeps[name](1);
			assert.equal(execution?.status, 'error');
			assert.match(
				messages([execution]),
				new RegExp(
					`(LOST|ALARM)[^]*${lost} is not archived. It was still listed by the service, but was gone`,
				),
			);
		});

		test('an archive workflow that does not say what became of a recording is a failure', async () => {
			const guids = [await setup.waiting(3), await setup.waiting(2)];
			const silent = await setup.n8n.importWorkflow(silentWorkflow());
			await setup.n8n.activate(silent);
			const executions = await setup.sweeps[name](2, silent);
			for (const sessionGuid of guids) {
				assert.match(
					messages(executions),
					new RegExp(`${sessionGuid} is not archived[^]*did not say what became of it`),
				);
			}
			assert.doesNotMatch(messages(executions), /ALARM|LOST/);
		});

		test('one that another run has archived in the meantime is not', async () => {
			const archived = await setup.waiting(2);
			const content = 'archived by another run';
			const file = { sha256: createHash('sha256').update(content).digest('hex') };
			const path = join(setup.archive.folder, `call_${archived}_1`);
			await writeFile(`${path}.opus`, content);
			await writeFile(`${path}.json`, JSON.stringify({ sessionGuid: archived, file }));
			await purgeAfterListing(setup, archived);
			const [execution] = await setup.sweeps[name](1);
			assert.equal(execution?.status, 'success', execution?.error?.message);
		});
	});
}

const ownTests: Record<SweepName, (getSetup: () => SweepSetup) => void> = {
	'sweep-before-purge': beforePurgeTests,
	'sweep-on-schedule': onScheduleTests,
};

function beforePurgeTests(getSetup: () => SweepSetup): void {
	test('started by hand, it takes up each recording that is waiting', async () => {
		const setup = getSetup();
		const { n8n, credentials } = setup;
		const [spoilt, ...good] = [
			await setup.waiting(3, PASSWORD),
			await setup.waiting(2, PASSWORD),
			await setup.waiting(1),
		];
		await setup.emulator.control.tamper(spoilt, { flipBitAt: 100 });
		const workflow = sweepInto(setup.archiveId, 'sweep-before-purge');
		const id = await n8n.importWorkflow(workflow, credentials);
		const execution = await n8n.run(id, { trigger: 'When a recording is waiting' });
		for (const sessionGuid of good) await setup.assertArchived(sessionGuid);
		assert.equal(setup.ledger(spoilt).state, 'stored');
		assert.deepEqual(
			execution
				.items(ARCHIVE_NODE)
				.filter(({ json }) => json.archived)
				.map(({ json }) => json.sessionGuid),
			good,
		);
		assert.match(
			messages([execution]),
			new RegExp(`${spoilt} is not archived.*cannot be decrypted`),
		);
	});

	test('cannot be published before its archive workflow', async () => {
		const setup = getSetup();
		const { n8n, credentials } = setup;
		const unpublished = await n8n.importWorkflow(setup.archive.configured(), credentials);
		const sweep = await n8n.importWorkflow(
			sweepInto(unpublished, 'sweep-before-purge'),
			credentials,
		);
		await assert.rejects(
			n8n.activate(sweep),
			new RegExp(`"${ARCHIVE_NODE}" references workflow .* not published`),
		);
	});
}

function onScheduleTests(getSetup: () => SweepSetup): void {
	test('a field of the record that is named like one of the output does not mislead the sweep', async () => {
		const setup = getSetup();
		const sessionGuid = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
		const record = {
			sessionGuid,
			callEndedAt: 'last Tuesday',
			retentionEndsAt: 17,
			to: '+15550100',
		};
		const service = createServer((_request, response) => {
			response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify([record]));
		}).listen(0, '127.0.0.1');
		await once(service, 'listening');
		const { port } = service.address() as AddressInfo;
		const voiceAgentApi = await setup.n8n.createCredential({
			name: 'Another service',
			type: 'voiceAgentApi',
			data: { baseUrl: `http://127.0.0.1:${port}`, apiKey: 'demo-key' },
		});
		const { parameters } = nodeOf(
			readWorkflow('sweep-on-schedule'),
			'List recordings at the service',
		);
		const execution = await setup.runNode({ parameters, credentials: { voiceAgentApi } });
		service.close();
		assert.deepEqual(
			execution.items(NODE).map(({ json }) => json),
			[{ sessionGuid, callEndedAt: null, retentionEndsAt: null, hoursLeft: null, to: '+15550100' }],
		);
	});

	test('archives what it could read of a list, and the next execution goes on', async () => {
		const setup = getSetup();
		const { control } = setup.emulator;
		const guids: string[] = [];
		for (const days of [4, 3, 2]) guids.push(await setup.waiting(days));
		control.setShapes({ list: 'paged', paging: 'afterGuid', pageSize: 2 });
		try {
			for (const _turn of [1, 2]) {
				const [execution] = await setup.sweeps['sweep-on-schedule'](1);
				assert.equal(execution?.status, 'success', execution?.error?.message);
			}
		} finally {
			control.resetShapes();
		}
		for (const sessionGuid of guids) await setup.assertArchived(sessionGuid);
	});
}

/** An archive workflow that ends without an item. */
function silentWorkflow(): Workflow {
	const trigger = nodeOf(readWorkflow('archive-to-folder'), 'When a sweep finds a recording');
	const nothing = {
		name: 'Nothing',
		type: 'n8n-nodes-base.limit',
		typeVersion: 1,
		parameters: { maxItems: 0 },
	};
	return inARow('Silent archive', [trigger, nothing]);
}
