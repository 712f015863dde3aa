import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { executionIdOf } from '../../executionId';
import { downloadedFiles } from './downloads';
import type { Maker } from './evidence';
import { oncePerInput } from './history';

/**
 * Executions of these modes begin with nothing: all that their nodes have output is from this
 * execution.
 */
const BEGINS_EMPTY: readonly WorkflowExecuteMode[] = [
	'cli',
	'error',
	'integrated',
	'trigger',
	'webhook',
];

/** In which execution a Download node has last output a recording: by its name, then by session. */
type Notes = Record<string, Record<string, string>>;

export function noteDownload(context: IExecuteFunctions, sessionGuid: string): void {
	const executionId = executionIdOf(context);
	if (executionId === undefined) return;
	const ofNode = (notesOf(context)[context.getNode().name] ??= {});
	ofNode[canonicalSessionGuid(sessionGuid)] = executionId;
}

/**
 * n8n keeps them with the execution. A Retry inherits them; a single step in the editor begins
 * without.
 */
function notesOf(context: IExecuteFunctions): Notes {
	const kept = context.getContext('flow') as { voiceAgentDownloads?: Notes };
	return (kept.voiceAgentDownloads ??= {});
}

/**
 * Whether a node has made something in this execution, and not in one that this one goes on with.
 */
export type IsFresh = (maker: Maker) => Promise<boolean>;

/**
 * Finds out whether this execution itself has asked the archive about a recording. What cannot be
 * told counts as asked earlier: the archive may have changed since.
 */
export function freshnessOf(context: IExecuteFunctions, sessionGuid: string): IsFresh {
	const mode = context.getMode();
	if (BEGINS_EMPTY.includes(mode)) return async () => true;
	if (mode === 'retry') return freshInRetry(context);
	return freshByHand(context, sessionGuid);
}

/**
 * What n8n has stored of this execution when it began, or of its progress since; `undefined` if it
 * has not.
 */
const storedExecution = oncePerInput(
	async (context) => await context.getExecutionDataById(context.getExecutionId()),
);

/**
 * A Retry goes on with the runs of earlier executions. n8n stores it when it begins, with just
 * these runs, so a run that is not stored is of this execution. If the progress of the workflow is
 * saved, later runs are stored too: then nothing can be told.
 */
function freshInRetry(context: IExecuteFunctions): IsFresh {
	return async ({ node, run }) => {
		const stored = await storedExecution(context);
		return stored !== undefined && run >= (stored.resultData.runData[node.name] ?? []).length;
	};
}

/**
 * When the editor executes a single step, it goes on with what it shows. But what it executes anew,
 * it executes to the end: if all Download nodes have run in this execution, each node behind one
 * has too.
 */
function freshByHand(context: IExecuteFunctions, sessionGuid: string): IsFresh {
	const executionId = executionIdOf(context);
	const notes = notesOf(context);
	const session = canonicalSessionGuid(sessionGuid);
	const downloads = downloadedFiles(context, sessionGuid).map(({ by }) => by);
	const areAllFromHere =
		executionId !== undefined && downloads.every((name) => notes[name]?.[session] === executionId);
	return async ({ node }) => areAllFromHere && downloads.some((name) => node.before.has(name));
}
