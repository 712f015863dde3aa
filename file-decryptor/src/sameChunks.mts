import { createHash } from 'node:crypto';
import type { Chunks } from '../../nodes/recordingFile/chunks.ts';
import { Refusal } from './refusal.mts';

/**
 * Makes sure that the second reading of a file yields what the first one has verified, even if
 * another program changes the file in between.
 */
export class SameChunks {
	// 32 bytes for every 512 KiB: at most 4 MiB, since AES-GCM ends at 64 GiB.
	readonly #digests: Buffer[] = [];

	async *remember(chunks: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
		for await (const chunk of chunks) {
			this.#digests.push(digest(chunk));
			yield chunk;
		}
	}

	/** @throws Refusal `changedWhileRead` */
	async *confirm(chunks: Chunks): AsyncGenerator<Uint8Array, void, undefined> {
		let index = 0;
		for await (const chunk of chunks) {
			if (!this.#digests[index]?.equals(digest(chunk))) throw changedWhileRead();
			index += 1;
			yield chunk;
		}
		if (index !== this.#digests.length) throw changedWhileRead();
	}
}

function digest(chunk: Uint8Array): Buffer {
	return createHash('sha256').update(chunk).digest();
}

function changedWhileRead(): Refusal {
	return new Refusal('changedWhileRead', 'Another program changed the file while it was read');
}
