import type { INodeExecutionData, IRun, ITriggerFunctions } from 'n8n-workflow';
import { ExecutionCancelledError, NodeOperationError, sleep } from 'n8n-workflow';

import { nodeError } from '../nodeError';
import { namedRecording } from '../service/namedRecording';
import { RETENTION_MS } from '../service/retention';
import { FailureReports } from './failureReports';
import { type Entry, storeEntry, storeHistory } from './history';
import type { Settings } from './settings';
import { attemptName, type Waiting } from './waiting';
import type { Choice } from './waitingRecordings';

const HOUR_MS = 60 * 60 * 1000;
/** Two days before the service purges the recording. */
const ALARM_AFTER_MS = RETENTION_MS - 2 * 24 * HOUR_MS;

/**
 * How long an execution takes to begin, in milliseconds. n8n does not report the beginning, so this
 * is assumed.
 */
const BEGINNING_MS = 100;

/**
 * Pause after a refused key, in milliseconds. A refused key means that another process is starting
 * the same executions just ahead of this one. If this process caught up, it could use a key whose
 * execution has not begun yet, and n8n 2.41 would replace that execution instead of refusing the
 * key.
 */
const LAG_MS = 1_000;

/**
 * Starts the executions. Two things keep a recording from starting two of them: the history, and
 * the de-duplication key, which n8n stores with the execution and refuses a second time. The key
 * also works if the history is out of date: after a crash, after it was lost, or while another
 * process checks too.
 */
export class Executions {
	/** The check that is going on. The trigger sets this. */
	checking: Promise<void> | undefined;
	/** Whether the workflow is no longer published. The trigger sets this. */
	isClosed = false;
	/**
	 * Reports of executions that could not start. These reports are not those of the checks, because
	 * a check that succeeds must not make a lasting failure to start count as a new one.
	 */
	readonly #startFailures: FailureReports;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly settings: Settings,
	) {
		this.#startFailures = new FailureReports(context);
	}

	async start({ waiting, history }: Choice): Promise<void> {
		storeHistory(this.context, history);
		for (const one of waiting) {
			if (this.isClosed) return;
			// Before the execution starts, because n8n saves the static data then.
			storeEntry(this.context, one.key, one.handedOut);
			const isRefused = await this.#begin(one);
			if (isRefused) await sleep(LAG_MS);
		}
	}

	/**
	 * Starts an execution, and gives it time to begin: n8n does not keep the order of those that
	 * begin at the same moment.
	 *
	 * @returns whether n8n refuses the key within this time, because another execution has it
	 */
	async #begin(one: Waiting): Promise<boolean> {
		const end = this.context.helpers.createDeferredPromise<IRun>();
		const key = `${this.context.getWorkflow().id}:recording:${attemptName(one, this.settings)}`;
		this.context.emit([[waitingItem(one)]], undefined, end, key);
		const notRefusedInTime = sleep(BEGINNING_MS).then(() => false);
		return await Promise.race([this.#watch(end.promise, one), notRefusedInTime]);
	}

	/**
	 * Waits for the end of an execution, however long that takes, and changes the history then.
	 *
	 * @returns whether n8n refuses the key. If n8n could not start the execution for another reason,
	 * the key is not refused
	 */
	async #watch(end: Promise<IRun | undefined>, one: Waiting): Promise<boolean> {
		let run: IRun | undefined;
		try {
			run = await end;
		} catch (error) {
			// An execution that fails has a result too, and one that is canceled has begun. So any other
			// error means that n8n could not start it.
			if (!(error instanceof ExecutionCancelledError)) this.#takeBack(one, error);
			return false;
		}
		// For a key that it refuses, n8n reports an end without a result.
		if (run === undefined) return true;
		if (run.status === 'success') {
			void this.#change(one.key, { ...one.handedOut, succeeded: true });
		}
		return false;
	}

	/**
	 * Takes back that a recording was handed out. The next check tries again with the same key, so if
	 * there is an execution after all, n8n refuses another one.
	 */
	#takeBack({ key, before, listed }: Waiting, error: unknown): void {
		void this.#change(key, before);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `n8n could not start the workflow for a recording: ${reason}`;
		const description = 'The next check tries again. If it fails too, look at the log of n8n.';
		const node = this.context.getNode();
		const problem = new NodeOperationError(node, message, { description });
		const recording = namedRecording(listed.sessionGuid, listed.keptUntil);
		const failure = nodeError(node, problem, undefined, recording);
		if (!this.isClosed) this.#startFailures.failed(reason, failure);
	}

	/**
	 * Stores an entry twice: at once, for what n8n saves meanwhile, and again after the check that is
	 * going on, which writes the history that it has read before.
	 */
	async #change(key: string, entry: Entry): Promise<void> {
		storeEntry(this.context, key, entry);
		await this.checking;
		storeEntry(this.context, key, entry);
	}
}

/** The item that the node outputs for a recording. */
export function waitingItem({ listed, endMs, isGone, handedOut }: Waiting): INodeExecutionData {
	const { sessionGuid, recordingKey, to, from, direction } = listed;
	const { endedAt, keptUntil, hoursLeft, recording } = listed;
	// `handedOut.lastMs` is the time of this check.
	const ageMs = handedOut.lastMs - handedOut.sinceMs;
	return {
		json: {
			event: isGone ? 'recordingLost' : 'recordingWaiting',
			sessionGuid,
			recordingKey,
			to,
			from,
			direction,
			endedAt,
			// Without an end of the call, the age is not known.
			ageHours: endMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
			keptUntil,
			hoursLeft,
			// Without an end of the call, the alarm counts from when the recording was first seen.
			alarm: ageMs >= ALARM_AFTER_MS,
			attempt: handedOut.attempt,
			recording,
		},
	};
}
