import type { Parts } from './parts.mts';
import type { ControlRow } from './row.mts';
import { callControls } from './rows/calls.mts';
import { clockControls } from './rows/clock.mts';
import { faultControls } from './rows/faults.mts';
import { logControls } from './rows/logs.mts';
import { recordingControls } from './rows/recordings.mts';
import { serviceControls } from './rows/service.mts';
import { webhookControls } from './rows/webhooks.mts';
import { startControls } from './start.mts';

/** Every control, by the name of its method. */
export const controls = {
	...webhookControls,
	...serviceControls,
	...faultControls,
	...callControls,
	...recordingControls,
	...logControls,
	...clockControls,
	...startControls,
};

type Controls = typeof controls;

type Methods = {
	readonly [Name in keyof Controls]: Controls[Name] extends ControlRow<infer A, infer R>
		? (...args: A) => R
		: never;
};

/**
 * What a test or a demo can do to a running emulator, beyond what the service's API offers. The
 * same is offered over HTTP below `/control`, except for `storedFile`.
 */
export interface EmulatorControl extends Methods {
	/** Path of the stored file. */
	storedFile(sessionGuid: string): Promise<string>;
}

export function createControl(parts: Parts): EmulatorControl {
	const { recordings } = parts;
	const methods = Object.entries<ControlRow>(controls).map(([name, { call }]) => [
		name,
		(...args: unknown[]) => call(parts, ...args),
	]);
	return {
		...(Object.fromEntries(methods) as Methods),
		storedFile: async (sessionGuid) => recordings.pathOf(await recordings.get(sessionGuid)),
	};
}
