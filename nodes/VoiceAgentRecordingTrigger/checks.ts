import type {
	CronExpression,
	INodeExecutionData,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { nodeError } from '../nodeError';
import { recordingPages } from '../service/recordings';
import { shownFailureIn } from '../service/secretInError';
import { Executions, waitingItem } from './executions';
import { FailureReports } from './failureReports';
import { loadHistory } from './history';
import type { Settings } from './settings';
import { type Choice, chooseWaiting } from './waitingRecordings';

const MINUTE_MS = 60_000;

/**
 * Checks immediately and then on schedule, and starts one execution for each recording that is
 * chosen.
 */
export function keepChecking(context: ITriggerFunctions, settings: Settings): ITriggerResponse {
	const reports = new FailureReports(context);
	const executions = new Executions(context, settings);
	let lastCheckMs = 0;
	const check = async () => {
		try {
			const choice = await chooseWaiting(recordingPages(context), loadHistory(context), settings);
			// Before the problem is reported, because an incomplete list helps too: once these
			// recordings are archived and deleted, it shows others.
			await executions.start(choice);
			const problem = problemOf(choice);
			if (problem) throw problem;
			reports.succeeded();
		} catch (error) {
			const failure = nodeError(context.getNode(), await shownFailureIn(context, error));
			// Not the message, because its numbers change from one check to the next.
			const kind = error instanceof VoiceAgentError ? error.reason : failure.message;
			if (!executions.isClosed) reports.failed(kind, failure);
		}
	};
	const tick = () => {
		// A slow service must not be asked again before it has answered.
		if (executions.checking || executions.isClosed) return;
		if (!isCheckDue(lastCheckMs, Date.now(), settings.intervalMs)) return;
		lastCheckMs = Date.now();
		executions.checking = check().finally(() => {
			executions.checking = undefined;
		});
	};
	context.helpers.registerCron({ expression: everyMinute() }, tick);
	// Nothing waits for this first check: if the service is down, n8n must still start, and the
	// workflow must still be published.
	tick();
	return {
		closeFunction: async () => {
			executions.isClosed = true;
		},
	};
}

/**
 * Once a minute, at a random second, so that processes of n8n do not all ask the service at the
 * same moment.
 */
export function everyMinute(random: () => number = Math.random): CronExpression {
	return `${Math.floor(random() * 60)} * * * * *` as CronExpression;
}

/**
 * Whether a check is due at a tick. Ticks come every minute. One that is up to half a minute early
 * counts, or a check could be almost a minute late.
 *
 * Counting from the last check works for any interval, even if it does not divide an hour or a day,
 * and daylight saving time does not affect it. After the clock was set back, a check is due.
 */
export function isCheckDue(lastMs: number, nowMs: number, intervalMs: number): boolean {
	return nowMs < lastMs || nowMs - lastMs >= intervalMs - MINUTE_MS / 2;
}

/** What of the list could not be read. */
function problemOf({ incomplete, withoutGuid }: Choice): VoiceAgentError | undefined {
	if (incomplete || withoutGuid === 0) return incomplete;
	return new VoiceAgentError('recordingsWithoutGuid', { detail: `${withoutGuid} of them` });
}

/**
 * The recordings that are waiting now, for an execution that was started by hand. Those that were
 * handed out a short while ago are among them.
 *
 * @throws NodeOperationError if it fails, and if none is waiting
 */
export async function waitingNow(
	context: ITriggerFunctions,
	settings: Settings,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const allDue = { ...settings, tryAgainAfterMs: 0 };
	try {
		const choice = await chooseWaiting(recordingPages(context), loadHistory(context), allDue);
		const listed = choice.waiting.filter(({ isGone }) => !isGone);
		if (listed.length > 0) return listed.map(waitingItem);
		const problem = problemOf(choice);
		if (problem) throw problem;
		const minutes = settings.minimumAgeMs / MINUTE_MS;
		const description = `Place a call that is recorded, and wait until it has ended. A recording whose call ended less than ${minutes} minutes ago is passed over: wait, or set 'Minimum Age (Minutes)' to 0 in the options of this node. If the service does not say when the call ended, this counts from when the published workflow first saw the recording.`;
		throw new NodeOperationError(node, 'No recording is waiting', { description });
	} catch (error) {
		throw nodeError(node, await shownFailureIn(context, error));
	}
}
