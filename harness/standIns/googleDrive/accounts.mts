/** oauth2.googleapis.com: tokens for a service account and for a user who has connected their account. */
import { createPublicKey, generateKeyPairSync, randomBytes, verify } from 'node:crypto';

import type { CredentialInput } from '../../n8n/n8n.mts';
import { ApiError } from './apiError.mts';

const DRIVE_SCOPE = 'https://www.googleapis.com/auth/drive';
const EMAIL = 'archive@voiceagent-test.iam.gserviceaccount.com';

const secret = () => randomBytes(48).toString('base64url');

export class Accounts {
	readonly #keys = generateKeyPairSync('rsa', {
		modulusLength: 2048,
		privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		publicKeyEncoding: { type: 'spki', format: 'pem' },
	});
	readonly #refreshToken = secret();
	readonly #valid = new Set<string>();

	/** For a node with `authentication: 'serviceAccount'`. */
	serviceAccountCredential(): CredentialInput {
		return {
			name: 'Google service account',
			type: 'googleApi',
			data: {
				region: 'global',
				email: EMAIL,
				privateKey: this.#keys.privateKey,
				// n8n's spelling.
				inpersonate: false,
				httpNode: false,
			},
		};
	}

	/** For a node with `authentication: 'oAuth2'`, its default: a connected account. */
	oauthCredential(): CredentialInput {
		return {
			name: 'Google Drive account',
			type: 'googleDriveOAuth2Api',
			data: {
				clientId: '123456789012-voiceagenttest.apps.googleusercontent.com',
				clientSecret: 'GOCSPX-voiceagent-test',
				oauthTokenData: { ...this.#issue(DRIVE_SCOPE), refresh_token: this.#refreshToken },
			},
		};
	}

	/** @param authorization the request header */
	accepts(authorization = ''): boolean {
		return this.#valid.has(authorization.replace('Bearer ', ''));
	}

	/** @param form body of `POST /token` */
	token(form: URLSearchParams): object {
		if (form.get('refresh_token') === this.#refreshToken) return this.#issue(DRIVE_SCOPE);
		const [header = '', payload = '', signature = ''] = (form.get('assertion') ?? '').split('.');
		const signed = Buffer.from(`${header}.${payload}`);
		const key = createPublicKey(this.#keys.publicKey);
		if (!verify('RSA-SHA256', signed, key, Buffer.from(signature, 'base64url'))) {
			throw new ApiError(400, 'Invalid JWT Signature.', 'invalid_grant');
		}
		const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { scope: string };
		return this.#issue(claims.scope);
	}

	/** n8n tests the credential with the scopes of another service; such a token opens nothing here. */
	#issue(scope: string): object {
		const token = `ya29.${secret()}`;
		if (scope.split(' ').includes(DRIVE_SCOPE)) this.#valid.add(token);
		return { access_token: token, expires_in: 3599, scope, token_type: 'Bearer' };
	}
}
