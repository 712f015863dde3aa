import type { RestClient } from './rest.mts';

export interface Credential {
	id: string;
	name: string;
}

export interface CredentialInput {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

export async function createCredential(
	client: RestClient,
	credential: CredentialInput,
): Promise<Credential> {
	const { id, name } = await client.request<Credential>('POST', '/rest/credentials', credential);
	return { id, name };
}

/** With `data`, unsaved values are tested in place of the stored ones. */
export async function testCredential(
	client: RestClient,
	{ id, type, data }: { id: string; type: string; data?: Record<string, unknown> },
): Promise<CredentialTest> {
	const stored = await client.request<{ name: string; data: Record<string, unknown> }>(
		'GET',
		`/rest/credentials/${id}?includeData=true`,
	);
	// n8n takes a redacted value of `data` to mean the stored one.
	const credentials = { id, type, name: stored.name, data: data ?? stored.data };
	return await client.request('POST', '/rest/credentials/test', { credentials });
}
