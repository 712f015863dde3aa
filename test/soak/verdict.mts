/** Judges a soak by what lies in the archive, what the service logged and what n8n's database says. */
import { readFileSync } from 'node:fs';

import { sha256, wholeFiles } from '../n8n/kills/reader.mts';
import type { ExecutionRow } from './database.mts';
import type { Result } from './run.mts';

/** Where the copies are named that may lie in the archive. */
const ARCHITECTURE = new URL('../../docs/architecture.md', import.meta.url);

export interface Check {
	what: string;
	/** What contradicts it. */
	faults: string[];
	/** What else a reader should know. */
	notes: string[];
}

export interface Verdict {
	figures: string[];
	checks: Check[];
	isGood: boolean;
}

/** Why an archive may have a second copy, and the sentence of docs/architecture.md that says so. */
const SECOND_COPIES = {
	repeated: {
		why: 'the execution of the first was cut off or failed, and was repeated',
		sentence: 'A folder has two after an execution that was repeated.',
	},
	sideBySide: {
		why: 'a sweep began while another execution was still archiving it',
		sentence:
			'It also has two if a sweep begins while another execution is still archiving the recording',
	},
} as const;

export function judge(result: Result): Verdict {
	const { plan, recordings, files, executions, wrongDeletes, deletes } = result;
	const recorded = plan.calls.filter(({ recording }) => recording);
	const byCall = new Map<string, typeof files>();
	for (const file of files) {
		const [sessionGuid = ''] = /[\da-f]{8}-[\da-f-]{27}/.exec(file.name) ?? [];
		byCall.set(sessionGuid, [...(byCall.get(sessionGuid) ?? []), file]);
	}
	const archived: Check = {
		what: 'Every recording is archived byte for byte',
		faults: [],
		notes: [],
	};
	const once: Check = {
		what: 'Once, unless docs/architecture.md says why not',
		faults: [],
		notes: [],
	};
	const left: Check = { what: 'Nothing is left at the service', faults: [], notes: [] };
	const cut: Check = { what: 'Nothing else lies in the archive', faults: [], notes: [] };
	const sentences = readFileSync(ARCHITECTURE, 'utf8');
	let cutFiles = 0;

	for (const { sessionGuid } of recorded) {
		const entry = recordings.find((one) => one.sessionGuid === sessionGuid);
		const own = byCall.get(sessionGuid) ?? [];
		byCall.delete(sessionGuid);
		const whole = wholeFiles(own);
		cutFiles += own.filter(({ name }) => !name.endsWith('.json')).length - whole.length;
		const isExact = whole.every(({ content }) => sha256(content) === entry?.plainSha256);
		if (whole.length === 0 || !isExact) archived.faults.push(sessionGuid);
		if (entry?.state !== 'deleted') left.faults.push(`${sessionGuid} is ${entry?.state}`);
		if (whole.length < 2) continue;
		const writers = whole.map(({ name }) => writerOf(name, result));
		const cause = causeOf(writers, result);
		const names = writers.map((one) =>
			one ? `${one.id} (${one.status})` : 'one that was cut off',
		);
		const line = `${sessionGuid} has ${whole.length} copies, by the executions ${names.join(', ')}`;
		if (cause && sentences.includes(SECOND_COPIES[cause].sentence)) {
			once.notes.push(`${line}: ${SECOND_COPIES[cause].why}`);
		} else once.faults.push(line);
	}
	// Those of calls that were not recorded, and of none.
	for (const strays of byCall.values()) cut.faults.push(...strays.map(({ name }) => name));
	if (cutFiles > 0) cut.notes.push(`${cutFiles} files that a kill has cut, without metadata`);

	const open = executions.filter(({ status }) =>
		['new', 'running', 'waiting', 'unknown'].includes(status),
	);
	const checks: Check[] = [
		archived,
		once,
		{
			what: 'Nothing was deleted before its file was whole in the archive',
			faults: wrongDeletes,
			notes: [`${deletes} requests to delete were looked at`],
		},
		left,
		cut,
		{
			what: 'No execution is stuck',
			faults: open.map(({ id, status, workflowId }) => `${id} of ${workflowId} is ${status}`),
			notes: [counts(executions.map(({ status }) => status))],
		},
	];
	return {
		figures: figuresOf(result),
		checks,
		isGood: checks.every(({ faults }) => faults.length === 0),
	};
}

export function printVerdict({ figures, checks }: Verdict): void {
	console.log(`\n${figures.join('\n')}\n`);
	for (const { what, faults, notes } of checks) {
		console.log(`${faults.length === 0 ? 'HOLDS' : 'FAILS'}  ${what}`);
		for (const line of [...faults, ...notes]) console.log(`  ${line}`);
	}
}

/** The execution that has stored a file; undefined if n8n did not finish it. */
function writerOf(fileName: string, { writers, executions }: Result): ExecutionRow | undefined {
	return executions.find(({ id }) => id === writers.get(fileName));
}

function causeOf(
	writers: ReadonlyArray<ExecutionRow | undefined>,
	{ archiveId, executions }: Result,
): keyof typeof SECOND_COPIES | undefined {
	const cutOff = writers.filter((one) => one === undefined).length;
	const crashed = executions.filter(({ status }) => status === 'crashed').length;
	if (cutOff > crashed) return undefined;
	const finished = writers.filter((one) => one?.status === 'success') as ExecutionRow[];
	if (finished.length < 2) return 'repeated';
	finished.sort((a, b) => a.id - b.id);
	const overlap = finished.slice(1).every((one, index) => {
		const before = finished[index];
		return before && one.startedMs <= before.stoppedMs;
	});
	// A webhook starts the archive workflow itself. Two webhooks must not lead to two copies.
	const bySweep = finished.some(
		({ mode, workflowId }) => workflowId === archiveId && mode !== 'webhook',
	);
	return overlap && bySweep ? 'sideBySide' : undefined;
}

function figuresOf({
	plan,
	executions,
	archiveId,
	sweepId,
	webhooksTaken,
	seconds,
}: Result): string[] {
	const { calls, kills } = plan;
	const recorded = calls.flatMap(({ recording }) => recording ?? []);
	const faults = calls.flatMap((call) => call.faults.map(({ fault }) => fault));
	const count = (isCounted: (call: (typeof calls)[number]) => boolean) =>
		calls.filter(isCounted).length;
	return [
		`${calls.length} calls, ${recorded.length} recorded: ${counts(recorded.map(({ format }) => format))}, ${recorded.filter(({ isEncrypted }) => isEncrypted).length} encrypted, ${Math.round(recorded.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / 1e6)} MB`,
		`Faults: ${counts(faults.map((fault) => (fault.kind === 'status' ? String(fault.status) : fault.kind)))}, ${count(({ lateMs }) => lateMs > 0)} late`,
		`Webhooks: ${count(({ webhook }) => webhook.isLost)} lost, ${count(({ webhook }) => webhook.repeatedAfterMs !== undefined)} repeated, ${count(({ webhook }) => webhook.isReordered)} reordered; n8n has taken ${webhooksTaken}`,
		`n8n was killed ${kills.length} times; it took ${seconds} s`,
		`Archive workflow: ${counts(executions.filter((one) => one.workflowId === archiveId).map(({ mode, status }) => `${mode} ${status}`))}`,
		`Sweep: ${counts(executions.filter((one) => one.workflowId === sweepId).map(({ status }) => status))}`,
	];
}

function counts(values: readonly string[]): string {
	const numbers = new Map<string, number>();
	for (const value of values) numbers.set(value, (numbers.get(value) ?? 0) + 1);
	const sorted = [...numbers].sort(([, a], [, b]) => b - a);
	return sorted.map(([value, number]) => `${number} ${value}`).join(', ') || 'none';
}
