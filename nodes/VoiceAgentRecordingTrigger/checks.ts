import type { INodeExecutionData, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { operationError } from '../nodeError';
import { recordingPages } from '../service/list/recordings';
import { everyMinute, FailureReports, isCheckDue } from './checkTimes';
import { Executions, itemOf } from './executions';
import { loadHistory } from './history';
import type { Settings } from './settings';
import type { Choice, Rules } from './waitingRecordings';
import { chooseWaiting } from './waitingRecordings';

/** Checks immediately and then on schedule, and starts one execution for each recording that is chosen. */
export function keepChecking(context: ITriggerFunctions, settings: Settings): ITriggerResponse {
	const reports = new FailureReports();
	const executions = new Executions(context, settings.rules);
	let lastCheckMs = 0;
	const check = async () => {
		// A slow service must not be asked again before it has answered.
		if (executions.isChecking || executions.isClosed) return;
		executions.isChecking = true;
		lastCheckMs = Date.now();
		try {
			await checkOnce(context, settings.rules, executions);
			reports.succeeded();
		} catch (error) {
			const failure = operationError(context.getNode(), error);
			context.logger.warn(`Looking for recordings failed: ${failure.message}`);
			// Not the message, because its numbers change from one check to the next.
			const kind = error instanceof VoiceAgentError ? error.reason : failure.message;
			if (!executions.isClosed && reports.failed(kind, Date.now()))
				context.saveFailedExecution(failure);
		} finally {
			executions.isChecking = false;
			executions.storeChanged();
		}
	};
	context.helpers.registerCron({ expression: everyMinute() }, () => {
		if (isCheckDue(lastCheckMs, Date.now(), settings.intervalMs)) void check();
	});
	// Not awaited: if the service is down, n8n must still start and the workflow must still be published.
	void check();
	return {
		closeFunction: async () => {
			executions.isClosed = true;
		},
	};
}

/** @throws VoiceAgentError if the list cannot be read, or only in part */
async function checkOnce(
	context: ITriggerFunctions,
	rules: Rules,
	executions: Executions,
): Promise<void> {
	const choice = await chooseWaiting(recordingPages(context), loadHistory(context), rules);
	await executions.start(choice);
	// An incomplete list helps too: once these recordings are archived and deleted, it shows others.
	if (choice.incomplete) throw choice.incomplete;
	const { withoutGuid } = choice.passedOver;
	if (withoutGuid > 0) {
		throw new VoiceAgentError('recordingsWithoutGuid', { detail: recordings(withoutGuid) });
	}
}

/**
 * The recordings that are waiting now, for an execution that was started by hand. Those that were handed out are among
 * them, and the history is not changed, so it can be repeated.
 *
 * @throws NodeOperationError if it fails, and if none is waiting
 */
export async function waitingNow(
	context: ITriggerFunctions,
	{ rules }: Settings,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const pages = recordingPages(context);
	const allDue = { ...rules, tryAgainAfterMs: 0 };
	const choice = await chooseWaiting(pages, loadHistory(context), allDue).catch(
		(error: unknown) => {
			throw operationError(node, error);
		},
	);
	const listed = choice.waiting.filter(({ isGone }) => !isGone);
	if (listed.length > 0) return listed.map(itemOf);
	if (choice.incomplete) throw operationError(node, choice.incomplete);
	const description = whyNone(choice.passedOver, rules);
	throw new NodeOperationError(node, 'No recording is waiting', { description });
}

function whyNone({ tooYoung, withoutGuid }: Choice['passedOver'], { minimumAgeMs }: Rules): string {
	if (tooYoung > 0) {
		const minimumAge = `${minimumAgeMs / 60_000} minutes`;
		return `Passed over, because younger than the minimum age of ${minimumAge}: ${recordings(tooYoung)}. Wait, or set 'Minimum Age (Minutes)' to 0 in the options of this node. If the service does not say when the call ended, the age counts from when the published workflow first saw the recording.`;
	}
	if (withoutGuid > 0) {
		return `In ${recordings(withoutGuid)} no session GUID is found. Name the field that holds it under 'Session GUID Field' in the VoiceAgent API credential.`;
	}
	return 'The service lists no recordings. Place a call that is recorded, wait until it has ended, and try again.';
}

function recordings(count: number): string {
	return count === 1 ? '1 recording' : `${count} recordings`;
}
