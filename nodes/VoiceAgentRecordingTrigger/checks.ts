import type {
	CronExpression,
	IDataObject,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { NodeOperationError, sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { operationError } from '../nodeError';
import type { ListedRecording } from '../service/recordings';
import { readRecordings } from '../service/recordings';
import { atOwnSecond, EVERY_MINUTE, FailureReports, isCheckDue } from './checkTimes';
import type { Settings } from './settings';
import type { Choice, History, Rules, Waiting } from './waitingRecordings';
import { chooseWaiting, readHistory, storedHistory } from './waitingRecordings';

/** Entry in the static data of the workflow. Each node of this type has its history there, under its id. */
const STORE = 'voiceAgentRecordingTrigger';

/** How long an execution takes to begin, in milliseconds. */
const BEGINNING_MS = 100;

/**
 * How far a process stays behind another one that starts executions for the same recordings, in milliseconds. n8n surely
 * refuses a key only once its first execution has begun. Until then, n8n 2.41 takes that execution for an abandoned one
 * and replaces it.
 */
const LAG_MS = 1_000;

/** Checks immediately and then on schedule, and starts one execution for each recording that is chosen. */
export function keepChecking(context: ITriggerFunctions, settings: Settings): ITriggerResponse {
	const reports = new FailureReports();
	let lastCheckMs = 0;
	let isChecking = false;
	let isClosed = false;

	const check = async () => {
		// A slow service must not be asked again before it has answered.
		if (isChecking || isClosed) return;
		isChecking = true;
		lastCheckMs = Date.now();
		try {
			const { choice, incomplete } = await choose(context, settings, settings.rules);
			await handOut(context, choice, () => isClosed);
			// An incomplete list helps too: once these recordings are archived and deleted, it shows others.
			if (incomplete) throw incomplete;
			if (choice.passedOver.withoutGuid > 0) {
				throw new VoiceAgentError('recordingsWithoutGuid', {
					detail: countOf(choice.passedOver.withoutGuid, 'recording'),
				});
			}
			reports.succeeded();
		} catch (error) {
			const failure = operationError(context.getNode(), error);
			context.logger.warn(`Looking for recordings failed: ${failure.message}`);
			// Not the message, because its numbers change from one check to the next.
			const kind = error instanceof VoiceAgentError ? error.reason : failure.message;
			if (!isClosed && reports.failed(kind, Date.now())) report(context, failure);
		} finally {
			isChecking = false;
		}
	};

	if ('cronExpression' in settings.schedule) {
		registerCron(context, settings.schedule.cronExpression, check);
	} else {
		const { intervalMs } = settings.schedule;
		registerCron(context, EVERY_MINUTE, async () => {
			if (isCheckDue(lastCheckMs, Date.now(), intervalMs)) await check();
		});
	}
	// Not awaited: if the service is down, n8n must still start and the workflow must still be published.
	void check();
	return {
		closeFunction: async () => {
			isClosed = true;
		},
	};
}

/**
 * The recordings that are waiting now, for an execution that was started by hand. It ignores the history and does not
 * change it, so it can be repeated.
 *
 * @throws NodeOperationError if it fails, and if none is waiting
 */
export async function waitingNow(
	context: ITriggerFunctions,
	settings: Settings,
): Promise<INodeExecutionData[]> {
	const { choice, incomplete } = await choose(context, settings, {
		...settings.rules,
		tryAgainAfterMs: 0,
	}).catch((error: unknown) => Promise.reject(operationError(context.getNode(), error)));
	if (choice.waiting.length > 0) return choice.waiting.map(itemOf);
	if (incomplete) throw operationError(context.getNode(), incomplete);
	throw new NodeOperationError(context.getNode(), 'No recording is waiting', {
		description: whyNone(choice.passedOver),
	});
}

function whyNone({ tooYoung, withoutGuid }: Choice<ListedRecording>['passedOver']): string {
	if (tooYoung > 0) {
		return `Listed, but younger than the minimum age: ${countOf(tooYoung, 'recording')}. Wait, or set 'Minimum Age (Minutes)' to 0 in the options of this node.`;
	}
	if (withoutGuid > 0) {
		return `In ${countOf(withoutGuid, 'recording')} no session GUID is found. Name the field that holds it under 'Session GUID Field' in the options of this node.`;
	}
	return 'The service lists no recordings. Place a call that is recorded, wait until it has ended, and try again.';
}

function countOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Reads the list of the service and chooses by the service's clock. */
async function choose(
	context: ITriggerFunctions,
	{ sessionGuidField, callEndField }: Settings,
	rules: Rules,
): Promise<{ choice: Choice<ListedRecording>; incomplete: VoiceAgentError | undefined }> {
	const { recordings, serviceTimeMs, incomplete } = await readRecordings(context, {
		sessionGuidField,
		callEndField,
	});
	const choice = chooseWaiting(recordings, historyOf(context), rules, serviceTimeMs);
	return { choice, incomplete };
}

/**
 * Starts the executions. Two things keep a recording from starting two of them:
 *
 * - the history in the static data, which n8n saves with each execution and loads when it starts;
 * - the de-duplication key, which n8n stores with the execution in its database and refuses a second time. It also works
 *   if the history of this process is out of date: after a crash, or while another process checks too.
 *
 * Versions of n8n without such keys ignore it. There, the history alone decides, which is enough for one process.
 */
async function handOut(
	context: ITriggerFunctions,
	{ waiting, history }: Choice<ListedRecording>,
	isClosed: () => boolean,
): Promise<void> {
	const workflowId = context.getWorkflow().id;
	const remembered = new Map(history);
	remember(context, remembered);
	for (const one of waiting) {
		if (isClosed()) return;
		// Before the execution starts, because n8n saves the static data then.
		remembered.set(one.key, one.handedOut);
		remember(context, remembered);
		const key = `${workflowId}:recording:${one.key}:${one.handedOut.attempt}`;
		const isRefused = await startExecution(context, itemOf(one), key);
		if (isRefused) await sleep(LAG_MS);
	}
}

/**
 * Starts an execution and waits until it has begun, because n8n does not keep the order of executions that begin at the
 * same moment.
 *
 * @returns whether n8n has refused the key: then it reports an end without a result
 */
async function startExecution(
	context: ITriggerFunctions,
	item: INodeExecutionData,
	key: string,
): Promise<boolean> {
	const done = context.helpers.createDeferredPromise<IRun>();
	context.emit([[item]], undefined, done, key);
	return await Promise.race([
		done.promise.then(
			(run: IRun | undefined) => run === undefined,
			() => false,
		),
		sleep(BEGINNING_MS).then(() => false),
	]);
}

function itemOf({
	listed,
	ageHours,
	alarm,
	handedOut,
}: Waiting<ListedRecording>): INodeExecutionData {
	const { sessionGuid, callEndedAt, retentionEndsAt, hoursLeft, recording } = listed;
	return {
		json: {
			sessionGuid,
			callEndedAt,
			ageHours,
			retentionEndsAt,
			hoursLeft,
			alarm,
			attempt: handedOut.attempt,
			recording,
		},
	};
}

/** In the data of the whole workflow by node id, because n8n loses the data of a node when the node is renamed. */
function historyOf(context: ITriggerFunctions): History {
	const stored = context.getWorkflowStaticData('global')[STORE] as IDataObject | undefined;
	return readHistory(stored?.[context.getNode().id]);
}

function remember(context: ITriggerFunctions, history: History): void {
	const data = context.getWorkflowStaticData('global');
	const stored = data[STORE] as IDataObject | undefined;
	data[STORE] = { ...stored, [context.getNode().id]: storedHistory(history) };
}

function registerCron(
	context: ITriggerFunctions,
	expression: string,
	onTick: () => Promise<void>,
): void {
	try {
		context.helpers.registerCron(
			{ expression: atOwnSecond(expression) as CronExpression },
			() => void onTick(),
		);
	} catch {
		throw new NodeOperationError(context.getNode(), 'The cron expression cannot be used', {
			description:
				"Correct 'Expression'. More information on how to build one: https://crontab.guru/",
		});
	}
}

/**
 * Shows a failed check as a failed execution, which also starts the error workflow. The workflow stays active and the
 * checks go on. `emitError` would deactivate it and make n8n activate it again.
 */
function report(context: ITriggerFunctions, failure: NodeOperationError): void {
	const { saveFailedExecution } = context as Partial<ITriggerFunctions>;
	// Older versions of n8n have no other way to show an error.
	if (saveFailedExecution === undefined) context.emitError(failure);
	else saveFailedExecution.call(context, failure);
}
