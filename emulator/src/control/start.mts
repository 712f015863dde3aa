import { defaultApiKeys } from '../auth/permissions.mts';
import { defaults } from '../defaults.mts';
import { addRecording } from '../recordings/addRecording.mts';
import type { Parts } from './parts.mts';
import { control } from './row.mts';

/** Sets everything that controls can change to what the options say. */
export function applyOptions({ options, ...parts }: Parts): void {
	const { webhooks, shapes, faults, keyring, calls } = parts;
	webhooks.setTargets({ callStart: null, callEnd: null, ...options.webhooks });
	webhooks.resetOptions();
	webhooks.setOptions(options.webhookDelivery ?? {});
	shapes.reset();
	shapes.set(options.shapes ?? {});
	faults.clear();
	for (const rule of options.faults ?? []) faults.add(rule);
	keyring.replace(options.apiKeys ?? defaultApiKeys);
	calls.setDefaultInstructions(options.defaultInstructions ?? null);
	calls.setOutcomes(options.outcomes ?? []);
	calls.setRecordingDelay(options.recordingDelayMs ?? defaults.recordingDelayMs);
}

/** Stores the recordings of the seed, unless there is a state already. */
export async function plantSeed(parts: Parts): Promise<void> {
	const { options, store } = parts;
	if (store.ledger().length > 0) return;
	for (const { contentBase64, ...recording } of options.seed?.recordings ?? []) {
		const content =
			contentBase64 === undefined ? {} : { content: Buffer.from(contentBase64, 'base64') };
		await addRecording(parts, { ...recording, ...content });
	}
}

/** Forgets calls, recordings, logs and a moved clock, then applies the options and the seed. */
async function reset(parts: Parts): Promise<void> {
	const { calls, clock, log, requestLog, store, webhooks } = parts;
	// Calls that are hung up here must not send webhooks.
	webhooks.setTargets({ callStart: null, callEnd: null });
	webhooks.giveUp();
	await calls.reset();
	await store.clear();
	clock.advance(-clock.offset());
	store.saveClockOffset(0);
	applyOptions(parts);
	for (const one of [webhooks, requestLog, log]) one.clear();
	await plantSeed(parts);
}

export const startControls = {
	/** Goes back to the start: the options and the seed, no calls, empty logs and true time. */
	reset: control({
		method: 'POST',
		path: '/reset',
		summary:
			'Go back to the start: the options and the seed, without calls, logs and a moved clock',
		async run(parts) {
			await reset(parts);
		},
	}),
};
