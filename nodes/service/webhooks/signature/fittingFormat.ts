import { parseTime } from '../../../data/times';
import type { WebhookRequest } from '../request';
import {
	type Algorithm,
	SIGNATURE_BYTES,
	type SignatureFormat,
	signatureBytes,
	type SignedParts,
	type VerificationKey,
	whyUnsigned,
} from './signature';
import { parseTemplate } from './template';

/** What services sign, the most usual first. */
const CONTENTS = [
	'{body}',
	'{timestamp}.{body}',
	'{id}.{timestamp}.{body}',
	'v0:{timestamp}:{body}',
	'{timestamp}{body}',
	'{body}{timestamp}',
	'{timestamp}:{body}',
	'{timestamp}|{body}',
	'{timestamp}_{body}',
	'{timestamp}\n{body}',
	'{id}{timestamp}{body}',
	'{id}:{timestamp}:{body}',
	'{url}{parameters}',
	'{url}{body}',
	'{body}{url}',
	'{parameters}',
] as const;

const HMACS: readonly Algorithm[] = ['hmacSha256', 'hmacSha1', 'hmacSha512'];
/** More are not in a webhook. It keeps the number of attempts small, whatever a sender sends. */
const MAX_PLACES = 6;

/** Where a signature, a time or an id stands: a header, or a part of one. */
interface Place {
	header: string;
	/** The text before it in the header: `v1=`. */
	prefix: string;
	value: string;
}

/**
 * Finds how a webhook is signed with a secret, by trying what services do.
 *
 * @returns the settings, in words, that make the signature hold; `undefined` if none does
 */
export function fittingFormat(...webhook: Parameters<typeof fittingSettings>): string | undefined {
	const settings = fittingSettings(...webhook);
	return settings && inWords(settings);
}

/**
 * Finds how a webhook is signed with a secret, by trying what services do.
 *
 * @returns the fields of a credential that make the signature hold; `undefined` if none does
 */
export function fittingSettings(
	rawHeaders: WebhookRequest['rawHeaders'],
	key: VerificationKey,
	parts: SignedParts,
	nowMs: number,
): SignatureSettings | undefined {
	const algorithms: readonly Algorithm[] = Buffer.isBuffer(key) ? HMACS : ['ed25519'];
	const places = placesIn(rawHeaders);
	const times = places.filter(({ value }) => isTime(value, nowMs)).slice(0, MAX_PLACES);
	const ids = places.filter(({ header, prefix }) => isId(header, prefix)).slice(0, MAX_PLACES);
	for (const algorithm of algorithms) {
		const length = SIGNATURE_BYTES[algorithm];
		const signatures = places.filter(({ value }) => signatureBytes(value, length));
		for (const signature of signatures.slice(0, MAX_PLACES)) {
			for (const content of CONTENTS) {
				for (const time of content.includes('{timestamp}') ? times : [undefined]) {
					for (const id of content.includes('{id}') ? ids : [undefined]) {
						const settings = settingsOf(signature, time, id);
						const format = formatOf(settings, algorithm, content);
						const why = whyUnsigned(format, key, rawHeaders, parts, nowMs);
						if (why === undefined) return { ...settings, algorithm, signedContent: content };
					}
				}
			}
		}
	}
	return undefined;
}

/** Each header, and each part of one that is a list, such as `t=1,v1=abc`. */
function placesIn(rawHeaders: readonly string[]): Place[] {
	const places: Place[] = [];
	for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
		const header = rawHeaders[index] ?? '';
		const value = rawHeaders[index + 1] ?? '';
		places.push({ header, prefix: '', value });
		for (const part of value.split(/[\s;]+/).flatMap((one) => [one, ...one.split(',')])) {
			const [, prefix = '', rest = ''] = /^(\w{1,20}[=,:])(.+)$/.exec(part) ?? [];
			if (prefix !== '') places.push({ header, prefix, value: rest });
			if (part !== value) places.push({ header, prefix: '', value: part });
		}
	}
	return places;
}

function isTime(value: string, nowMs: number): boolean {
	return Math.abs(parseTime(value) - nowMs) < 24 * 3_600_000;
}

function isId(header: string, prefix: string): boolean {
	return /(?:^|[-_])id$/i.test(header) && prefix === '';
}

interface Settings {
	signatureHeader: string;
	headerFormat: string;
	timestampHeader?: string;
	idHeader?: string;
}

/** How a service signs, by the names of the fields of the credential. */
export interface SignatureSettings extends Settings {
	algorithm: Algorithm;
	signedContent: string;
}

function settingsOf(signature: Place, time: Place | undefined, id: Place | undefined): Settings {
	const isTimeBeside = time?.header === signature.header;
	const own = `${signature.prefix}{signature}`;
	return {
		signatureHeader: signature.header,
		headerFormat: isTimeBeside ? `${time.prefix}{timestamp},${own}` : own,
		...(time && !isTimeBeside && { timestampHeader: time.header }),
		...(id && { idHeader: id.header }),
	};
}

function formatOf(settings: Settings, algorithm: Algorithm, content: string): SignatureFormat {
	return {
		...settings,
		algorithm,
		header: settings.signatureHeader,
		headerFormat: parseTemplate(settings.headerFormat),
		content: parseTemplate(content),
	};
}

/** Names of the algorithms, as the credential has them. */
const NAMES: Readonly<Record<Algorithm, string>> = {
	hmacSha1: 'HMAC with SHA-1',
	hmacSha256: 'HMAC with SHA-256',
	hmacSha512: 'HMAC with SHA-512',
	ed25519: 'Ed25519',
};

function inWords({ algorithm, signedContent, ...settings }: SignatureSettings): string {
	const { signatureHeader, headerFormat, timestampHeader, idHeader } = settings;
	const fields = [
		['Signature Header', signatureHeader],
		['Header Format', headerFormat],
		['Signed Content', signedContent.replace('\n', '\\n')],
		['Algorithm', NAMES[algorithm]],
		['Timestamp Header', timestampHeader],
		['ID Header', idHeader],
	].filter(([, value]) => value !== undefined);
	return fields.map(([label, value]) => `${label} ${value}`).join('; ');
}
