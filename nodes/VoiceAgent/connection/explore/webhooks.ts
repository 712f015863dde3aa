import type { IDataObject } from 'n8n-workflow';

import { isJsonObject } from '../../../data/json';
import { parseTime } from '../../../data/times';
import type { NamedFields } from '../../../service/apiCredential';
import { callNumbersIn } from '../../../service/callNumbers';
import { findCallEnd } from '../../../service/retention';
import { assertEvent, type WebhookEvent } from '../../../service/webhooks/namedEvent';
import { payloadOf, sessionsOf } from '../../../service/webhooks/payload';
import { fittingSettings } from '../../../service/webhooks/signature/fittingFormat';
import { hmacKey } from '../../../service/webhooks/signature/signatureSettings';
import { signedParts } from '../../../service/webhooks/signature/signedParts';
import type { Asker } from './asker';
import {
	hasNoBody,
	OF_A_BODY,
	type PastedWebhook,
	requestOf,
	WEBHOOK_NAMES,
} from './pastedWebhook';
import { namesInWords } from './profile/fieldNames';
import { guidCandidates } from './records';
import type { Finding, Settings } from './settings';

/** What the trigger would make of a webhook: judged by its own code. */
export function exploreWebhook(asker: Asker, webhook: PastedWebhook): Finding[] {
	return [
		payloadFinding(asker.access.named, webhook),
		methodFinding(webhook),
		signatureFinding(asker, webhook),
	];
}

/** The method of a webhook, if its headers show it: what has no body comes with GET. */
export function methodOf(webhook: PastedWebhook): 'GET' | undefined {
	return hasNoBody(requestOf(webhook).headers) ? 'GET' : undefined;
}

function methodFinding(webhook: PastedWebhook): Finding {
	const question = `Which method does ${WEBHOOK_NAMES[webhook.event]} use?`;
	const isPasted = Object.keys(webhook.headers).length > 0;
	const hasBody = OF_A_BODY.some((name) => requestOf(webhook).headers[name] !== undefined);
	const unknown = isPasted ? 'The headers do not show it.' : 'No headers were entered.';
	const sent = hasBody ? 'POST or PUT: it has a body.' : unknown;
	const answer = methodOf(webhook) === 'GET' ? 'GET: it has no body.' : sent;
	const advice = 'Nothing to set: the trigger accepts GET, POST and PUT';
	return { question, answer, recognized: true, advice };
}

export function notPasted(event: WebhookEvent): Finding {
	const name = WEBHOOK_NAMES[event];
	const advice = `Catch one with n8n's Webhook node, and enter its whole output as '${name} Payload'`;
	const question = `Does the trigger understand ${name}?`;
	return { question, answer: 'No webhook was entered.', recognized: null, advice };
}

function payloadFinding(named: NamedFields, webhook: PastedWebhook): Finding {
	const name = WEBHOOK_NAMES[webhook.event];
	const question = `Does the trigger understand ${name}?`;
	try {
		const request = requestOf(webhook);
		const payload = structuredClone(payloadOf(request, {}));
		assertEvent(webhook.event, payload, request);
		const { sessions, problem } = sessionsOf(payload, {} as IDataObject, '');
		const parts = [...numbersInWords(payload, named), ...endInWords(webhook, payload)];
		if (problem === undefined) {
			const count = sessions.length === 1 ? 'the session GUID' : `${sessions.length} session GUIDs`;
			return { question, answer: `Yes: ${[count, ...parts].join(', ')}.`, recognized: true };
		}
		const fields = isJsonObject(payload) ? guidCandidates(payload).map(({ path }) => path) : [];
		const answer = `No: ${problem}. Found: ${parts.join(', ') || 'nothing'}.`;
		const advice =
			fields.length > 0
				? `'Session GUID Field' of the VoiceAgent Trigger: one of ${namesInWords(fields)}`
				: 'Nothing can be set: no field has a session GUID';
		return { question, answer, recognized: false, advice };
	} catch (error) {
		return { question, answer: `No: ${(error as Error).message}.`, recognized: false };
	}
}

function numbersInWords(payload: unknown, named: NamedFields): string[] {
	const { to, from, direction } = callNumbersIn(payload, named);
	return [
		to === null ? "no 'to'" : "'to'",
		from === null ? "no 'from'" : "'from'",
		direction === null ? 'no direction' : 'the direction',
	];
}

function endInWords({ event }: PastedWebhook, payload: unknown): string[] {
	if (event === 'callStart') return [];
	const isFound = findCallEnd(payload, Date.now()) !== undefined;
	return [isFound ? 'the end of the call' : 'no end of the call (then the list is asked)'];
}

function signatureFinding({ access }: Asker, webhook: PastedWebhook): Finding {
	const question = `How does ${WEBHOOK_NAMES[webhook.event]} show that it comes from the service?`;
	const { webhookSecret: secret } = access.data;
	if (Object.keys(webhook.headers).length === 0) {
		return { question, answer: 'No headers were entered.', recognized: null };
	}
	if (typeof secret !== 'string' || secret === '') {
		const advice = "Enter the secret of the service's web portal as 'Webhook Secret'";
		return { question, answer: 'No webhook secret is set.', recognized: null, advice };
	}
	const settings = provingSettings(webhook, secret);
	if (settings) {
		const answer =
			settings.webhookVerification === 'sharedSecret'
				? `The header ${settings.headerName} carries the secret.`
				: `The header ${settings.signatureHeader} has a signature that the secret makes.`;
		return { question, answer, recognized: isSet(access.data, settings), settings };
	}
	const answer = 'No header has the secret, or a signature that the secret makes of the payload.';
	const advice =
		"Paste the body exactly as it was sent, as text: a signature covers each of its bytes. If it covers the URL, paste the whole output of n8n's Webhook node";
	return { question, answer, recognized: false, advice };
}

/** What shows that a webhook comes from the service: the secret itself, or a signature of it. */
function provingSettings(webhook: PastedWebhook, secret: string): Settings | undefined {
	const carrying = Object.entries(webhook.headers).find(([, value]) => value === secret);
	if (carrying) return { webhookVerification: 'sharedSecret', headerName: carrying[0] };
	return signatureSettings(webhook, secret);
}

/** How a webhook is signed, for the profile; `undefined` if nothing is known. */
export function signatureOf({ access }: Asker, webhook: PastedWebhook): Settings | undefined {
	const { webhookSecret: secret } = access.data;
	if (typeof secret !== 'string' || secret === '') return undefined;
	const settings = provingSettings(webhook, secret);
	if (settings?.webhookVerification !== 'hmac') return settings;
	const name = String(settings.signatureHeader).toLowerCase();
	const value = requestOf(webhook).headers[name] ?? '';
	return { ...settings, encoding: encodingIn(String(value), String(settings.headerFormat)) };
}

/** How the signature in a header is written. The shortest one, of SHA-1, has 40 hex digits. */
function encodingIn(header: string, headerFormat: string): 'hex' | 'base64' | 'base64url' {
	const before = /^([^{]*)\{signature\}/.exec(headerFormat.split(',').at(-1) ?? '')?.[1] ?? '';
	const signatures = header.split(/[\s;,]+/).filter((part) => part.includes(before));
	const signature = signatures.at(-1)?.replace(before, '') ?? '';
	if (/^[\da-f]{40,}$/i.test(signature)) return 'hex';
	return /[-_]/.test(signature) ? 'base64url' : 'base64';
}

/** Whether the credential has these settings already. Header names have no case. */
function isSet(data: IDataObject, settings: Settings): boolean {
	return Object.entries(settings).every(([name, value]) => {
		return String(data[name]).toLowerCase() === String(value).toLowerCase();
	});
}

/** The settings that make a signature hold at the time that the webhook itself names. */
function signatureSettings(webhook: PastedWebhook, secret: string): Settings | undefined {
	const request = requestOf(webhook);
	const { address } = webhook;
	const parts = signedParts(request, address);
	const texts = Object.values(webhook.headers).flatMap((value) => value.split(/[\s,;=]+/));
	const times = texts.map((text) => parseTime(text)).filter((ms) => ms > 0);
	const key = hmacKey(secret, 'Webhook Secret');
	for (const nowMs of [Date.now(), ...times.slice(0, 5)]) {
		const found = fittingSettings(request.rawHeaders, key, parts, nowMs);
		if (!found) continue;
		const { signedContent } = found;
		// Without an address, an empty text stood for the URL.
		const content = address === undefined ? signedContent.replace('{url}', '') : signedContent;
		return { webhookVerification: 'hmac', ...found, signedContent: content } as Settings;
	}
	return undefined;
}
