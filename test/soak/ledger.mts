/** What a soak shows of the ledger and of the notices. */
import { basename } from 'node:path';

import type { LedgerEntry } from '../../emulator/src/index.mts';
import { keyOf, LEDGER } from '../../harness/ledger.mts';
import type { N8n, Row, Workflow } from '../../harness/n8n/n8n.mts';
import { sha256, type StoredFile } from '../../harness/standIns/storedFiles.mts';
import { nodeOf, readWorkflow } from '../../harness/workflows.mts';
import { wholeFiles } from '../n8n/archived.mts';
import { changeLedger } from './database.mts';

/** How many rows that were never checked a night of verify-archive checks. */
const CHECKED_PER_NIGHT = 20;

/**
 * The rows after as many nights as verify-archive needs to note what n8n could not when it was
 * killed.
 */
export async function rowsAfterNights(n8n: N8n, userFolder: string): Promise<Row[]> {
	const rows = async () => (await (await n8n.dataTable(LEDGER))?.rows()) ?? [];
	const isOpen = ({ status }: Row) => status !== 'archived';
	const open = (await rows()).filter(isOpen).length;
	if (open === 0) return await rows();
	const longAgo = `"updatedAt" = datetime('now', '-2 days')`;
	changeLedger(userFolder, (table) => `UPDATE ${table} SET ${longAgo} WHERE status <> 'archived'`);
	const workflow: Workflow = readWorkflow('verify-archive');
	for (const name of [
		'Find the file in Google Drive',
		'Download the file from S3',
		'Download the file from SFTP',
	]) {
		nodeOf(workflow, name).disabled = true;
	}
	const id = await n8n.importWorkflow(workflow);
	for (let night = 0; night * CHECKED_PER_NIGHT < open; night++) {
		await n8n.run(id, { trigger: 'Every night' });
	}
	return await rows();
}

/** Rows that are missing, that nobody can find, or that say what is not true. */
export function wrongRows(
	rows: readonly Row[],
	recordings: readonly LedgerEntry[],
	files: readonly StoredFile[],
): string[] {
	const known = new Set(recordings.map(({ sessionGuid }) => keyOf(sessionGuid)));
	const strays = rows
		.filter((row) => !known.has(String(row.recordingKey)))
		.map((row) => `a row of no recording: ${JSON.stringify(row)}`);
	const wrong = recordings.flatMap(({ sessionGuid, endedAt, state }) => {
		if (state !== 'deleted') return [];
		const [row, ...others] = rows.filter((one) => one.recordingKey === keyOf(sessionGuid));
		if (!row || others.length > 0)
			return [`${sessionGuid} has ${row ? others.length + 1 : 'no'} rows`];
		const file = wholeFiles(files.filter(({ name }) => name.includes(sessionGuid))).find(
			({ name }) => name === basename(String(row.file)),
		);
		const expected: Row = {
			status: 'archived',
			archive: 'Folder',
			lastError: null,
			lostAt: null,
			bytes: file?.content.length ?? 'of a file',
			sha256: file ? sha256(file.content) : 'of a file',
		};
		const untrue = Object.keys(expected).filter((name) => (row[name] ?? null) !== expected[name]);
		if (!row.archivedAt) untrue.push('archivedAt');
		// The service shows whole seconds.
		const isOff = (time: unknown) =>
			Math.abs(Date.parse(String(time)) - Date.parse(endedAt)) > 1_000;
		if (row.endedAt && isOff(row.endedAt)) untrue.push('endedAt');
		return untrue.map((name) => `${sessionGuid}: ${name} is ${JSON.stringify(row[name])}`);
	});
	return [...strays, ...wrong];
}

/**
 * Notices that say the same of a recording for the third time, and those that say that it is lost.
 * A second time is allowed: two executions that fail at the same moment can both be reported,
 * because n8n compares and notes in two steps.
 */
export function wrongNotices(notices: readonly string[]): string[] {
	const seen = new Map<string, number>();
	return notices.filter((text) => {
		const [about = ''] = /(?:at risk: |It is over:).*?call [0-9a-f-]{36}/.exec(text) ?? [];
		const times = (seen.get(about) ?? 0) + 1;
		seen.set(about, times);
		return (about !== '' && times > 2) || text.includes('LOST');
	});
}
