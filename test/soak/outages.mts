/**
 * What fails for minutes in a soak: the archive is away, the service deletes nothing, or the ledger
 * takes no rows.
 */
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

import type { EmulatorControl } from '../../emulator/src/index.mts';
import { changeLedger } from './database.mts';
import type { PlannedOutage } from './plan.mts';

/** Where an archive folder is while it is away. */
export const awayOf = (folder: string) => `${folder} away`;

export interface Places {
	folder: string;
	userFolder: string;
	control: EmulatorControl;
}

/** Begins an outage. Returns how it ends. */
const begin: Record<PlannedOutage['what'], (places: Places) => Promise<() => unknown>> = {
	// As a share that is not mounted.
	async archive({ folder }) {
		await rename(folder, awayOf(folder));
		return async () => await rename(awayOf(folder), folder);
	},
	async delete({ control }) {
		const { id } = await control.addFault({
			match: { endpoint: 'deleteRecording' },
			times: 'always',
			fault: { kind: 'status', status: 503 },
		});
		return () => control.removeFault(id);
	},
	// As when the database is full: it can be read, but takes nothing.
	async ledger({ userFolder }) {
		const refusal = "BEGIN SELECT RAISE(ABORT, 'the ledger is full'); END";
		const onEach = (sqlFor: (table: string, event: string) => string) =>
			changeLedger(userFolder, (table) =>
				['INSERT', 'UPDATE'].map((event) => sqlFor(table, event)).join(';\n'),
			);
		onEach(
			(table, event) => `CREATE TRIGGER outage_${event} BEFORE ${event} ON ${table} ${refusal}`,
		);
		return () => onEach((_table, event) => `DROP TRIGGER outage_${event}`);
	},
};

/** One outage, from its beginning to its end. */
export async function outage({ what, forMs }: PlannedOutage, places: Places): Promise<void> {
	const end = await begin[what](places);
	await sleep(forMs);
	await end();
}
