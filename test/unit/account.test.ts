import {
	CREDENTIAL_EMPTY_VALUE,
	type ICredentialDataDecryptedObject,
	type ICredentialsDecrypted,
	type ICredentialTestFunctions,
	type INode,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { VoiceAgentApi } from '../../credentials/VoiceAgentApi.credentials';
import {
	accountFields,
	encryptionPassword,
	numberFieldsOf,
	passwordsOf,
	readAccount,
	recordingPasswords,
} from '../../nodes/service/account';
import { PASSWORD_FIELDS } from '../../nodes/service/apiCredential';
import { testAccount } from '../../nodes/service/accountTest';
import { VoiceAgentTrigger } from '../../nodes/VoiceAgentTrigger/VoiceAgentTrigger.node';
import { hasWebhookSecret, verificationInWords } from '../../nodes/service/webhooks/verification';

const ACCOUNT = 'voiceAgentApi';
const SECRET = 'correct-horse-battery';

/** A node with these credentials selected, and what n8n has read of them. */
function contextWith(
	selected: object | undefined,
	fields: () => object,
): Parameters<typeof accountFields>[0] & { read: unknown[] } {
	const read: unknown[] = [];
	return {
		read,
		getNode: () => ({ credentials: selected }) as INode,
		async getCredentials(...which) {
			read.push(which);
			return fields() as ICredentialDataDecryptedObject;
		},
	};
}
const selected = { [ACCOUNT]: { id: '1', name: 'VoiceAgent' } };
const unreadable = (): object => {
	throw new Error('The credential was deleted');
};

describe('the passwords of an account', () => {
	test('are used as entered, the current one first, each once', () => {
		const previous = {
			previousPassword1: 'old ',
			previousPassword2: '',
			previousPassword3: ' now',
		};
		const fields = { recordingPassword: ' now', ...previous };
		expect(passwordsOf(fields)).toEqual([' now', 'old ']);
		expect(passwordsOf({ recordingPassword: 'only' })).toEqual(['only']);
		expect(passwordsOf({ recordingPassword: 7, previousPassword5: 'oldest' })).toEqual(['oldest']);
		expect(passwordsOf({})).toEqual([]);
	});

	test('each have a field, which appears when the one before is filled', () => {
		const { properties } = new VoiceAgentApi();
		const fields = properties.filter(({ name }) => /password/i.test(name));
		expect(fields.map(({ name }) => name)).toEqual(PASSWORD_FIELDS);
		for (const [index, { typeOptions, displayOptions, required }] of fields.entries()) {
			expect(typeOptions).toEqual({ password: true });
			expect(required).toBeUndefined();
			const before = PASSWORD_FIELDS[index - 1];
			expect(displayOptions).toEqual(
				before && { hide: { [before]: ['', CREDENTIAL_EMPTY_VALUE] } },
			);
		}
	});

	test('are read from the credential of the item, if the node has one', async () => {
		const some = contextWith(selected, () => ({ recordingPassword: 'only' }));
		expect(await recordingPasswords(some, 3)).toEqual(['only']);
		expect(some.read).toEqual([[ACCOUNT, 3]]);
		for (const none of [{ other: { id: '2', name: 'Other' } }, undefined]) {
			const context = contextWith(none, () => ({ recordingPassword: 'only' }));
			expect(await recordingPasswords(context, 3)).toEqual([]);
			const account = await readAccount(context);
			expect(account).toEqual({ isSelected: false, fields: {} });
			expect(encryptionPassword(account)).toBeUndefined();
			expect(context.read).toEqual([]);
		}
	});

	test('that cannot be read keep no webhook from being received, and encrypt nothing', async () => {
		const context = contextWith(selected, unreadable);
		await expect(recordingPasswords(context)).rejects.toThrow('The credential was deleted');
		const account = await readAccount(context);
		expect(account).toMatchObject({ isSelected: true, fields: {} });
		expect(() => encryptionPassword(account)).toThrow('The credential was deleted');
	});

	test.each([
		[{ recordingPassword: ' now', previousPassword1: 'old' }, ' now'],
		// A previous one must not encrypt what comes.
		[{ recordingPassword: '', previousPassword1: 'old' }, undefined],
		[{ recordingPassword: 7 }, undefined],
		[{}, undefined],
	])('%j encrypt new recordings with %j', async (fields, password) =>
		expect(encryptionPassword(await readAccount(contextWith(selected, () => fields)))).toBe(
			password,
		),
	);
});

test('the fields with the numbers of a call are read without the spaces around them', () => {
	const fields = { calledNumberField: ' call.callee ', callerNumberField: null };
	const read = numberFieldsOf(fields);
	expect(read).toEqual({ calledNumberField: 'call.callee', callerNumberField: '' });
	expect(numberFieldsOf({})).toEqual({ calledNumberField: '', callerNumberField: '' });
});

test.each(['callEnd', 'callStart'])(
	'a trigger reads its account once for a webhook: %s',
	async (event) => {
		const parameters: Record<string, unknown> = {
			event,
			authentication: 'sharedSecret',
			recordCall: true,
			encryptRecording: true,
		};
		const fields = { webhookSecret: SECRET, recordingPassword: 'only', calledNumberField: 'x' };
		const account = contextWith(selected, () => fields);
		const body = { sessionGuid: 'call-0001', x: '+15550100' };
		const response = { status: () => response, json: jest.fn() };
		const context = {
			...account,
			getMode: () => 'webhook',
			getNodeParameter: (name: string, fallback?: unknown) => parameters[name] ?? fallback,
			getNodeWebhookUrl: () => undefined,
			getRequestObject: () => ({
				body,
				headers: {},
				query: {},
				rawHeaders: ['X-Webhook-Secret', SECRET],
			}),
			getResponseObject: () => response,
		} as unknown as IWebhookFunctions;
		const { workflowData } = await new VoiceAgentTrigger().webhook.call(context);
		expect(workflowData?.[0]?.[0]?.json).toMatchObject({ event, to: '+15550100' });
		expect(account.read).toEqual([[ACCOUNT, undefined]]);
	},
);

describe('the verification of webhooks, in words,', () => {
	test.each([
		[{ webhookSecret: SECRET }, 'by a shared secret;'],
		[{ webhookVerification: 'hmac', webhookSecret: SECRET }, 'by a signature (HMAC);'],
		[
			{
				webhookVerification: 'standardWebhooks',
				webhookSecret: Buffer.alloc(24).toString('base64'),
			},
			'by a signature (Standard Webhooks);',
		],
		[
			{ webhookVerification: 'ed25519', publicKey: Buffer.alloc(32, 1).toString('hex') },
			'by a signature (Ed25519);',
		],
	])('of %j is said', (fields, words) => {
		expect(hasWebhookSecret(fields)).toBe(true);
		expect(verificationInWords(fields)).toContain(`Webhooks are verified ${words}`);
	});

	test.each([
		{},
		{ webhookSecret: '' },
		{ webhookVerification: 'ed25519', webhookSecret: SECRET },
		{ webhookVerification: 'hmac', publicKey: SECRET },
	])('of %j says that there is no secret', (fields) => {
		expect(hasWebhookSecret(fields)).toBe(false);
		expect(verificationInWords(fields)).toContain('No webhook secret is set');
	});

	test('is an error if they cannot be verified like this', () =>
		expect(() => verificationInWords({ webhookSecret: 'short' })).toThrow('16 characters or more'));
});

test('the test of an account shows nothing of an error that nobody foresaw', async () => {
	const request = jest.fn().mockRejectedValue(new Error(`Token: ${SECRET}`));
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	const data = { baseUrl: 'https://service.example', apiKey: SECRET };
	const credential = { id: '1', name: 'VoiceAgent', type: ACCOUNT, data } as ICredentialsDecrypted;
	const { status, message } = await testAccount.call(context, credential);
	expect(request).toHaveBeenCalled();
	expect(status).toBe('Error');
	expect(message).not.toContain(SECRET);
	expect(message).toContain('The connection to the service was lost');
});
