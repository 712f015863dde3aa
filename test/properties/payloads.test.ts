import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import { requestFields } from '../../nodes/VoiceAgent/call/openApi';
import { sessionsOf } from '../../nodes/VoiceAgentTrigger/session';
import {
	hasManyValues,
	payloadProblem,
	readWebhookBody,
} from '../../nodes/VoiceAgentTrigger/webhookPayload';
import { parseBody } from '../../nodes/service/answer';
import { declaredFailure } from '../../nodes/service/declaredFailure';
import { safeExcerpt } from '../../nodes/service/httpErrors';
import { parseJson } from '../../nodes/service/parseJson';
import { isJsonObject, plainName } from '../../nodes/service/payload';
import { callEndFieldOf, findCallEnd } from '../../nodes/service/retention';
import { enforceEncryption } from '../../nodes/service/serviceInstructions';
import { findSessionGuid, isSessionGuid } from '../../nodes/service/sessionGuid';
import { anyDocument, deepDocuments, documents, guids, longTexts, names } from './arbitraries';
import { outcomeOf, property } from './property';

const NOW = Date.UTC(2026, 10, 22);
const DAY_MS = 86_400_000;
const fieldNames = fc.oneof(
	fc.constant(''),
	names,
	fc.tuple(names, names).map((two) => two.join('.')),
);

property(
	'a webhook with anything in it is read, or refused in words',
	4_000,
	[anyDocument, anyDocument, fc.option(fieldNames, { nil: undefined })],
	async (payload, query, field) => {
		const found = sessionsOf({
			payload,
			query: isJsonObject(query) ? (query as IDataObject) : {},
			field,
		});
		if ('problem' in found) expect(found.problem).not.toBe('');
		else {
			expect(found.sessions.length).toBeGreaterThan(0);
			for (const { sessionGuid } of found.sessions) expect(isSessionGuid(sessionGuid)).toBe(true);
		}
		const problem = await payloadProblem(payload);
		expect(problem === undefined || /__proto__|deeper/.test(problem)).toBe(true);
		expect(hasManyValues(Buffer.from(String(JSON.stringify(payload))))).toBe(false);
	},
);

const plainDocuments = fc.jsonValue({ maxDepth: 4 });
const spellings = fc.constantFrom(
	...['sessionGuid', 'SessionGuid', 'session_guid', 'SESSION-GUID', 'sessionGUID', 'session guid'],
	...['call[sessionGuid]', 'ns:sessionGuid', 'session.guid'],
);

property(
	'the only session GUID in a payload is found, wherever it is',
	2_500,
	[plainDocuments, spellings, guids, fc.array(fc.nat(), { maxLength: 6 })],
	(document, name, guid, way) => {
		const payload: unknown = structuredClone(document);
		fc.pre(!/guid/i.test(JSON.stringify(payload)));
		const root = { at: payload } as Record<string, unknown>;
		let place: Record<string, unknown> = root;
		let last = 'at';
		for (const step of way) {
			const inner = place[last];
			if (typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0) break;
			place = inner as Record<string, unknown>;
			last = Object.keys(inner)[step % Object.keys(inner).length] as string;
		}
		fc.pre(last !== '__proto__');
		const there = place[last];
		place[last] = { ...(isJsonObject(there) && there), [name]: guid };
		expect(findSessionGuid(root)).toEqual({ sessionGuid: guid });
		expect(findSessionGuid(JSON.stringify(root))).toEqual({ sessionGuid: guid });
	},
);

property(
	'the end of a call that is found in any record is a possible one',
	3_000,
	[anyDocument, fieldNames],
	(record, field) => {
		const end = findCallEnd(record, NOW, field);
		if (end === undefined) return;
		expect(end).toBeGreaterThanOrEqual(Date.UTC(2000, 0, 1));
		expect(end).toBeLessThanOrEqual(NOW + 2 * DAY_MS);
		if (field === '') expect(typeof callEndFieldOf(record, end)).toBe('string');
	},
);

property('any answer says that it failed, or not', 3_000, [anyDocument], (json) => {
	const failure = declaredFailure(json);
	const excerpt = safeExcerpt(failure ?? json ?? '', []);
	expect(excerpt === undefined || excerpt.length <= 201).toBe(true);
});

const secrets = fc
	.string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
	.filter((secret) => !/\s/.test(secret) && !'[redacted]'.includes(secret));
const encodings = fc.constantFrom<(secret: string) => string>(
	(secret) => secret,
	encodeURIComponent,
	(secret) => JSON.stringify(secret).slice(1, -1),
	(secret) => Buffer.from(secret).toString('base64'),
	(secret) => Buffer.from(secret).toString('hex'),
);

property(
	'what a service says about a failure is shown without the secret',
	2_500,
	[secrets, encodings, fc.string(), fc.string(), documents, fc.nat({ max: 4 })],
	(secret, encode, before, after, document, kind) => {
		const text = `${before}${encode(secret)}${after}`;
		const message = { message: text, document };
		const content = [text, message, { error: message }, JSON.stringify(message), [message]][kind];
		expect(safeExcerpt(content, [secret]) ?? '').not.toContain(secret);
	},
);

const recordCall = fc.constantFrom(
	'recordCall',
	'RecordCall',
	'record_call',
	'record-call ',
	'RECORD CALL',
);
const recordPassword = fc.constantFrom(
	'recordCallPassword',
	'record_call_password',
	'RecordCallPassword',
);
const anything = fc.oneof(documents, fc.constantFrom(true, 'true', 'Yes', 1, '1', false, ''));

property(
	'with encryption on, no reply asks for a recording in the clear',
	3_000,
	[
		fc.array(fc.tuple(fc.oneof(recordCall, recordPassword, names), anything), { maxLength: 5 }),
		documents,
		fc.option(fc.string(), { nil: undefined }),
	],
	(fields, beside, password) => {
		const block = Object.fromEntries(fields);
		const reply = { ...(isJsonObject(beside) ? beside : {}), Service_Instructions: block };
		const { Service_Instructions: sent } = enforceEncryption(reply, password);
		const flags = Object.entries(sent).filter(([name]) => plainName(name) === 'recordcall');
		const given = Object.entries(sent).filter(([name]) => plainName(name) === 'recordcallpassword');
		for (const [name, value] of flags)
			expect([name, typeof value]).toEqual(['recordCall', 'boolean']);
		if (sent.recordCall === true) {
			expect(typeof sent.recordCallPassword === 'string' && sent.recordCallPassword !== '').toBe(
				true,
			);
		}
		expect(given.length).toBe(sent.recordCall === true ? 1 : 0);
	},
);

/** JSON in which some characters are exchanged, left out or doubled. */
const spoiledJson = fc
	.tuple(
		fc.oneof({ arbitrary: documents, weight: 9 }, { arbitrary: deepDocuments, weight: 1 }),
		fc.array(
			fc.tuple(fc.nat(), fc.constantFrom('', ',', '"', '{', ']', ' ', '\n', '0', '\\', 'é')),
			{
				maxLength: 3,
			},
		),
		fc.constantFrom(undefined, 1),
	)
	.map(([document, changes, indent]) =>
		changes.reduce(
			(text, [at, by]) => {
				const index = at % (text.length + 1);
				return text.slice(0, index) + by + text.slice(index + 1);
			},
			String(JSON.stringify(document, null, indent)),
		),
	);
const texts = fc.oneof({ arbitrary: spoiledJson, weight: 10 }, longTexts, fc.string());

property('JSON is read as JSON.parse reads it', 4_000, [texts], async (text) => {
	const { value: values, reason } = {
		value: undefined,
		...(await outcomeOf(async () => await parseJson(text))),
	};
	if (reason !== undefined) return expect(reason).toBe('tooLarge');
	let expected: unknown;
	try {
		expected = JSON.parse(text);
	} catch {
		// Several values in a row are JSON lines.
		if (values?.length === 1) expect(text).toMatch(/[\p{Cc}\ufeff\s]/u);
		return;
	}
	expect(values).toEqual([expected]);
});

property(
	'any body is read, or is no answer of the service',
	2_500,
	[texts, fc.string()],
	async (text, contentType) => {
		const { reason } = await outcomeOf(
			async () => await parseBody(text, { status: 200, contentType }),
		);
		expect([undefined, 'webPage', 'tooLarge']).toContain(reason);
		const body = readWebhookBody({ body: text, headers: { 'content-type': contentType } });
		expect(body === undefined).toBe(text.replace(/^\ufeff/, '').trim() === '');
	},
);

property('any API document yields a form, or none', 2_500, [anyDocument], async (document) => {
	const wrapped = {
		paths: {
			'/call': { post: { requestBody: { content: { 'application/json': { schema: document } } } } },
		},
		...(isJsonObject(document) ? document : {}),
	};
	for (const json of [document, wrapped]) {
		const { reason } = await outcomeOf(() => {
			for (const { name, type, choices } of requestFields(json, 'POST', '/call') ?? []) {
				expect([typeof name, typeof type, Array.isArray(choices)]).toEqual([
					'string',
					'string',
					true,
				]);
			}
		});
		expect([undefined, 'callFormTooLarge']).toContain(reason);
	}
});
