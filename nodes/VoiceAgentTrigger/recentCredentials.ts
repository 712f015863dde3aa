import type { ICredentialDataDecryptedObject, IWebhookFunctions } from 'n8n-workflow';

import type { CredentialContext } from '../service/readCredential';

const FRESH_MS = 5_000;

interface Reading {
	readAtMs: number;
	fields: Promise<ICredentialDataDecryptedObject>;
}

/** By workflow and credential. */
const readings = new Map<string, Reading>();

/**
 * Reads a credential for the webhooks of five seconds once. With each reading, n8n builds a sandbox for expressions. That
 * takes several times as long as everything else that a webhook causes. While the trigger listens for a test, each
 * reading is a new one.
 */
export function recentCredentials(context: IWebhookFunctions): CredentialContext {
	return {
		getNode: () => context.getNode(),
		async getCredentials(type) {
			const id = context.getNode().credentials?.[type]?.id;
			if (context.getMode() === 'manual' || !id) return await context.getCredentials(type);
			const now = performance.now();
			for (const [key, { readAtMs }] of readings) {
				if (now - readAtMs >= FRESH_MS) readings.delete(key);
			}
			const key = `${context.getWorkflow().id} ${id}`;
			const reading = readings.get(key) ?? {
				readAtMs: now,
				fields: context.getCredentials(type),
			};
			readings.set(key, reading);
			return await reading.fields.catch((error: unknown) => {
				readings.delete(key);
				throw error;
			});
		},
	};
}
