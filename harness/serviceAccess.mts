/** What gives access to the service that the emulator stands in for. */
import type { Emulator, LedgerEntry } from '../emulator/src/index.mts';
import type { Credential, CredentialInput } from './n8n/n8n.mts';

export const PASSWORD = 'correct horse battery staple';

/** Header and secret that webhooks must carry. */
export const WEBHOOK_HEADER = 'X-Webhook-Secret';
export const WEBHOOK_SECRET = 'webhook-secret-0123456789';

/** A key of the emulator. */
export const API_KEY = 'demo-key';

/** The values that give access. */
export interface Secrets {
	apiKey: string;
	password: string;
	webhookSecret: string;
}

const SECRETS: Secrets = {
	apiKey: API_KEY,
	password: PASSWORD,
	webhookSecret: WEBHOOK_SECRET,
};

/** One credential of each of our types, by type. */
export type Credentials = Record<
	'voiceAgentApi' | 'voiceAgentRecordingPasswordApi' | 'voiceAgentWebhookApi',
	Credential
>;

/** Creates the credentials that fit an emulator. */
export async function createCredentials(
	{ url }: Pick<Emulator, 'url'>,
	create: (credential: CredentialInput) => Promise<Credential>,
	{ apiKey, password, webhookSecret }: Secrets = SECRETS,
): Promise<Credentials> {
	return {
		voiceAgentApi: await create({
			name: 'VoiceAgent',
			type: 'voiceAgentApi',
			data: { baseUrl: url, apiKey },
		}),
		voiceAgentRecordingPasswordApi: await create({
			name: 'Recording password',
			type: 'voiceAgentRecordingPasswordApi',
			data: { password },
		}),
		voiceAgentWebhookApi: await create({
			name: 'Webhook secret',
			type: 'voiceAgentWebhookApi',
			data: { sendIn: 'header', headerName: WEBHOOK_HEADER, secret: webhookSecret },
		}),
	};
}

/**
 * What the service knows of a recording, also after it was deleted or purged.
 *
 * @throws {Error} when the service has never had it
 */
export function ledgerEntry({ control }: Emulator, sessionGuid: string): LedgerEntry {
	const entry = control.recordings().find((recording) => recording.sessionGuid === sessionGuid);
	if (!entry) throw new Error(`The service has never had a recording ${sessionGuid}.`);
	return entry;
}
