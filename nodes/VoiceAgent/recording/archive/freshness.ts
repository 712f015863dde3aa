import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { executionIdOf } from '../../executionId';
import { downloadedFiles } from './downloads';
import { oncePerInput } from './history';

/**
 * Executions of these modes begin with nothing: all that their nodes have output is from this execution. A Retry goes on
 * with what earlier executions have output, and so does the editor when it executes a single step.
 */
const BEGINS_EMPTY: readonly WorkflowExecuteMode[] = [
	'cli',
	'error',
	'integrated',
	'trigger',
	'webhook',
];

/** In which execution a Download node has last output a recording: by its name, then by session. A Retry inherits it. */
type Notes = Record<string, Record<string, string>>;

export function noteDownload(context: IExecuteFunctions, sessionGuid: string): void {
	const notes = notesOf(context);
	const ofNode = (notes[context.getNode().name] ??= {});
	const executionId = executionIdOf(context);
	if (executionId !== undefined) ofNode[canonicalSessionGuid(sessionGuid)] = executionId;
}

function notesOf(context: IExecuteFunctions): Notes {
	const kept = context.getContext('flow') as { voiceAgentDownloads?: Notes };
	return (kept.voiceAgentDownloads ??= {});
}

/** What n8n has stored of this execution when it began, or of its progress since; `undefined` if it has not. */
const storedExecution = oncePerInput(
	async (context) => await context.getExecutionDataById(context.getExecutionId()),
);

/**
 * Whether this execution itself has asked the archive about a recording, and not an earlier one whose output it inherits.
 * There are three kinds of evidence, and without any of them it counts as asked earlier:
 *
 * 1. Executions of this mode inherit nothing.
 * 2. Each Download node that has output the recording has done so in this execution, and the node that asked the archive
 *    comes after one of them, so it has run after it.
 * 3. In a Retry: n8n stores an execution when it begins, with all runs that it inherits. A run that is not in there is
 *    from this execution. If the progress of the workflow is saved, later runs are in there too, and prove nothing.
 *
 * @returns for a node that has asked the archive, and the index of the run in which it has
 */
export function freshnessOf(
	context: IExecuteFunctions,
	sessionGuid: string,
): (node: string, run: number) => Promise<boolean> {
	const mode = context.getMode();
	if (BEGINS_EMPTY.includes(mode)) return async () => true;

	const session = canonicalSessionGuid(sessionGuid);
	const executionId = executionIdOf(context);
	const notes = notesOf(context);
	const downloads = new Set(downloadedFiles(context, sessionGuid).map(({ by }) => by));
	const isDownloadedHere =
		executionId !== undefined &&
		[...downloads].every((name) => notes[name]?.[session] === executionId);

	return async (node, run) => {
		const isAfterDownload = context
			.getParentNodes(node)
			.some((before) => downloads.has(before.name));
		if (isDownloadedHere && isAfterDownload) return true;
		if (mode !== 'retry') return false;
		const stored = await storedExecution(context);
		return stored !== undefined && run >= (stored.resultData.runData[node] ?? []).length;
	};
}
