import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Chunks, Replacement, Spoiled } from './kind.mts';

/**
 * Makes the replacement the reply.
 *
 * @returns the new payload
 */
export function replaceReply(
	reply: FastifyReply,
	{ status, headers, body, reason }: Replacement,
): string {
	for (const name of Object.keys(reply.getHeaders())) {
		if (name !== 'date') reply.removeHeader(name);
	}
	if (reason !== undefined) reply.raw.statusMessage = reason;
	reply.code(status).headers(headers);
	// Fastify would send a redirect without a length in chunks.
	if (status !== 204 && status !== 304) reply.header('content-length', Buffer.byteLength(body));
	return body;
}

/** Writes a spoiled reply past Fastify, which would repair it. */
export async function writeSpoiled(
	response: ServerResponse,
	status: number,
	{ headers, body, framing, ending }: Spoiled,
): Promise<void> {
	for (const [name, value] of Object.entries(headers)) {
		if (value !== undefined) response.setHeader(name, value);
	}
	// A client could not tell the next reply on this connection from the rest of this one.
	response.setHeader('connection', 'close');
	response.removeHeader('content-length');
	if (framing === 'close') response.removeHeader('transfer-encoding');
	else if (framing === 'chunked') response.setHeader('transfer-encoding', 'chunked');
	else response.setHeader('content-length', framing);
	response.writeHead(status);
	response.flushHeaders();
	await pipeline(Readable.from(body, { objectMode: false }), response, { end: false });
	if (ending === 'end') response.end();
	// The client first gets everything that was ordered.
	if (ending === 'cut') response.socket?.destroySoon();
}

/** What Fastify is about to send: a text, bytes or a stream. */
export function bodyOf(
	payload: unknown,
	announced: unknown,
): { body: Chunks; length: number | undefined } {
	if (typeof payload === 'string' || payload instanceof Uint8Array) {
		const bytes = Buffer.from(payload);
		return { body: Readable.from([bytes]), length: bytes.length };
	}
	const body = payload instanceof Readable ? payload : Readable.from([]);
	const length = announced === undefined ? (payload ? undefined : 0) : Number(announced);
	return { body, length };
}

/** Pads a body with white space, so that JSON stays JSON. */
const FILLER = Buffer.alloc(64 * 1024, ' ');

export async function* firstBytes(body: Chunks, count: number): Chunks {
	let left = count;
	if (left === 0) return;
	for await (const chunk of body) {
		yield chunk.subarray(0, left);
		left -= Math.min(left, chunk.length);
		if (left === 0) return;
	}
}

export async function* drip(body: Chunks, bytes: number, ms: number, signal: AbortSignal): Chunks {
	for await (const chunk of body) {
		for (let offset = 0; offset < chunk.length; offset += bytes) {
			yield chunk.subarray(offset, offset + bytes);
			await wait(ms, undefined, { signal });
		}
	}
}

export async function* padded(body: Chunks, total: number): Chunks {
	let size = 0;
	for await (const chunk of body) {
		size += chunk.length;
		yield chunk;
	}
	for (; size < total; size += FILLER.length) yield FILLER.subarray(0, total - size);
}
