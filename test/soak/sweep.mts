/** The sweep in a soak, where hours have to pass in seconds: it goes by the service's clock, so that clock goes faster. */
import { setTimeout as sleep } from 'node:timers/promises';

import type { EmulatorControl } from '../../emulator/src/index.mts';
import type { N8n, Workflow } from '../../harness/n8n/n8n.mts';
import { nodeOf, SWEEP_TRIGGER, sweepInto } from '../../harness/workflows.mts';

/** A minimum age of 60 minutes passes in 30 seconds. */
const CLOCK_SPEED = 120;
const TRY_AGAIN_MS = 6 * 3_600_000;

/** A sweep that looks every minute, with other options if there are any. */
export function soakSweep(archiveWorkflowId: string, options: object = {}): Workflow {
	const workflow = sweepInto(archiveWorkflowId);
	const { parameters } = nodeOf(workflow, SWEEP_TRIGGER);
	parameters.minutesBetweenChecks = 1;
	Object.assign(parameters.options as object, options);
	return workflow;
}

/** Lets the service's clock go as the sweep needs it. Returns a function that ends this. */
export function runClock(control: EmulatorControl): () => void {
	const timer = setInterval(() => void control.advanceClock((CLOCK_SPEED - 1) * 1_000), 1_000);
	return () => clearInterval(timer);
}

/** The sweep looks now, because it is published again. */
export async function look(n8n: N8n, sweepId: string): Promise<void> {
	await n8n.deactivate(sweepId);
	await n8n.activate(sweepId);
}

/** Makes everything due that the sweep has left for later, and lets it look. Called while nothing is executed. */
export async function skipPause(
	control: EmulatorControl,
	n8n: N8n,
	sweepId: string,
): Promise<void> {
	await control.advanceClock(TRY_AGAIN_MS);
	await look(n8n, sweepId);
	await sleep(2_000);
}
