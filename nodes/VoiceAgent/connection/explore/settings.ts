import type { IDataObject } from 'n8n-workflow';

/** A field of the credential: its name, its label, and what it is without anybody's doing. */
type CredentialField = readonly [name: string, label: string, byDefault: string | number | boolean];

/** The fields that Explore proposes values for, in the order of the form. */
const FIELDS: readonly CredentialField[] = [
	['webhookVerification', 'Webhook Verification', 'sharedSecret'],
	['algorithm', 'Algorithm', 'hmacSha256'],
	['headerName', 'Header Name', 'X-Webhook-Secret'],
	['signatureHeader', 'Signature Header', 'X-Webhook-Signature'],
	['headerFormat', 'Header Format', '{signature}'],
	['signedContent', 'Signed Content', '{body}'],
	['timestampHeader', 'Timestamp Header', ''],
	['idHeader', 'ID Header', ''],
	['adapt', 'Adapt to the Service', false],
	['apiDocumentPath', 'API Document Path', '/swagger/v1/swagger.json'],
	['listField', 'List Field', ''],
	['sessionGuidField', 'Session GUID Field', ''],
	['callEndField', 'Call End Field', ''],
	['calledNumberField', 'Called Number Field', ''],
	['callerNumberField', 'Caller Number Field', ''],
	['paging', 'Paging', 'automatic'],
	['nextField', 'Next Field', ''],
	['cursorParameter', 'Cursor Parameter', ''],
	['pageParameter', 'Page Parameter', ''],
	['counts', 'Parameter Counts', 'pages'],
	['firstValue', 'First Value', 1],
];

/** What the menus of the credential call a value. */
const CHOICES: Readonly<Record<string, string>> = {
	parameter: 'A Parameter in Each Request',
	nextField: 'Next URL or Cursor in a Field',
	complete: 'The List Is Complete',
	automatic: 'Automatic',
	pages: 'Pages',
	records: 'Records',
	hmac: 'HMAC Signature',
	hmacSha1: 'SHA-1',
	hmacSha256: 'SHA-256',
	hmacSha512: 'SHA-512',
	standardWebhooks: 'Standard Webhooks',
};

/** Values for fields of the credential, by the names of the fields. */
export type Settings = Record<string, string | number | boolean>;

/** Those that differ from the defaults, in the order of the form. */
export function inOrder(settings: Settings): Settings {
	const differing = FIELDS.filter(([name, , byDefault]) => {
		const value = settings[name];
		return value !== undefined && value !== byDefault;
	});
	return Object.fromEntries(differing.map(([name]) => [name, settings[name] ?? '']));
}

/** What has to be entered: those that differ from the defaults, and the switch that shows them. */
export function proposed(settings: Settings): Settings {
	const differing = inOrder(settings);
	const firstAdapted = FIELDS.findIndex(([name]) => name === 'adapt');
	const adapted = FIELDS.slice(firstAdapted).map(([name]) => name);
	const needsSwitch = Object.keys(differing).some((name) => adapted.includes(name));
	return inOrder({ ...differing, ...(needsSwitch && { adapt: true }) });
}

/** Settings as a person enters them: `Page Parameter: page`. */
export function inWords(settings: Settings): string | null {
	const entries = FIELDS.flatMap(([name, label, byDefault]) => {
		const value = settings[name];
		if (value === undefined || value === byDefault || name === 'adapt') return [];
		const isChoice = typeof value === 'string' && ['paging', 'counts', 'algorithm'].includes(name);
		const isMenu = isChoice || name === 'webhookVerification';
		const shown = isMenu ? (CHOICES[String(value)] ?? value) : value;
		return [`${label}: ${String(shown).replaceAll('\n', '\\n')}`];
	});
	return entries.length > 0 ? entries.join('; ') : null;
}

/** Where in the form the first of these settings is; after the form if there is none. */
export function placeInForm(settings: Settings): number {
	const names = Object.keys(inOrder(settings));
	const places = FIELDS.flatMap(([name], place) => (names.includes(name) ? [place] : []));
	return places[0] ?? FIELDS.length;
}

/** One row of the report. */
export interface Finding {
	question: string;
	/** What the service does, in words. */
	answer: string;
	/** Whether the nodes recognize it by themselves; `null` if that is not known. */
	recognized: boolean | null;
	/** What to set in the credential, as far as it was proven. */
	settings?: Settings;
	/** What to do that is not a setting of the credential, or cannot be found out. */
	advice?: string;
}

/** The output for a row. */
export function rowOf({ settings = {}, advice, ...finding }: Finding): IDataObject {
	return { ...finding, setting: inWords(settings) ?? advice ?? null };
}
