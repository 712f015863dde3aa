import { Type } from 'typebox';
import { headerPairs } from '../auth/auth.mts';
import { ByteCount, HEADER_VALUE_PATTERN } from '../schema.mts';
import { faultKind } from './kind.mts';
import { firstBytes } from './write.mts';

/* Faults that need no true reply: they say something else, or nothing. */

const WEB_PAGE =
	'<!DOCTYPE html><html><head><title>Sign in</title></head>' +
	'<body><h1>Sign in</h1><form><input name="user"></form></body></html>';

const Status = (description: string) =>
	Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description }));

const json = (body: unknown) => ({
	headers: { 'content-type': 'application/json; charset=utf-8' },
	body: JSON.stringify(body),
});

const text = (body: string) => ({
	headers: { 'content-type': 'text/plain; charset=utf-8' },
	body,
});

export const replacingKinds = [
	faultKind({
		kind: 'hangUp',
		description: 'Closes the connection without a reply',
		fields: {},
		replace: () => 'close',
	}),
	faultKind({
		kind: 'reset',
		description: 'Resets the connection without a reply (TCP RST); over HTTPS as `hangUp`',
		fields: {},
		replace: () => 'reset',
	}),
	faultKind({
		kind: 'silent',
		description: 'Accepts the request and never replies',
		fields: {
			afterBytes: Type.Optional(
				ByteCount('Sends the headers and this much of the body, then falls silent'),
			),
		},
		needsReply: ({ afterBytes }) => afterBytes !== undefined,
		replace: () => 'silence',
		spoil: ({ afterBytes = 0 }, { headers, body, length }) => ({
			headers,
			body: firstBytes(body, afterBytes),
			framing: length ?? 'chunked',
			ending: 'silence',
		}),
	}),
	faultKind({
		kind: 'status',
		description: 'Replies with any status',
		fields: {
			status: Type.Integer({ minimum: 200, maximum: 599, description: 'From 200 to 599' }),
			retryAfter: Type.Optional(
				Type.Unsafe<string | number>({
					type: ['string', 'number'],
					pattern: HEADER_VALUE_PATTERN,
					description: 'Value of `Retry-After`, sent as given',
				}),
			),
			retryAfterDate: Type.Optional(
				Type.Number({
					minimum: -1e9,
					maximum: 1e9,
					description: '`Retry-After` as a date this many seconds from now',
				}),
			),
			body: Type.Optional(
				Type.Unknown({ description: 'A text is sent as it is, anything else as JSON' }),
			),
			contentType: Type.Optional(
				Type.String({ pattern: HEADER_VALUE_PATTERN, description: '`Content-Type` of the body' }),
			),
		},
		replace({ status, retryAfter, retryAfterDate, contentType, body }, { now }) {
			const standard = { error: { code: 'fault', message: `Ordered fault, status ${status}` } };
			const shown = status === 204 || status === 304 ? '' : (body ?? standard);
			const reply = typeof shown === 'string' ? text(shown) : json(shown);
			const date = new Date(now + (retryAfterDate ?? 0) * 1000).toUTCString();
			return {
				status,
				headers: {
					...reply.headers,
					...(contentType !== undefined && { 'content-type': contentType }),
					...(retryAfterDate !== undefined && { 'retry-after': date }),
					...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }),
				},
				body: reply.body,
			};
		},
	}),
	faultKind({
		kind: 'html',
		description: 'Replies with a web page',
		fields: { status: Status('200 if omitted') },
		replace: ({ status = 200 }) => ({
			status,
			headers: { 'content-type': 'text/html; charset=utf-8' },
			body: WEB_PAGE,
		}),
	}),
	faultKind({
		kind: 'empty',
		description: 'Replies without a body',
		fields: { status: Status('200 if omitted') },
		replace: ({ status = 200 }) => ({ status, headers: {}, body: '' }),
	}),
	faultKind({
		kind: 'redirect',
		description: 'Redirects the client',
		fields: {
			to: Type.String({
				pattern: HEADER_VALUE_PATTERN,
				minLength: 1,
				maxLength: 2000,
				description: '`Location`, sent as given',
			}),
			status: Status('302 if omitted'),
		},
		replace: ({ to, status = 302 }) => ({ status, headers: { location: to }, body: '' }),
	}),
	faultKind({
		kind: 'echoToken',
		description:
			'Repeats the API key in the status line, in a header and in the body, also as base64',
		fields: { status: Status('500 if omitted') },
		replace({ status = 500 }, { rawHeaders }) {
			const sent = headerPairs(rawHeaders).find(([name]) => name.toLowerCase() === 'token');
			const token = sent?.[1] ?? '';
			const { headers, body } = json({
				error: { code: 'internal_error', message: `Cannot serve the key "${token}"`, token },
				base64: Buffer.from(token, 'latin1').toString('base64'),
				query: `?Token=${encodeURIComponent(token)}`,
			});
			return {
				status,
				reason: `Failed for ${token}`,
				headers: { ...headers, 'x-received-token': token },
				body,
			};
		},
	}),
	faultKind({
		kind: 'notReady',
		description: 'Says for a while that there is no such recording',
		fields: {
			seconds: Type.Number({
				minimum: 0,
				maximum: 86_400,
				description: 'How long, from when the fault was added',
			}),
			status: Status('Status for an unknown session GUID if omitted'),
		},
		lastsMs: ({ seconds }) => seconds * 1000,
		replace({ status }, { unknownGuidStatus }) {
			const error = { code: 'recording_not_ready', message: 'The recording is not ready yet' };
			return { status: status ?? unknownGuidStatus, ...json({ error }) };
		},
	}),
] as const;
