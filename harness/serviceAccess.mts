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

/** The credential of a node, by its type. */
export type Credentials = Record<'voiceAgentApi', Credential>;

/** What an account of an emulator has in its credential. */
export function accountData(
	baseUrl: string,
	{ apiKey, password, webhookSecret }: Secrets = SECRETS,
): Record<string, unknown> {
	return {
		baseUrl,
		apiKey,
		recordingPassword: password,
		headerName: WEBHOOK_HEADER,
		webhookSecret,
	};
}

/** Creates the credential that fits an emulator. */
export async function createCredentials(
	{ url }: Pick<Emulator, 'url'>,
	create: (credential: CredentialInput) => Promise<Credential>,
	secrets: Secrets = SECRETS,
): Promise<Credentials> {
	const data = accountData(url, secrets);
	return { voiceAgentApi: await create({ name: 'VoiceAgent', type: 'voiceAgentApi', data }) };
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
