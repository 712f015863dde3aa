/** A sweep, its archive workflow and a ledger, for the tests of a suite. */
import { after, afterEach, before } from 'node:test';

import { createLedger } from '../../../harness/ledger.mts';
import type { DataTable, N8n } from '../../../harness/n8n/n8n.mts';
import { withLedger } from '../../../harness/workflows.mts';
import { setUpSweeps, type Changes, type SweepSetup } from '../workflows/sweepSetup.mts';

export type GetHost = () => { n8n: N8n; folder: string };

interface World {
	setup: SweepSetup;
	ledger: DataTable;
}

/** @returns what is there once the tests run */
export function sweepWithLedger(getHost: GetHost, changes: Changes = {}): World {
	const world: Partial<World> = {};
	before(async () => {
		world.ledger = await createLedger(getHost().n8n);
		world.setup = await setUpSweeps(getHost(), {
			...changes,
			archive(workflow) {
				withLedger(workflow);
				changes.archive?.(workflow);
			},
		});
	});
	after(async () => {
		await world.setup?.stop();
		await world.ledger?.remove();
	});
	afterEach(async () => await world.setup?.clear());
	return world as World;
}
