import type {
	CronExpression,
	INodeExecutionData,
	IRun,
	ITriggerFunctions,
	ITriggerResponse,
} from 'n8n-workflow';
import { ExecutionCancelledError, NodeOperationError, sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { operationError } from '../nodeError';
import type { ListedRecording } from '../service/list/recordings';
import { recordingPages } from '../service/list/recordings';
import { RETENTION_MS, retentionOf } from '../service/retention';
import { atOwnSecond, EVERY_MINUTE, FailureReports, isCheckDue } from './checkTimes';
import type { Settings } from './settings';
import { loadHistory, storeEntry, storeHistory } from './store';
import type { Choice, Entry, Rules, Waiting } from './waitingRecordings';
import { attemptName, chooseWaiting } from './waitingRecordings';

/** How long an execution takes to begin, in milliseconds. */
const BEGINNING_MS = 100;

/**
 * How far a process stays behind another one that starts executions for the same recordings, in milliseconds. n8n surely
 * refuses a key only once its first execution has begun. Until then, n8n 2.41 takes that execution for an abandoned one
 * and replaces it.
 */
const LAG_MS = 1_000;

interface Ends {
	onSuccess: (one: Waiting<ListedRecording>) => void;
	onFailure: (one: Waiting<ListedRecording>, error: unknown) => void;
}

/** Checks immediately and then on schedule, and starts one execution for each recording that is chosen. */
export function keepChecking(context: ITriggerFunctions, settings: Settings): ITriggerResponse {
	const { reports, startReports } = reportsOf(context);
	let lastCheckMs = 0;
	let isChecking = false;
	let isClosed = false;

	/** Entries that the end of an execution has changed. */
	const changed = new Map<string, Entry>();
	const storeChanged = () => {
		for (const [key, entry] of changed) storeEntry(context, key, entry);
		changed.clear();
	};
	const change = (key: string, entry: Entry) => {
		changed.set(key, entry);
		// A check writes the history that it has read.
		if (!isChecking) storeChanged();
	};
	const onSuccess = ({ key, handedOut }: Waiting<ListedRecording>) =>
		change(key, { ...handedOut, succeeded: true });
	const onFailure = ({ key, before }: Waiting<ListedRecording>, error: unknown) => {
		// As if it had not been handed out.
		change(key, before);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `n8n could not start the workflow for a recording: ${reason}`;
		context.logger.warn(message);
		if (isClosed || !startReports.failed(reason, Date.now())) return;
		const description = 'The next check tries again. If it fails too, look at the log of n8n.';
		report(context, new NodeOperationError(context.getNode(), message, { description }));
	};

	const check = async () => {
		// A slow service must not be asked again before it has answered.
		if (isChecking || isClosed) return;
		isChecking = true;
		lastCheckMs = Date.now();
		try {
			const { choice, incomplete } = await choose(
				context,
				settings,
				settings.rules,
				purgedRecording,
			);
			await handOut(context, choice, settings.rules, () => isClosed, { onSuccess, onFailure });
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
			storeChanged();
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
 * The recordings that are waiting now, for an execution that was started by hand. Those that were handed out are among
 * them, and the history is not changed, so it can be repeated.
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
		description: whyNone(choice.passedOver, settings.rules),
	});
}

function whyNone(
	{ tooYoung, withoutGuid }: Choice<ListedRecording>['passedOver'],
	{ minimumAgeMs }: Rules,
): string {
	if (tooYoung > 0) {
		const minimumAge = `${minimumAgeMs / 60_000} minutes`;
		return `Passed over, because younger than the minimum age of ${minimumAge}: ${countOf(tooYoung, 'recording')}. Wait, or set 'Minimum Age (Minutes)' to 0 in the options of this node. If the service does not say when the call ended, the age counts from when the published workflow first saw the recording.`;
	}
	if (withoutGuid > 0) {
		return `In ${countOf(withoutGuid, 'recording')} no session GUID is found. Name the field that holds it under 'Session GUID Field' in the VoiceAgent API credential.`;
	}
	return 'The service lists no recordings. Place a call that is recorded, wait until it has ended, and try again.';
}

function countOf(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Reads the list of the service and chooses by the service's clock. */
async function choose(
	context: ITriggerFunctions,
	_settings: Settings,
	rules: Rules,
	purged?: typeof purgedRecording,
): Promise<{ choice: Choice<ListedRecording>; incomplete: VoiceAgentError | undefined }> {
	let incomplete: VoiceAgentError | undefined;
	async function* pages() {
		for await (const page of recordingPages(context)) {
			({ incomplete } = page);
			yield page;
		}
	}
	const choice = await chooseWaiting(pages(), await loadHistory(context), rules, purged);
	return { choice, incomplete };
}

/** What the node puts out for a recording whose record is gone. */
function purgedRecording({ sessionGuid, endMs }: NonNullable<Entry['last']>): ListedRecording {
	const callEndedAt = new Date(endMs).toISOString();
	return { sessionGuid, callEndedAt, ...retentionOf(endMs, endMs + RETENTION_MS), recording: {} };
}

/**
 * Starts the executions. Two things keep a recording from starting two of them:
 *
 * - the history in the static data, which n8n saves with each execution and loads when it starts;
 * - the de-duplication key, which n8n stores with the execution in its database and refuses a second time. It also works
 *   if the history of this process is out of date: after a crash, after it was lost, or while another process checks too.
 *
 * Versions of n8n without such keys ignore it. There, the history alone decides, which is enough for one process.
 *
 * @param ends are told of each execution that succeeds, and why n8n could not start one, maybe later. The next check
 * tries again with the same key: if there is an execution after all, n8n refuses another one.
 */
async function handOut(
	context: ITriggerFunctions,
	{ waiting, history }: Choice<ListedRecording>,
	rules: Rules,
	isClosed: () => boolean,
	{ onSuccess, onFailure }: Ends,
): Promise<void> {
	const workflowId = context.getWorkflow().id;
	await storeHistory(context, history);
	for (const one of waiting) {
		if (isClosed()) return;
		// Before the execution starts, because n8n saves the static data then.
		storeEntry(context, one.key, one.handedOut);
		const key = `${workflowId}:recording:${attemptName(one, rules)}`;
		const isRefused = await startExecution(context, itemOf(one), key, {
			onSuccess: () => onSuccess(one),
			onFailure: (error) => onFailure(one, error),
		});
		if (!isRefused) continue;
		context.logger.info(
			`An execution for recording ${one.listed.sessionGuid} was already started, by another process or before the history of this node was lost. It is tried again after 'Try Again After (Hours)'.`,
		);
		await sleep(LAG_MS);
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
	{ onSuccess, onFailure }: { onSuccess: () => void; onFailure: (error: unknown) => void },
): Promise<boolean> {
	const end = async (): Promise<IRun | undefined> => {
		const done = context.helpers.createDeferredPromise<IRun>();
		context.emit([[item]], undefined, done, key);
		return await done.promise;
	};
	const isRefused = end().then(
		(run) => {
			if (run?.status === 'success') onSuccess();
			return run === undefined;
		},
		(error: unknown) => {
			// An execution that fails has an end too, but one that is canceled does not.
			if (!(error instanceof ExecutionCancelledError)) onFailure(error);
			return false;
		},
	);
	return await Promise.race([isRefused, sleep(BEGINNING_MS).then(() => false)]);
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

/** By workflow and node. Only for versions of n8n in which a reported failure ends the node and starts it again. */
const keptReports = new Map<string, ReturnType<typeof newReports>>();

const newReports = () => ({ reports: new FailureReports(), startReports: new FailureReports() });

function reportsOf(context: ITriggerFunctions): ReturnType<typeof newReports> {
	if ((context as Partial<ITriggerFunctions>).saveFailedExecution) return newReports();
	const key = `${context.getWorkflow().id}:${context.getNode().id}`;
	const kept = keptReports.get(key) ?? newReports();
	keptReports.set(key, kept);
	return kept;
}

/**
 * Shows a failed check as a failed execution, which also starts the error workflow. The workflow stays active and the
 * checks go on. `emitError` would deactivate it and make n8n activate it again.
 */
function report(context: ITriggerFunctions, failure: NodeOperationError): void {
	const { saveFailedExecution } = context as Partial<ITriggerFunctions>;
	// n8n before 2.7 has no other way to show an error.
	if (saveFailedExecution === undefined) context.emitError(failure);
	else saveFailedExecution.call(context, failure);
}
