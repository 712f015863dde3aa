import { invalid, VoiceAgentError } from '../errors';

/** The one credential type: an account of the service. */
export const ACCOUNT = 'voiceAgentApi';

/** What the user has entered in a VoiceAgent API credential. */
export type AccountFields = Readonly<Record<string, unknown>>;

/**
 * The fields of the passwords, the current one first. They are separate fields, because n8n
 * restores the values of a list by their position: after one is removed, it would lose another one.
 */
export const PASSWORD_FIELDS = [
	'recordingPassword',
	'previousPassword1',
	'previousPassword2',
	'previousPassword3',
	'previousPassword4',
	'previousPassword5',
] as const;

/** The fields whose values must be in no item, file or execution, whoever repeats them. */
const SECRET_FIELDS = [
	'apiKey',
	'webhookSecret',
	'previousWebhookSecret',
	...PASSWORD_FIELDS,
] as const;

/** Fields with the numbers of a call, or paths with dots. Empty if the user names none. */
export interface NumberFields {
	calledNumberField: string;
	callerNumberField: string;
}

/**
 * Fields that the user names, because the specification does not show them: a name, or a path with
 * dots. Empty for those that are not named.
 */
export interface NamedFields extends NumberFields {
	listField: string;
	sessionGuidField: string;
	callEndField: string;
}

/** How the list of recordings comes in pages. */
export type PagingSettings =
	| { mode: 'automatic' | 'complete' }
	/** A field of each answer has the address of the next page, or a value for the parameter. */
	| { mode: 'nextField'; field: string; parameter: string }
	/** A parameter of each request has the number of the page, or of the first record. */
	| { mode: 'parameter'; parameter: string; first: number; counts: 'pages' | 'records' };

export interface ApiCredential {
	/** Address of the service without a slash at its end. */
	baseUrl: string;
	/** The key exactly as it goes into the `Token` header. */
	apiKey: string;
	named: NamedFields;
	paging: PagingSettings;
	/** Query parameters of every request. */
	query: Record<string, string>;
	/** Path of the API document; `undefined` if the service has none. */
	documentPath: string | undefined;
}

const CREDENTIAL = 'the VoiceAgent API credential';
const DEFAULT_DOCUMENT_PATH = '/swagger/v1/swagger.json';

/** All that is secret in an account, as it was entered and as it is sent. */
export function secretsOf(fields: AccountFields): string[] {
	const secrets = new Set<string>();
	for (const name of SECRET_FIELDS) {
		const secret = fields[name];
		if (typeof secret !== 'string' || secret === '') continue;
		secrets.add(secret);
		// Spaces around a key are not sent.
		if (secret.trim() !== '') secrets.add(secret.trim());
	}
	return [...secrets];
}

/**
 * Checks the fields of a VoiceAgent API credential before anything is sent: Node would silently
 * alter a key with line breaks, and a key must never be sent unencrypted.
 *
 * @throws VoiceAgentError `invalidBaseUrl`, `invalidApiKey` or `invalidParameter`, naming the field
 * and never showing the key
 */
export function parseApiCredential(fields: Record<string, unknown>): ApiCredential {
	return {
		baseUrl: parseBaseUrl(fields.baseUrl),
		apiKey: parseApiKey(fields.apiKey),
		named: {
			listField: textOf(fields.listField),
			sessionGuidField: textOf(fields.sessionGuidField),
			callEndField: textOf(fields.callEndField),
			calledNumberField: textOf(fields.calledNumberField),
			callerNumberField: textOf(fields.callerNumberField),
		},
		paging: parsePaging(fields),
		query: parseQuery(textOf(fields.queryParameters), `'More Query Parameters' of ${CREDENTIAL}`),
		documentPath: parseDocumentPath(fields.apiDocumentPath),
	};
}

/**
 * Empty for a field that the credential does not have, because it was saved before there was one.
 */
function textOf(value: unknown): string {
	return typeof value === 'string' ? value.trim() : '';
}

function parsePaging(fields: Record<string, unknown>): PagingSettings {
	const { paging: mode = 'automatic' } = fields;
	if (mode === 'automatic' || mode === 'complete') return { mode };
	if (mode === 'nextField') {
		const field = textOf(fields.nextField);
		if (field === '') throw unusableField('Next Field', 'is empty');
		return { mode, field, parameter: textOf(fields.cursorParameter) };
	}
	if (mode !== 'parameter') throw unusableField('Paging', 'must be chosen from the list');
	const { counts, firstValue = 1 } = fields;
	const first = Number(firstValue);
	if (!Number.isInteger(first)) throw unusableField('First Value', 'must be a whole number');
	const parameter = textOf(fields.pageParameter);
	if (parameter === '') throw unusableField('Page Parameter', 'is empty');
	return { mode, parameter, first, counts: counts === 'records' ? 'records' : 'pages' };
}

function unusableField(label: string, problem: string): VoiceAgentError {
	return invalid(`'${label}' of ${CREDENTIAL} ${problem}`);
}

function parseDocumentPath(value: unknown = DEFAULT_DOCUMENT_PATH): string | undefined {
	const path = textOf(value);
	if (path === '') return undefined;
	return path.startsWith('/') ? path : `/${path}`;
}

/**
 * Reads query parameters as they are in an address, with or without the question mark. Of several
 * with the same name, the last one counts.
 *
 * @param label what the message of an error calls the text
 *
 * @throws VoiceAgentError `invalidParameter`
 */
export function parseQuery(text: string, label: string): Record<string, string> {
	const parameters = [...new URLSearchParams(text)];
	if (parameters.every(([name]) => name.trim() !== '')) return Object.fromEntries(parameters);
	throw invalid(`a parameter in ${label} has no name`);
}

function parseApiKey(value: unknown): string {
	const key = textOf(value);
	if (key === '') throw unusableKey('it is empty');
	if (/\s/.test(key)) throw unusableKey('it has a space or line break inside');
	if (!/^[\x21-\x7e]+$/.test(key)) throw unusableKey('it has a control or non-ASCII character');
	return key;
}

function unusableKey(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidApiKey', { detail });
}

/** What is at the end of an address that was copied from the Swagger UI or from a request. */
const PAGE_OR_REQUEST = /\/(?:api\/customer|swagger)(?:\/.*)?$/i;

function parseBaseUrl(value: unknown): string {
	const text = textOf(value);
	if (text === '') throw unusableBaseUrl('it is empty');
	// The URL parser removes or repairs these silently.
	if (/[\s\\\p{Cc}]/u.test(text)) {
		throw unusableBaseUrl('it has a space, line break or backslash inside');
	}
	if (!URL.canParse(text)) {
		throw unusableBaseUrl('it is not a complete address such as https://host');
	}
	const url = new URL(text);
	if (url.protocol !== 'https:' && url.protocol !== 'http:') {
		throw unusableBaseUrl(`it must start with https://, not ${url.protocol}`);
	}
	if (text.includes('@')) throw unusableBaseUrl('it must not contain a user name or password');
	if (PAGE_OR_REQUEST.test(url.pathname)) {
		url.pathname = url.pathname.replace(PAGE_OR_REQUEST, '');
		// They belong to the page.
		url.search = '';
		url.hash = '';
	} else if (/[?#]/.test(text)) {
		throw unusableBaseUrl('it must not contain a query (?) or fragment (#)');
	}
	if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
		throw unusableBaseUrl(
			'it must start with https://, so that the API key is not sent unencrypted',
		);
	}
	return url.href.replace(/\/+$/, '');
}

function unusableBaseUrl(detail: string): VoiceAgentError {
	return new VoiceAgentError('invalidBaseUrl', { detail });
}

/** Whether a host name of a parsed URL can only be this machine. */
export function isLoopback(hostname: string): boolean {
	return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
