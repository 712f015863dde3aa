/** The engines of the tests. */
import { after, afterEach, type TestContext } from 'node:test';

import type { AddRecordingOptions } from '../../emulator/src/index.mts';
import { startEngine, type Engine } from '../../harness/engine/engine.mts';
import type { Credential } from '../../harness/n8n/n8n.mts';
import { accountData } from '../../harness/serviceAccess.mts';

/** An engine for all tests of a file. After each of them its service answers as usual again. */
export async function sharedEngine(): Promise<Engine> {
	const engine = await startEngine();
	const { control } = engine.emulator;
	afterEach(() => {
		control.clearFaults();
		control.resetShapes();
	});
	after(async () => await engine.stop());
	return engine;
}

/** An engine for one test, so that tests which wait can run side by side. */
export async function ownEngine(t: TestContext): Promise<Engine> {
	const engine = await startEngine();
	t.after(async () => await engine.stop());
	return engine;
}

/** An engine for one test, with a recording at its service. */
export async function ownRecording(t: TestContext, options: AddRecordingOptions = {}) {
	const engine = await ownEngine(t);
	const { control } = engine.emulator;
	return { engine, control, ...(await control.addRecording(options)) };
}

/** The credential of an account of its service, but for these fields. */
export async function apiCredential(
	{ n8n, emulator }: Engine,
	fields: Record<string, string | boolean>,
): Promise<Credential> {
	const data = { ...accountData(emulator.url), ...fields };
	return await n8n.createCredential({ name: 'Another', type: 'voiceAgentApi', data });
}
