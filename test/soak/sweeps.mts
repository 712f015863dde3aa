/**
 * The sweeps in a soak, where minutes have to pass in seconds. Both go by the service's clock, so that clock goes faster
 * and only the interval is changed.
 */
import { setTimeout as sleep } from 'node:timers/promises';

import type { EmulatorControl } from '../../emulator/src/index.mts';
import type { Workflow } from '../../harness/n8n/n8n.mts';
import { nodeOf, sweepInto, type SweepName } from '../../harness/workflows.mts';

const CHECK_SECONDS = 5;
/** A minimum age of 15 minutes passes in 30 seconds. */
const CLOCK_SPEED = 30;
const TRY_AGAIN_MS = 6 * 3_600_000;

export interface SoakSweep {
	workflow(archiveWorkflowId: string): Workflow;
	/** Makes everything due that the sweep has left for later, and lets it look once. Called while nothing is executed. */
	skipPause(control: EmulatorControl): Promise<void>;
}

/** Lets the service's clock go as the sweeps need it. Returns a function that ends this. */
export function runClock(control: EmulatorControl): () => void {
	const timer = setInterval(() => void control.advanceClock((CLOCK_SPEED - 1) * 1_000), 1_000);
	return () => clearInterval(timer);
}

export const soakSweeps: Record<SweepName, SoakSweep> = {
	'sweep-before-purge': {
		workflow(archiveWorkflowId) {
			const workflow = sweepInto(archiveWorkflowId, 'sweep-before-purge');
			Object.assign(nodeOf(workflow, 'When a recording is waiting').parameters, {
				checkInterval: 'cronExpression',
				cronExpression: `*/${CHECK_SECONDS} * * * * *`,
			});
			return workflow;
		},
		async skipPause(control) {
			await control.advanceClock(TRY_AGAIN_MS);
			await sleep((CHECK_SECONDS + 1) * 1_000);
		},
	},
	'sweep-on-schedule': {
		workflow(archiveWorkflowId) {
			const workflow = sweepInto(archiveWorkflowId, 'sweep-on-schedule');
			nodeOf(workflow, 'Every hour').parameters.rule = {
				interval: [{ field: 'minutes', minutesInterval: 1 }],
			};
			return workflow;
		},
		async skipPause() {
			await sleep(2_000);
		},
	},
};
