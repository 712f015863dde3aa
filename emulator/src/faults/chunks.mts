import { setTimeout as wait } from 'node:timers/promises';

export type Chunks = AsyncIterable<Uint8Array>;

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
