/** Judges a soak by the files of the archive, the log of the service and n8n's database. */
import { sha256 } from '../../harness/standIns/storedFiles.mts';
import { wholeFiles } from '../n8n/archived.mts';
import { wrongNotices, wrongRows } from './ledger.mts';
import type { Result } from './run.mts';

export interface Check {
	what: string;
	/** What contradicts it. */
	faults: string[];
}

export function judge(result: Result): Check[] {
	const { plan, recordings, files, executions, wrongDeletes } = result;
	const { rows, notices = [] } = result;
	const notArchived: string[] = [];
	const left: string[] = [];
	const strays = new Set(files);
	for (const { sessionGuid, recording } of plan.calls) {
		if (recording === undefined) continue;
		const entry = recordings.find((one) => one.sessionGuid === sessionGuid);
		const own = files.filter(({ name }) => name.includes(sessionGuid));
		for (const file of own) strays.delete(file);
		const whole = wholeFiles(own);
		const isExact = whole.every(({ content }) => sha256(content) === entry?.plainSha256);
		if (whole.length === 0 || !isExact) notArchived.push(sessionGuid);
		if (entry?.state !== 'deleted') left.push(`${sessionGuid} is ${entry?.state}`);
	}
	const open = executions.filter(({ status }) =>
		['new', 'running', 'waiting', 'unknown'].includes(status),
	);
	return [
		{ what: 'The ledger tells the truth', faults: rows ? wrongRows(rows, recordings, files) : [] },
		{ what: 'No notice comes a third time, and none is false', faults: wrongNotices(notices) },
		{ what: 'Every recording is archived byte for byte', faults: notArchived },
		{ what: 'Nothing was deleted before its file was whole in the archive', faults: wrongDeletes },
		{ what: 'Nothing is left at the service', faults: left },
		{ what: 'Nothing else lies in the archive', faults: [...strays].map(({ name }) => name) },
		{
			what: 'No execution is stuck',
			faults: open.map(({ id, status, workflowId }) => `${id} of ${workflowId} is ${status}`),
		},
	];
}

/** All that contradicts what a soak must show. */
export function faultsOf(result: Result): string[] {
	return judge(result).flatMap(({ what, faults }) => faults.map((fault) => `${what}: ${fault}`));
}

/** @returns whether it is good */
export function printVerdict(result: Result): boolean {
	const { recordings, deletes, webhooksTaken, notices = [] } = result;
	const did = [
		`taken ${webhooksTaken} webhooks`,
		`asked for ${deletes} deletes and posted ${notices.length} notices`,
	];
	console.log(`\n${recordings.length} recordings; n8n has ${did.join(', ')}\n`);
	for (const { what, faults } of judge(result)) {
		console.log(`${faults.length === 0 ? 'HOLDS' : 'FAILS'}  ${what}`);
		for (const line of faults) console.log(`  ${line}`);
	}
	return faultsOf(result).length === 0;
}
