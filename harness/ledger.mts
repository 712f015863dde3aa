/** The ledger of calls, which the workflows of this repository keep in a data table of n8n. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { DataTable, N8n, Row } from './n8n/n8n.mts';
import { readWorkflow } from './workflows.mts';

export const LEDGER = 'VoiceAgent calls';

/** The table of days, which status-page shows. */
export const LEDGER_DAYS = 'VoiceAgent days';

/**
 * Creates the ledger as its user does, with create-ledger.
 *
 * @throws {Error} when that workflow fails
 */
export async function createLedger(n8n: N8n): Promise<DataTable> {
	const id = await n8n.importWorkflow(readWorkflow('create-ledger'));
	const execution = await n8n.run(id, { trigger: 'When you execute it' });
	const ledger = await n8n.dataTable(LEDGER);
	if (ledger === undefined) throw new Error(`No ledger was created: ${execution.error?.message}`);
	return ledger;
}

/** What the ledger says of a call, without the columns that n8n adds and those that are empty. */
export function entered({ id, createdAt, updatedAt, ...row }: Row): Row {
	void [id, createdAt, updatedAt];
	return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/** What the ledger says of one call, once `isReady` holds; some workflows write it after they were waited for. */
export async function rowOf(
	ledger: DataTable,
	sessionGuid: string,
	isReady: (row: Row) => boolean = () => true,
): Promise<Row> {
	const deadline = Date.now() + 180_000;
	for (;;) {
		const rows = (await ledger.rows()).filter(
			(row) => row.sessionGuid === sessionGuid.toLowerCase(),
		);
		if (rows.length > 1) throw new Error(`The ledger has ${rows.length} rows of ${sessionGuid}.`);
		const row = rows[0] && entered(rows[0]);
		if (row && isReady(row)) return row;
		if (Date.now() > deadline) throw new Error(`The ledger says ${JSON.stringify(row)}.`);
		await sleep(100);
	}
}
