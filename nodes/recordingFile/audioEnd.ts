import { VoiceAgentError } from '../errors';
import type { Chunks } from './chunks';

/** The longest Ogg page (RFC 3533): header, 255 lacing values, 255 segments of 255 bytes. */
const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
const PAGE_HEADER_BYTES = 27;
/** Flag of the last page of a stream. */
const END_OF_STREAM = 0x04;

const RIFF_HEADER_BYTES = 8;
/** Sizes that writers leave if they cannot go back to the header. */
const UNKNOWN_SIZES = [0, 0xffffffff];

/**
 * Passes an audio file on, in constant memory, and checks that it is complete: a WAV file has its length in its header,
 * and the last page of an Ogg file is marked. In an MP3 file nothing shows it.
 *
 * Some recorders leave a wrong length or no mark. A connection is hardly ever cut at the same byte twice, so a file that
 * ends where it ended in an earlier attempt counts as complete.
 *
 * @param earlyEnds lengths in bytes at which the file seemed to end early in earlier attempts
 * @throws VoiceAgentError `cutShort` at the end of the iteration, with the length as `endedAtByte`. Whatever `source`
 * throws passes through.
 */
export async function* untilEndOfAudio(
	source: Chunks,
	earlyEnds: readonly number[],
): AsyncGenerator<Uint8Array, void, undefined> {
	let head = Buffer.alloc(0);
	let tail = Buffer.alloc(0);
	let bytes = 0;
	for await (const chunk of source) {
		if (head.length < RIFF_HEADER_BYTES) {
			head = Buffer.concat([head, chunk.subarray(0, RIFF_HEADER_BYTES - head.length)]);
		}
		if (startsWith(head, 'OggS')) {
			// Copied: a chunk belongs to the reader once it is yielded.
			const kept = tail.subarray(-Math.max(MAX_PAGE_BYTES - chunk.length, 1));
			tail = Buffer.concat([kept, chunk.subarray(-MAX_PAGE_BYTES)]);
		}
		bytes += chunk.length;
		yield chunk;
	}
	const missing = startsWith(head, 'RIFF') ? missingFromWav(head, bytes) : missingFromOgg(tail);
	if (missing === undefined || earlyEnds.includes(bytes)) return;
	throw new VoiceAgentError('cutShort', { detail: missing, retryable: true, endedAtByte: bytes });
}

function startsWith(bytes: Buffer, ascii: string): boolean {
	return bytes.toString('latin1', 0, ascii.length) === ascii;
}

function missingFromWav(head: Buffer, bytes: number): string | undefined {
	if (head.length < RIFF_HEADER_BYTES) return undefined;
	const size = head.readUInt32LE(4);
	// Some writers leave out the byte that makes an odd length even.
	const isWhole = UNKNOWN_SIZES.includes(size) || size + RIFF_HEADER_BYTES <= bytes + 1;
	return isWhole ? undefined : `${bytes} of ${size + RIFF_HEADER_BYTES} bytes arrived`;
}

/** `undefined` if the last page is complete and marked as the last. */
function missingFromOgg(tail: Buffer): string | undefined {
	const start = tail.lastIndexOf('OggS', undefined, 'latin1');
	if (start === -1) return undefined;
	const page = tail.subarray(start);
	const lacing = page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + Number(page[26] ?? 0));
	const length = lacing.reduce((sum, value) => sum + value, PAGE_HEADER_BYTES + lacing.length);
	const isLast = (Number(page[5]) & END_OF_STREAM) !== 0;
	return isLast && page.length >= length ? undefined : 'its last page is missing';
}
