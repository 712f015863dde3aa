import type { INodeExecutionData, IRun, ITriggerFunctions, NodeApiError } from 'n8n-workflow';
import { ExecutionCancelledError, NodeOperationError, sleep } from 'n8n-workflow';

import { type Entry, storeEntry, storeHistory } from './history';
import type { Settings } from './settings';
import { attemptName, type Waiting } from './waiting';
import type { Choice } from './waitingRecordings';

const HOUR_MS = 60 * 60 * 1000;
/** Two days before the service purges the recording. */
const ALARM_AFTER_MS = 5 * 24 * HOUR_MS;

/** How often a failure is reported while it lasts. */
const REPEAT_MS = HOUR_MS;

/** How long an execution takes to begin, in milliseconds. */
const BEGINNING_MS = 100;

/**
 * How far a process stays behind another one that starts executions for the same recordings, in
 * milliseconds. n8n surely refuses a key only once its first execution has begun. Until then, n8n
 * 2.41 takes that execution for an abandoned one, and replaces it.
 */
const LAG_MS = 1_000;

/**
 * Starts the executions. Two things keep a recording from starting two of them: the history, and
 * the de-duplication key, which n8n stores with the execution and refuses a second time. The key
 * also works if the history is out of date: after a crash, after it was lost, or while another
 * process checks too.
 */
export class Executions {
	/** The check that is going on. */
	checking: Promise<void> | undefined;
	isClosed = false;

	constructor(
		private readonly context: ITriggerFunctions,
		private readonly settings: Settings,
		private readonly reports = new FailureReports(context),
	) {}

	async start({ waiting, history }: Choice): Promise<void> {
		storeHistory(this.context, history);
		for (const one of waiting) {
			if (this.isClosed) return;
			// Before the execution starts, because n8n saves the static data then.
			storeEntry(this.context, one.key, one.handedOut);
			if (await this.#isRefused(one)) await sleep(LAG_MS);
		}
	}

	/**
	 * Starts an execution, and waits until it has begun: n8n does not keep the order of those that
	 * begin at the same moment.
	 *
	 * @returns whether n8n has refused the key, for which it reports an end without a result
	 */
	async #isRefused(one: Waiting): Promise<boolean> {
		const end = this.context.helpers.createDeferredPromise<IRun>();
		const key = `${this.context.getWorkflow().id}:recording:${attemptName(one, this.settings)}`;
		this.context.emit([[waitingItem(one)]], undefined, end, key);
		const isRefused = end.promise.then(
			(run: IRun | undefined) => {
				if (run?.status === 'success') {
					void this.#change(one.key, { ...one.handedOut, succeeded: true });
				}
				return run === undefined;
			},
			(error: unknown) => {
				// An execution that fails has an end too, but one that is canceled does not.
				if (!(error instanceof ExecutionCancelledError)) this.#failed(one, error);
				return false;
			},
		);
		return await Promise.race([isRefused, sleep(BEGINNING_MS).then(() => false)]);
	}

	/**
	 * Takes back that a recording was handed out. The next check tries again with the same key, so if
	 * there is an execution after all, n8n refuses another one.
	 */
	#failed({ key, before }: Waiting, error: unknown): void {
		void this.#change(key, before);
		const reason = error instanceof Error ? error.message : String(error);
		const message = `n8n could not start the workflow for a recording: ${reason}`;
		const description = 'The next check tries again. If it fails too, look at the log of n8n.';
		const failure = new NodeOperationError(this.context.getNode(), message, { description });
		if (!this.isClosed) this.reports.failed(reason, failure);
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
export function waitingItem({ listed, endMs, handedOut }: Waiting): INodeExecutionData {
	const { sessionGuid, callEndedAt, retentionEndsAt, hoursLeft, recording } = listed;
	const ageMs = handedOut.lastMs - handedOut.sinceMs;
	return {
		json: {
			sessionGuid,
			callEndedAt,
			ageHours: endMs === null ? null : Math.round((ageMs / HOUR_MS) * 10) / 10,
			retentionEndsAt,
			hoursLeft,
			alarm: ageMs >= ALARM_AFTER_MS,
			attempt: handedOut.attempt,
			recording,
		},
	};
}

/** Reports failures as failed executions: a new one immediately, a lasting one every hour. */
export class FailureReports {
	#last: { kind: string; atMs: number } | undefined;

	constructor(private readonly context: ITriggerFunctions) {}

	/** @param kind the same for as long as the failure lasts */
	failed(kind: string, failure: NodeApiError | NodeOperationError): void {
		this.context.logger.warn(`VoiceAgent Recording Trigger: ${failure.message}`);
		const nowMs = Date.now();
		const last = this.#last;
		// A clock that was set back must not silence it.
		if (last?.kind === kind && Math.abs(nowMs - last.atMs) < REPEAT_MS) return;
		this.#last = { kind, atMs: nowMs };
		this.context.saveFailedExecution(failure);
	}

	/** The next failure counts as a new one. */
	succeeded(): void {
		this.#last = undefined;
	}
}
