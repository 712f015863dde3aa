/** An n8n, a service and an archive, whose secrets occur nowhere else. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Emulator } from '../../../emulator/src/index.mts';
import { executionsFor } from '../../../harness/executions.mts';
import { createLedger } from '../../../harness/ledger.mts';
import { packedPackage, startN8n, type Execution, type N8n } from '../../../harness/n8n/n8n.mts';
import { accountData } from '../../../harness/serviceAccess.mts';
import { addService, WEBHOOK_HEADER } from '../../../harness/stack.mts';
import { SWEEP_TRIGGER, sweepInto } from '../../../harness/workflows.mts';
import { assertArchived, CALL_END } from '../archived.mts';
import { succeeded } from '../suite.mts';
import { setUpSweeps } from '../workflows/sweepSetup.mts';
import { mountDisk } from './disk.mts';
import { startTrap } from './trap.mts';

/** With characters that each encoding writes differently, as far as a header can carry them. */
export const SECRETS = {
	apiKey: 'canary-key-"\\%2F+/&=?<7>',
	password: 'canary-pass "quoted" \\ 100 % äöü € +/=&<>',
	webhookSecret: 'canary-hook-"\\%2F+/&=?<7>',
};
export const PREVIOUS_PASSWORD = "canary-before 'quoted' \\ 50 % ß ¥ +/=&<>";
export const AUTHENTIC = { [WEBHOOK_HEADER]: SECRETS.webhookSecret };

/** If nothing has changed for this long, nothing will. */
const QUIET_MS = 60_000;

export type Scene = Awaited<ReturnType<typeof startScene>>;

export async function startScene() {
	const userFolder = await mkdtemp(join(tmpdir(), 'voiceagent-faults-'));
	const folder = await mkdtemp(join(tmpdir(), 'voiceagent-faults-archive-'));
	const disks = {
		n8n: mountDisk(join(userFolder, '.n8n', 'storage')),
		'the archive': mountDisk(folder),
	};
	const trap = await startTrap();
	const log: string[] = [];
	const settings = {
		userFolder,
		allowedPaths: [folder],
		env: { HTTP_PROXY: trap.url, HTTPS_PROXY: trap.url },
		log: (line: string) => void log.push(line),
	};
	let n8n = await startN8n({ ...settings, packages: [packedPackage()] });
	await createLedger(n8n);
	const stack = await addService(n8n, {}, SECRETS);
	Object.assign(stack.credentials, await credentialsIn(n8n, stack.emulator));
	const setup = await setUpSweeps({ n8n, folder, stack });
	const { archiveId, emulator } = setup;
	const { control } = emulator;
	const sweepId = await n8n.importWorkflow(sweepInto(archiveId), setup.credentials);

	const isStored = (guid: string) => setup.ledger(guid).state === 'stored';
	const executions = async (sessionGuid: string, count = 1) =>
		await executionsFor(n8n, { workflowId: archiveId, trigger: CALL_END, sessionGuid, count });

	return {
		userFolder,
		folder,
		disks,
		trap,
		log,
		setup,
		control,
		isStored,
		stop: async () => await n8n.stop(),
		async close() {
			await n8n.stop();
			await setup.stop();
			await trap.close();
			for (const disk of Object.values(disks)) disk?.unmount();
			for (const one of [userFolder, folder]) await rm(one, { recursive: true, force: true });
		},
		/** n8n is killed; the function that is returned starts it again. */
		async kill() {
			const { port } = n8n;
			await n8n.stop({ kill: true });
			return async () => void (n8n = await startN8n({ ...settings, port }));
		},
		/** How many executions webhooks have started. */
		started: async () => (await n8n.waitForExecutions({ workflowId: archiveId, count: 0 })).length,
		deletes: () => control.requests().filter(({ method }) => method === 'DELETE').length,
		/** The last execution that a webhook has started for a recording has succeeded. */
		async succeeds(guid: string, count = 1): Promise<Execution> {
			return succeeded((await executions(guid, count)).at(-1));
		},
		async fails(guid: string, message: RegExp): Promise<void> {
			const error = (await executions(guid)).at(-1)?.error;
			assert.match(`${error?.message} ${error?.description}`, message);
			assert.ok(isStored(guid));
		},
		async sweep(): Promise<void> {
			succeeded(await n8n.run(sweepId, { trigger: SWEEP_TRIGGER, timeoutMs: 600_000 }));
		},
		/** Another n8n with the same service and archive, which sweeps when it is told to. */
		async secondN8n() {
			const second = await startN8n({ packages: [packedPackage()], allowedPaths: [folder] });
			const credentials = await credentialsIn(second, emulator);
			await createLedger(second);
			const archive = await second.importWorkflow(setup.archive.configured(), credentials);
			await second.activate(archive);
			const id = await second.importWorkflow(sweepInto(archive), credentials);
			return {
				sweep: async () => await second.run(id, { trigger: SWEEP_TRIGGER, timeoutMs: 600_000 }),
				stop: async () => await second.stop(),
			};
		},
		/** Waits until all are archived, or none has been for a while. */
		async settled(guids: readonly string[]): Promise<void> {
			let left = Infinity;
			let changedMs = Date.now();
			while (left > 0 && Date.now() - changedMs < QUIET_MS) {
				const now = guids.filter(isStored).length;
				if (now !== left) changedMs = Date.now();
				left = now;
				await sleep(500);
			}
		},
		/**
		 * Each recording lies in the archive byte for byte, and is deleted from the service.
		 * @param times how many files of each there may be
		 */
		async assertArchived(guids: readonly string[], times = 1): Promise<void> {
			const all = await setup.archive.files();
			for (const guid of guids) assertArchived(all, setup.ledger(guid), times);
		},
	};
}

/** A credential with the secrets, and with a previous password. */
async function credentialsIn(n8n: N8n, emulator: Emulator) {
	const voiceAgentApi = await n8n.createCredential({
		name: 'VoiceAgent',
		type: 'voiceAgentApi',
		data: { ...accountData(emulator.url, SECRETS), previousPassword1: PREVIOUS_PASSWORD },
	});
	return { voiceAgentApi };
}
