import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Type } from 'typebox';
import {
	ByteCount,
	HEADER_NAME_PATTERN,
	HEADER_VALUE_PATTERN,
	Milliseconds,
	Nullable,
} from '../schema.mts';
import { faultKind, type Spoiled, type TrueReply } from './kind.mts';
import { drip, firstBytes, padded } from './write.mts';

/* Faults that damage the true reply, so the request is carried out. */

const GZIP_BOMB_BYTES = 1_000_000_000;

/** The reply as it should be, for a fault that changes one thing about it. */
const honest = ({ headers, body, length }: TrueReply): Spoiled => ({
	headers,
	body,
	framing: length ?? 'chunked',
	ending: 'end',
});

export const spoilingKinds = [
	faultKind({
		kind: 'delay',
		description: 'Replies late, but properly',
		fields: { ms: Milliseconds('Pause before the reply') },
		delayMs: ({ ms }) => ms,
	}),
	faultKind({
		kind: 'drop',
		description: 'Cuts the connection in the middle of the body',
		fields: {
			afterBytes: ByteCount('How much of the body is sent'),
			chunked: Type.Optional(
				Type.Boolean({ description: 'Sends chunks instead of `Content-Length`' }),
			),
		},
		spoil: ({ afterBytes, chunked }, reply) => ({
			...honest(reply),
			body: firstBytes(reply.body, afterBytes),
			...(chunked && { framing: 'chunked' }),
			ending: 'cut',
		}),
	}),
	faultKind({
		kind: 'closeDelimited',
		description: 'Sends neither a length nor chunks: the end of the connection ends the body',
		fields: {
			atBytes: Type.Optional(ByteCount('Ends the body early, which then looks complete')),
		},
		spoil: ({ atBytes = Infinity }, reply) => ({
			...honest(reply),
			body: firstBytes(reply.body, atBytes),
			framing: 'close',
		}),
	}),
	faultKind({
		kind: 'wrongLength',
		description: 'Sends a `Content-Length` that is not the length of the body',
		fields: { delta: Type.Integer({ description: 'Announced length minus true length' }) },
		spoil: ({ delta }, reply) => ({
			...honest(reply),
			framing: Math.max(0, (reply.length ?? 0) + delta),
		}),
	}),
	faultKind({
		kind: 'slow',
		description: 'Sends the body slowly',
		fields: {
			bytesPerInterval: Type.Optional(
				Type.Integer({ minimum: 1, description: 'Bytes at a time; 1 if omitted' }),
			),
			intervalMs: Type.Optional(
				Type.Number({ minimum: 1, maximum: 600_000, description: 'Pause; 100 if omitted' }),
			),
		},
		spoil: ({ bytesPerInterval = 1, intervalMs = 100 }, reply) => ({
			...honest(reply),
			body: drip(reply.body, bytesPerInterval, intervalMs, reply.signal),
		}),
	}),
	faultKind({
		kind: 'endless',
		description: 'Sends the body, then spaces without end',
		fields: {},
		spoil: (_fault, reply) => ({
			...honest(reply),
			body: padded(reply.body, Infinity),
			framing: 'chunked',
		}),
	}),
	faultKind({
		kind: 'gzipBomb',
		description: 'Sends the body and spaces, gzipped: a small reply that inflates to a large one',
		fields: {
			bytes: Type.Optional(
				Type.Integer({
					minimum: 1,
					maximum: 100_000_000_000,
					description: 'Inflated size; 1,000,000,000 if omitted',
				}),
			),
		},
		spoil({ bytes = GZIP_BOMB_BYTES }, { headers, body }) {
			const inflated = Readable.from(padded(body, bytes));
			const gzip = createGzip({ level: 1 });
			// The stream that is read shows how this ends, early or not.
			pipeline(inflated, gzip).catch(() => undefined);
			return {
				headers: { ...headers, 'content-encoding': 'gzip' },
				body: gzip,
				framing: 'chunked',
				ending: 'end',
			};
		},
	}),
	faultKind({
		kind: 'headers',
		description: 'Sends the reply with other headers',
		fields: {
			set: Type.Record(Type.String(), Nullable(Type.String({ pattern: HEADER_VALUE_PATTERN })), {
				propertyNames: { pattern: HEADER_NAME_PATTERN },
				description: 'Header values by name; null takes a header away',
			}),
		},
		setHeaders: ({ set }) => set,
	}),
] as const;
