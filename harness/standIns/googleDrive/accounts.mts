/** oauth2.googleapis.com: tokens for a service account and for a user who has connected their account. */
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';

import type { CredentialInput } from '../../n8n/n8n.mts';

const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const JWT_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';
const DRIVE_SCOPE = `${SCOPE_PREFIX}drive`;
const LIFETIME_SECONDS = 3599;

const serviceAccount = 'archive@voiceagent-test.iam.gserviceaccount.com';
const clientId = '123456789012-voiceagenttest.apps.googleusercontent.com';
const clientSecret = 'GOCSPX-voiceagent-test';

export interface TokenReply {
	status: number;
	body: Record<string, unknown>;
}

export class Accounts {
	readonly #keys = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	readonly #refreshToken = `1//${secret()}`;
	readonly #valid = new Set<string>();

	/** For nodes whose authentication is `serviceAccount`. */
	serviceAccountCredential(): CredentialInput {
		return {
			name: 'Google service account',
			type: 'googleApi',
			data: {
				region: 'global',
				email: serviceAccount,
				privateKey: this.#keys.privateKey,
				// n8n's spelling.
				inpersonate: false,
				httpNode: false,
			},
		};
	}

	/** For nodes whose authentication is `oAuth2`: an account that is connected already. */
	oauthCredential(): CredentialInput {
		return {
			name: 'Google Drive account',
			type: 'googleDriveOAuth2Api',
			data: {
				clientId,
				clientSecret,
				oauthTokenData: { ...this.#issue([DRIVE_SCOPE]), refresh_token: this.#refreshToken },
			},
		};
	}

	/** @param authorization the request header */
	accepts(authorization: string | undefined): boolean {
		return this.#valid.has(/^Bearer (.+)$/i.exec(authorization ?? '')?.[1] ?? '');
	}

	/** All access tokens that were issued so far are refused from now on. */
	expireTokens(): void {
		this.#valid.clear();
	}

	/** @param form body of `POST /token` */
	token(form: URLSearchParams): TokenReply {
		const grant = form.get('grant_type');
		if (grant === JWT_GRANT) return this.#serviceAccountToken(form.get('assertion') ?? '');
		if (grant === 'refresh_token') return this.#refreshedToken(form);
		return refusal(400, 'unsupported_grant_type', `Invalid grant_type: ${grant}`);
	}

	#serviceAccountToken(assertion: string): TokenReply {
		const [header = '', payload = '', signature = ''] = assertion.split('.');
		const { alg } = decoded(header);
		const claims = decoded(payload);
		const signed = Buffer.from(`${header}.${payload}`);
		const key = createPublicKey(this.#keys.publicKey);
		if (claims.iss !== serviceAccount) {
			return refusal(400, 'invalid_grant', 'Invalid grant: account not found');
		}
		if (
			alg !== 'RS256' ||
			!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))
		) {
			return refusal(400, 'invalid_grant', 'Invalid JWT Signature.');
		}
		const { iat, exp } = claims;
		const now = Date.now() / 1000;
		if (!(Number(exp) > now && Number(iat) < now + 60 && Number(exp) - Number(iat) <= 3600)) {
			return refusal(
				400,
				'invalid_grant',
				'Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. ' +
					'Check your iat and exp values in the JWT claim.',
			);
		}
		if (claims.aud !== TOKEN_URL) {
			return refusal(400, 'invalid_grant', 'Invalid JWT: Failed audience check.');
		}
		const scopes = String(claims.scope).split(' ');
		if (!scopes.every((scope) => scope.startsWith(SCOPE_PREFIX))) {
			return refusal(400, 'invalid_scope', 'Invalid OAuth scope or ID token audience provided.');
		}
		// n8n tests the credential with the scopes of another service; such a token opens nothing here.
		return { status: 200, body: this.#issue(scopes) };
	}

	#refreshedToken(form: URLSearchParams): TokenReply {
		if (form.get('client_id') !== clientId || form.get('client_secret') !== clientSecret) {
			return refusal(401, 'invalid_client', 'Unauthorized');
		}
		if (form.get('refresh_token') !== this.#refreshToken) {
			return refusal(400, 'invalid_grant', 'Token has been expired or revoked.');
		}
		return { status: 200, body: this.#issue([DRIVE_SCOPE]) };
	}

	#issue(scopes: readonly string[]) {
		const token = `ya29.${secret()}`;
		if (scopes.includes(DRIVE_SCOPE)) this.#valid.add(token);
		return {
			access_token: token,
			expires_in: LIFETIME_SECONDS,
			scope: scopes.join(' '),
			token_type: 'Bearer',
		};
	}
}

const secret = () => randomBytes(48).toString('base64url');

function refusal(status: number, error: string, description: string): TokenReply {
	return { status, body: { error, error_description: description } };
}

/** What the token endpoint says for an ordered status; 400 is what a revoked consent gets. */
export function orderedRefusal(status: number): TokenReply {
	if (status === 400) return refusal(400, 'invalid_grant', 'Token has been expired or revoked.');
	return refusal(status, status === 401 ? 'invalid_client' : 'internal_failure', 'Ordered fault');
}

function decoded(part: string): Record<string, unknown> {
	try {
		return JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>;
	} catch {
		return {};
	}
}
