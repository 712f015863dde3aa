import type { INodeExecutionData, IRun, ITriggerFunctions, ITriggerResponse } from 'n8n-workflow';
import { ExecutionCancelledError, NodeOperationError, sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../errors';
import { operationError } from '../nodeError';
import type { ListedRecording } from '../service/list/recordings';
import { recordingPages } from '../service/list/recordings';
import { RETENTION_MS, retentionOf } from '../service/retention';
import { everyMinute, FailureReports, isCheckDue } from './checkTimes';
import type { Settings } from './settings';
import { loadHistory, storeEntry, storeHistory } from './store';
import type { Choice, Entry, Last, Rules, Waiting } from './waitingRecordings';
import { attemptName, chooseWaiting } from './waitingRecordings';

/** How long an execution takes to begin, in milliseconds. */
const BEGINNING_MS = 100;

/**
 * How far a process stays behind another one that starts executions for the same recordings, in milliseconds. n8n surely
 * refuses a key only once its first execution has begun. Until then, n8n 2.41 takes that execution for an abandoned one
 * and replaces it.
 */
const LAG_MS = 1_000;

type One = Waiting<ListedRecording>;

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
	const { choice, incomplete } = await choose(context, rules, purgedRecording);
	await executions.start(choice);
	// An incomplete list helps too: once these recordings are archived and deleted, it shows others.
	if (incomplete) throw incomplete;
	const { withoutGuid } = choice.passedOver;
	if (withoutGuid > 0) {
		throw new VoiceAgentError('recordingsWithoutGuid', {
			detail: countOf(withoutGuid, 'recording'),
		});
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
	settings: Settings,
): Promise<INodeExecutionData[]> {
	const { choice, incomplete } = await choose(context, {
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
	const choice = await chooseWaiting(pages(), loadHistory(context), rules, purged);
	return { choice, incomplete };
}

/** What the node puts out for a recording whose record is gone. */
function purgedRecording({ sessionGuid, endMs }: Last): ListedRecording {
	const callEndedAt = new Date(endMs).toISOString();
	return { sessionGuid, callEndedAt, ...retentionOf(endMs, endMs + RETENTION_MS), recording: {} };
}

/**
 * Starts the executions. Two things keep a recording from starting two of them:
 *
 * - the history in the static data, which n8n saves with each execution and loads when it starts;
 * - the de-duplication key, which n8n stores with the execution in its database and refuses a second time. It also works
 *   if the history of this process is out of date: after a crash, after it was lost, or while another process checks too.
 */
class Executions {
	isChecking = false;
	isClosed = false;
	/** Entries that the end of an execution has changed during a check, which writes the history that it has read. */
	readonly #changed = new Map<string, Entry>();
	readonly #reports = new FailureReports();

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly rules: Rules,
	) {}

	async start({ waiting, history }: Choice<ListedRecording>): Promise<void> {
		const workflowId = this.context.getWorkflow().id;
		storeHistory(this.context, history);
		for (const one of waiting) {
			if (this.isClosed) return;
			// Before the execution starts, because n8n saves the static data then.
			storeEntry(this.context, one.key, one.handedOut);
			const key = `${workflowId}:recording:${attemptName(one, this.rules)}`;
			const isRefused = await startExecution(this.context, itemOf(one), key, {
				onSuccess: () => this.#change(one.key, { ...one.handedOut, succeeded: true }),
				onFailure: (error) => this.#failed(one, error),
			});
			if (!isRefused) continue;
			this.context.logger.info(
				`An execution for recording ${one.listed.sessionGuid} was already started, by another process or before the history of this node was lost. It is tried again after 'Try Again After (Hours)'.`,
			);
			await sleep(LAG_MS);
		}
	}

	storeChanged(): void {
		for (const [key, entry] of this.#changed) storeEntry(this.context, key, entry);
		this.#changed.clear();
	}

	#change(key: string, entry: Entry): void {
		this.#changed.set(key, entry);
		if (!this.isChecking) this.storeChanged();
	}

	/**
	 * As if it had not been handed out. The next check tries again with the same key: if there is an execution after all,
	 * n8n refuses another one.
	 */
	#failed({ key, before }: One, error: unknown): void {
		this.#change(key, before);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `n8n could not start the workflow for a recording: ${reason}`;
		this.context.logger.warn(message);
		if (this.isClosed || !this.#reports.failed(reason, Date.now())) return;
		const description = 'The next check tries again. If it fails too, look at the log of n8n.';
		this.context.saveFailedExecution(
			new NodeOperationError(this.context.getNode(), message, { description }),
		);
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
