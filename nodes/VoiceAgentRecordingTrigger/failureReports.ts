import type { ITriggerFunctions, NodeApiError, NodeOperationError } from 'n8n-workflow';

/** How often a failure is reported while it lasts, in milliseconds. */
const REPEAT_MS = 60 * 60 * 1000;

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
