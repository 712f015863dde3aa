/** The ledger of calls, which the workflows of this repository keep in a data table of n8n. */
import type { DataTable, N8n, Row } from './n8n/n8n.mts';
import { until } from './until.mts';
import { readWorkflow } from './workflows.mts';

export const LEDGER = 'VoiceAgent calls';

/** The table of days, which the status page shows. */
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

/** The key of the row of a call: `recordingKey` of the items of a recording. */
export function keyOf(sessionGuid: string): string {
	return sessionGuid.replace(/[{}]/g, '').toLowerCase();
}

/** What the ledger says of a call, without the columns that n8n adds and those that are empty. */
export function entered({ id, createdAt, updatedAt, ...row }: Row): Row {
	void [id, createdAt, updatedAt];
	return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null));
}

/**
 * What the ledger says of one call. Waits for the row, because some workflows write it late.
 *
 * @param isReady whether the row is complete
 */
export async function rowOf(
	ledger: DataTable,
	sessionGuid: string,
	isReady: (row: Row) => boolean = () => true,
): Promise<Row> {
	let rows: Row[] = [];
	return await until(
		async () => {
			const all = (await ledger.rows()).map(entered);
			rows = all.filter((row) => row.recordingKey === keyOf(sessionGuid));
			return rows.length === 1 ? rows.find(isReady) : undefined;
		},
		() => `The ledger says ${JSON.stringify(rows)} of ${sessionGuid}.`,
	);
}
