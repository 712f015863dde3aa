import { AUDIO_HEAD_BYTES, hasText } from './audioFormat';
import type { Chunks } from './chunks';

/** The longest Ogg page (RFC 3533): header, 255 lacing values, 255 segments of 255 bytes. */
const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
const PAGE_HEADER_BYTES = 27;
/** Flag of the last page of a stream. */
const END_OF_STREAM = 0x04;

/** That a file ends before its content does. */
export interface EarlyEnd {
	/** Length of the file. */
	bytes: number;
	/** What is missing, for a message. */
	missing: string;
}

/**
 * Passes an audio file on, in constant memory, and checks that it is complete: a WAV file has lengths in its header, and
 * the last page of an Ogg file is marked. In MP3 and WebM, nothing that is looked at here shows it.
 *
 * @param onEarlyEnd called after the last chunk of a file that is not complete. What it throws ends the iteration. Some
 * recorders leave a wrong length or no mark, so the caller decides.
 */
export async function* untilEndOfAudio(
	source: Chunks,
	onEarlyEnd: (end: EarlyEnd) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	let head = Buffer.alloc(0);
	let tail = Buffer.alloc(0);
	let bytes = 0;
	for await (const chunk of source) {
		if (head.length < AUDIO_HEAD_BYTES) {
			head = Buffer.concat([head, chunk.subarray(0, AUDIO_HEAD_BYTES - head.length)]);
		}
		if (hasText(head, 0, 'OggS')) {
			// Copied: a chunk belongs to the reader once it is yielded.
			const kept = tail.subarray(-Math.max(MAX_PAGE_BYTES - chunk.length, 1));
			tail = Buffer.concat([kept, chunk.subarray(-MAX_PAGE_BYTES)]);
		}
		bytes += chunk.length;
		yield chunk;
	}
	const missing = missingFromOgg(tail) ?? missingFromWav(head, bytes);
	if (missing !== undefined) onEarlyEnd({ bytes, missing });
}

/** `undefined` if the last page is complete and marked as the last, or if there is no page. */
function missingFromOgg(tail: Buffer): string | undefined {
	const start = tail.lastIndexOf('OggS', undefined, 'latin1');
	if (start === -1) return undefined;
	const page = tail.subarray(start);
	const lacing = page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + Number(page[26] ?? 0));
	const length = lacing.reduce((sum, value) => sum + value, PAGE_HEADER_BYTES + lacing.length);
	const isLast = (Number(page[5]) & END_OF_STREAM) !== 0;
	return isLast && page.length >= length ? undefined : 'its last page is missing';
}

/** The end of the audio counts; the end of the file only if the header does not show the other one. */
function missingFromWav(head: Buffer, bytes: number): string | undefined {
	if (!hasText(head, 0, 'RIFF')) return undefined;
	const end = endOfChunk(head, dataChunk(head)) ?? endOfChunk(head, 0);
	// The byte that makes a size even may be missing.
	return end === undefined || bytes >= end - 1 ? undefined : `it has ${bytes} of ${end} bytes`;
}

/** Offset of the chunk with the audio, which may be outside `head`. */
function dataChunk(head: Buffer): number {
	let offset = 12;
	while (offset + 8 <= head.length && !hasText(head, offset, 'data')) {
		const size = head.readUInt32LE(offset + 4);
		offset += 8 + size + (size % 2);
	}
	return offset;
}

/**
 * Where a chunk must end. Writers that cannot go back to its header leave 0 there, or a size close to the largest one
 * that 31 or 32 bits hold.
 */
function endOfChunk(head: Buffer, offset: number): number | undefined {
	if (offset + 8 > head.length) return undefined;
	const size = head.readUInt32LE(offset + 4);
	const isPlaceholder = size === 0 || [0x7ff, 0x800, 0xfff].includes(Math.floor(size / 2 ** 20));
	return isPlaceholder ? undefined : offset + 8 + size;
}
