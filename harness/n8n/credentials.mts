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
