/**
 * The sweep in a soak, in which hours have to pass in seconds. The sweep goes by the service's
 * clock, so that clock goes faster.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { EmulatorControl } from '../../emulator/src/index.mts';
import type { N8n, Workflow } from '../../harness/n8n/n8n.mts';
import { nodeOf, SWEEP_TRIGGER, sweepInto } from '../../harness/workflows.mts';

/** A minimum age of 60 minutes passes in 30 seconds. */
const CLOCK_SPEED = 120;
const TRY_AGAIN_MS = 6 * 3_600_000;
/** What has not been archived by then never will be. */
export const PATIENCE_MS = 600_000;

/** A sweep that looks every minute. */
export function soakSweep(archiveWorkflowId: string): Workflow {
	const workflow = sweepInto(archiveWorkflowId);
	nodeOf(workflow, SWEEP_TRIGGER).parameters.minutesBetweenChecks = 1;
	return workflow;
}

/** Lets the service's clock go as the sweep needs it. Returns a function that ends this. */
export function runClock(control: EmulatorControl): () => void {
	const timer = setInterval(() => void control.advanceClock((CLOCK_SPEED - 1) * 1_000), 1_000);
	return () => clearInterval(timer);
}

/**
 * Lets the sweep take all that is left, and what it has left for later.
 *
 * @param idle waits until n8n has nothing to do
 */
export async function sweepAll(
	control: EmulatorControl,
	n8n: N8n,
	sweepId: string,
	idle: () => Promise<void>,
): Promise<void> {
	const waiting = () => control.recordings().filter(({ state }) => state === 'stored').length;
	let left = waiting();
	for (let changedMs = Date.now(); left > 0 && Date.now() - changedMs < PATIENCE_MS; ) {
		await idle();
		if (waiting() > 0) {
			await control.advanceClock(TRY_AGAIN_MS);
			// Published again, it looks now.
			await n8n.deactivate(sweepId);
			await n8n.activate(sweepId);
			await sleep(2_000);
		}
		if (waiting() !== left) changedMs = Date.now();
		left = waiting();
	}
	await idle();
}
