import type { IExecuteFunctions } from 'n8n-workflow';

import { canonicalSessionGuid } from '../../../service/sessionGuid';
import { lastRunOf } from './downloadedFiles';

/** In which executions something was done with a recording, by canonical session GUID. A retry begins with these notes. */
interface Notes {
	downloaded: Record<string, string>;
	checked: Record<string, string>;
}

export function noteDownload(context: IExecuteFunctions, sessionGuid: string): void {
	const { downloaded, checked } = notesOf(context);
	const key = canonicalSessionGuid(sessionGuid);
	downloaded[key] = context.getExecutionId();
	delete checked[key];
}

/**
 * Whether this execution has asked the archive about a recording. n8n's Retry begins with the node that failed, and the
 * editor with the step that is executed: what other nodes have output is then as old as the execution that they ran in.
 *
 * @returns for the name of a node that has asked the archive
 */
export function freshnessOf(
	context: IExecuteFunctions,
	sessionGuid: string,
): (name: string) => Promise<boolean> {
	const { downloaded, checked } = notesOf(context);
	const key = canonicalSessionGuid(sessionGuid);
	const thisOne = context.getExecutionId();
	const [downloadedIn, checkedIn = thisOne] = [downloaded[key], checked[key]];
	checked[key] = thisOne;
	return async (name) => {
		if (downloadedIn === thisOne || downloadedIn === undefined) return downloadedIn === checkedIn;
		const earlier = await context.getExecutionDataById(downloadedIn);
		if (!earlier || checkedIn !== thisOne) return false;
		const run =
			earlier.resultData.runData[name]?.[lastRunOf(context.getWorkflowDataProxy(0), name)];
		return run === undefined || run.error !== undefined;
	};
}

function notesOf(context: IExecuteFunctions): Notes {
	const kept = context.getContext('flow') as { voiceAgent?: Notes };
	return (kept.voiceAgent ??= { downloaded: {}, checked: {} });
}
