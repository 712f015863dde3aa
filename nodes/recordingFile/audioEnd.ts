import { AUDIO_HEAD_BYTES, hasText } from './audioFormat';
import { type Chunks, peek, unpeek } from './chunks';

/** The longest Ogg page (RFC 3533): header, 255 lacing values, 255 segments of 255 bytes. */
const MAX_PAGE_BYTES = 27 + 255 + 255 * 255;
const PAGE_HEADER_BYTES = 27;
/** Flag of the last page of a stream. */
const END_OF_STREAM = 0x04;

/**
 * Passes an audio file on, in constant memory, and checks that it is complete: a WAV file has lengths in its header, and
 * the last page of an Ogg file is marked. In MP3 and WebM, nothing that is looked at here shows it.
 * @param onEarlyEnd called with what is missing, for a message, after the last chunk of a file that is not complete. What
 * it throws ends the iteration. Some recorders leave a wrong length or no mark, so the caller decides.
 */
export async function* untilEndOfAudio(
	source: Chunks,
	onEarlyEnd: (missing: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	const file = await peek(source, AUDIO_HEAD_BYTES);
	// Looked at first: a chunk belongs to the reader once it is yielded.
	const isOgg = hasText(file.head, 0, 'OggS');
	const wavEnd = endOfWav(file.head.subarray(0, AUDIO_HEAD_BYTES)) ?? 0;
	/** The end of an Ogg file. */
	let tail = Buffer.alloc(0);
	let bytes = 0;
	for await (const chunk of unpeek(file)) {
		if (isOgg) tail = Buffer.concat([tail, chunk]).subarray(-MAX_PAGE_BYTES);
		bytes += chunk.length;
		yield chunk;
	}
	if (lacksLastPage(tail)) onEarlyEnd('its last page is missing');
	// The byte that makes a size even may be missing.
	if (bytes < wavEnd - 1) onEarlyEnd(`it has ${bytes} of ${wavEnd} bytes`);
}

/** Whether the last page in these bytes is incomplete, or not marked as the last. */
function lacksLastPage(tail: Buffer): boolean {
	const start = tail.lastIndexOf('OggS', undefined, 'latin1');
	if (start === -1) return false;
	const page = tail.subarray(start);
	const lacing = page.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + Number(page[26] ?? 0));
	const length = lacing.reduce((sum, value) => sum + value, PAGE_HEADER_BYTES + lacing.length);
	const isLast = (Number(page[5]) & END_OF_STREAM) !== 0;
	return !isLast || page.length < length;
}

/** Where the audio of a WAV file must end; the file itself, if the header does not show the audio. */
function endOfWav(head: Buffer): number | undefined {
	if (!hasText(head, 0, 'RIFF')) return undefined;
	let data = 12;
	while (data + 8 <= head.length && !hasText(head, data, 'data')) {
		const size = head.readUInt32LE(data + 4);
		data += 8 + size + (size % 2);
	}
	return endOfChunk(head, data) ?? endOfChunk(head, 0);
}

/** Writers that cannot go back to the header of a chunk leave 0 as its size, or one of about 2 GB or more. */
function endOfChunk(head: Buffer, offset: number): number | undefined {
	if (offset + 8 > head.length) return undefined;
	const size = head.readUInt32LE(offset + 4);
	const isKnown = size > 0 && size < 0x7ff00000;
	return isKnown ? offset + 8 + size : undefined;
}
