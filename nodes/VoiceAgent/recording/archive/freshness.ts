import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { executionIdOf } from '../../executionId';
import { downloadedFiles } from './downloads';
import type { Maker } from './evidence';
import type { NodeBefore } from './history';
import { oncePerInput } from './oncePerInput';

/**
 * Whether the archive was asked in this execution. n8n lets an execution go on with what the nodes
 * of an earlier one have output. The archive may have changed since, so that is no proof.
 */

/**
 * Executions of these modes begin with nothing: all that their nodes have output is from this
 * execution. That holds for 'integrated' (a sub-workflow) too, although a Retry of the calling
 * workflow starts it again: then it begins anew. An execution in the mode 'manual' may go on with
 * what the editor shows.
 */
const BEGINS_EMPTY: readonly WorkflowExecuteMode[] = [
	'cli',
	'error',
	'integrated',
	'trigger',
	'webhook',
];

/** The execution in which a Download node has last output a recording, by session. */
type NotesOfNode = Record<string, string>;

/** What n8n keeps with an execution. A Retry inherits it; a single step in the editor does not. */
interface FlowContext {
	/** By the name of the Download node. */
	voiceAgentDownloads?: Record<string, NotesOfNode>;
}

function flowContextOf(context: IExecuteFunctions): FlowContext {
	return context.getContext('flow');
}

/** Notes that this Download node has output a recording in this execution. */
export function noteDownload(context: IExecuteFunctions, sessionGuid: string): void {
	const executionId = executionIdOf(context);
	if (executionId === undefined) return;
	const flow = flowContextOf(context);
	flow.voiceAgentDownloads ??= {};
	const notes = (flow.voiceAgentDownloads[context.getNode().name] ??= {});
	notes[canonicalSessionGuid(sessionGuid)] = executionId;
}

/** Whether a Download node has output a recording in this execution. */
function hasDownloaded(context: IExecuteFunctions, name: string, sessionGuid: string): boolean {
	const executionId = executionIdOf(context);
	if (executionId === undefined) return false;
	const notes = flowContextOf(context).voiceAgentDownloads?.[name];
	// Only a Retry is known to have notes of an earlier execution, and isFresh() does not ask this
	// about one. The id is compared in case n8n hands notes on elsewhere too.
	return notes?.[canonicalSessionGuid(sessionGuid)] === executionId;
}

/**
 * Whether a node has asked the archive about a recording in this execution, and not in one that
 * this one goes on with. If that cannot be known, it counts as asked earlier.
 */
export async function isFresh(
	context: IExecuteFunctions,
	sessionGuid: string,
	asked: Maker,
): Promise<boolean> {
	const mode = context.getMode();
	if (BEGINS_EMPTY.includes(mode)) return true;
	if (mode === 'retry') return await isOfThisRetry(context, asked);
	return isBehindNewDownloads(context, sessionGuid, asked.node);
}

/**
 * What n8n has stored of this execution when it began, or of its progress since; `undefined` if it
 * has stored nothing.
 */
const storedExecution = oncePerInput(
	async (context) => await context.getExecutionDataById(context.getExecutionId()),
);

/**
 * A Retry goes on with the runs of earlier executions. n8n stores it when it begins, with just
 * these runs, so a run that is not stored is of this execution.
 *
 * If the progress of the workflow is saved, n8n stores later runs too. Then no run counts as one of
 * this execution.
 */
async function isOfThisRetry(context: IExecuteFunctions, { node, run }: Maker): Promise<boolean> {
	const stored = await storedExecution(context);
	if (!stored) return false;
	const storedRuns = stored.resultData.runData[node.name] ?? [];
	return run >= storedRuns.length;
}

/**
 * In the editor, an execution may go on with what the editor shows. But a node that it executes is
 * executed with all nodes behind it. So a node has run in this execution if it is behind a Download
 * node that has.
 *
 * All Download nodes of the recording must have run in this execution. If two of them lead to one
 * node, it runs once for each of them, and its run for an earlier download may be an earlier one.
 */
function isBehindNewDownloads(
	context: IExecuteFunctions,
	sessionGuid: string,
	node: NodeBefore,
): boolean {
	const downloads = downloadedFiles(context, sessionGuid).map(({ by }) => by);
	const areAllNew = downloads.every((name) => hasDownloaded(context, name, sessionGuid));
	return areAllNew && downloads.some((name) => node.before.has(name));
}
