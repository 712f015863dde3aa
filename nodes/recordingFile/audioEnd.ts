import type { Chunks } from './chunks';
import { VoiceAgentError } from '../errors';

/** The longest Ogg page (RFC 3533): header, 255 lacing values, 255 segments of 255 bytes. */
const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
const PAGE_HEADER_BYTES = 27;
/** Flag of the last page of a stream. */
const END_OF_STREAM = 0x04;

const RIFF_HEADER_BYTES = 8;
/** What writers that cannot go back leave as the size. */
const UNKNOWN_SIZES = [0, 0xffffffff];

/**
 * Passes an audio file on and looks at its end: a WAV file tells its length, and the last page of an Ogg file is marked.
 * MP3 tells nothing. In constant memory.
 *
 * Some recorders leave the length or the mark wrong. A connection is hardly ever cut at the same byte twice, so a file that
 * ends where it has ended before is taken as it is.
 *
 * @param ends lengths at which the file has seemed to end early; kept by the caller from one attempt to the next
 * @throws VoiceAgentError `cutShort` at the end of the iteration, to be tried again. Whatever `source` throws passes
 * through.
 */
export async function* untilEndOfAudio(
	source: Chunks,
	ends: Set<number>,
): AsyncGenerator<Uint8Array, void, undefined> {
	let head = Buffer.alloc(0);
	let tail = Buffer.alloc(0);
	let bytes = 0;
	for await (const chunk of source) {
		if (head.length < RIFF_HEADER_BYTES) {
			head = Buffer.concat([head, chunk.subarray(0, RIFF_HEADER_BYTES - head.length)]);
		}
		if (startsWith(head, 'OggS')) {
			// Copied: once handed out, the piece is no longer ours.
			const kept = tail.subarray(-Math.max(MAX_PAGE_BYTES - chunk.length, 1));
			tail = Buffer.concat([kept, chunk.subarray(-MAX_PAGE_BYTES)]);
		}
		bytes += chunk.length;
		yield chunk;
	}
	const missing = startsWith(head, 'RIFF') ? missingFromWav(head, bytes) : missingFromOgg(tail);
	if (missing === undefined || ends.has(bytes)) return;
	ends.add(bytes);
	throw new VoiceAgentError('cutShort', { detail: missing, retryable: true });
}

function startsWith(bytes: Buffer, ascii: string): boolean {
	return bytes.toString('latin1', 0, ascii.length) === ascii;
}

function missingFromWav(head: Buffer, bytes: number): string | undefined {
	if (head.length < RIFF_HEADER_BYTES) return undefined;
	const size = head.readUInt32LE(4);
	// Some leave out the byte that makes an odd length even.
	const isWhole = UNKNOWN_SIZES.includes(size) || size + RIFF_HEADER_BYTES <= bytes + 1;
	return isWhole ? undefined : `${bytes} of ${size + RIFF_HEADER_BYTES} bytes arrived`;
}

/** Whether the last page is all there, and marked as the last. */
function missingFromOgg(tail: Buffer): string | undefined {
	const start = tail.lastIndexOf('OggS', undefined, 'latin1');
	if (start === -1) return undefined;
	const page = tail.subarray(start);
	const lacing = page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + Number(page[26] ?? 0));
	const length = lacing.reduce((sum, value) => sum + value, PAGE_HEADER_BYTES + lacing.length);
	const isLast = (Number(page[5]) & END_OF_STREAM) !== 0;
	return isLast && page.length >= length ? undefined : 'its last page is missing';
}
