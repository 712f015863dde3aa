/** What the daily report says of the calls of the demo. */
import { setTimeout as sleep } from 'node:timers/promises';

import { LEDGER } from '../ledger.mts';
import type { N8n } from '../n8n/n8n.mts';

const LEDGER_TIMEOUT_MS = 120_000;

/**
 * Runs the report up to its message, and returns that.
 *
 * @param sessionGuids recordings that are archived: the report waits until the ledger knows of them
 * @throws {Error} when the workflow fails
 */
export async function dailyReport(
	n8n: N8n,
	workflowId: string,
	sessionGuids: readonly string[],
): Promise<string> {
	const deadline = Date.now() + LEDGER_TIMEOUT_MS;
	while (!(await knowsAll(n8n, sessionGuids)) && Date.now() < deadline) await sleep(200);
	const message = 'Write the report';
	const run = await n8n.run(workflowId, { trigger: 'Every morning', destination: message });
	const text = run.items(message)[0]?.json.text;
	if (typeof text !== 'string') throw new Error(`There is no report: ${run.error?.message}`);
	return text;
}

async function knowsAll(n8n: N8n, sessionGuids: readonly string[]): Promise<boolean> {
	const rows = (await (await n8n.dataTable(LEDGER))?.rows()) ?? [];
	const archived = rows.filter((row) => row.archivedAt !== null).map((row) => row.recordingKey);
	return sessionGuids.every((sessionGuid) => archived.includes(sessionGuid.toLowerCase()));
}
