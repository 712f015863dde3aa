import { AUDIO_HEAD_BYTES, id3Bytes } from './audioFormat';
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
 * Passes an audio file on, in constant memory, and checks that it is complete: WAV and its relatives, WebM and MP4 have
 * lengths in their headers, and the last page of an Ogg file is marked. In other files, such as MP3, nothing shows it.
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
		if (hasName(head, 0, 'OggS')) {
			// Copied: a chunk belongs to the reader once it is yielded.
			const kept = tail.subarray(-Math.max(MAX_PAGE_BYTES - chunk.length, 1));
			tail = Buffer.concat([kept, chunk.subarray(-MAX_PAGE_BYTES)]);
		}
		bytes += chunk.length;
		yield chunk;
	}
	const tagBytes = id3Bytes(head);
	const missing = hasName(head, 0, 'OggS')
		? missingFromOgg(tail)
		: missingBytes(head.subarray(tagBytes), bytes - tagBytes);
	if (missing !== undefined) onEarlyEnd({ bytes, missing });
}

function hasName(bytes: Buffer, offset: number, ...names: string[]): boolean {
	return names.includes(bytes.toString('latin1', offset, offset + 4));
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

function missingBytes(head: Buffer, bytes: number): string | undefined {
	const missing = expectedEnds(head).find(({ end, tolerance = 0 }) => end > bytes + tolerance);
	return missing && `it has ${bytes} of ${missing.end} bytes`;
}

interface ExpectedEnd {
	end: number;
	/** How many bytes may be missing, because writers often count wrongly. */
	tolerance?: number;
}

/** Where a file must end at the earliest, as far as its head shows. */
function expectedEnds(head: Buffer): ExpectedEnd[] {
	if (head.length < 8) return [];
	if (hasName(head, 0, 'RIFF', 'RIFX', 'RF64', 'BW64')) return endsOfWav(head);
	if (hasName(head, 0, 'FORM')) return knownSize(head.readUInt32BE(4), 8);
	if (hasName(head, 0, 'riff') && head.length >= 24) {
		return knownSize(Number(head.readBigUInt64LE(16)), 0);
	}
	if (hasName(head, 0, '.snd') && head.length >= 12) {
		return knownSize(head.readUInt32BE(8), head.readUInt32BE(4));
	}
	if (hasName(head, 4, 'ftyp')) return endsOfMp4(head);
	if (hasName(head, 0, '\x1aE\xdf\xa3')) return endsOfWebM(head);
	return [];
}

/**
 * Writers that cannot go back to the header leave 0 or a size close to the largest one that 31 or 32 bits hold.
 *
 * @returns nothing for such a size
 */
function knownSize(size: number, headerBytes: number, tolerance = 1): ExpectedEnd[] {
	const isPlaceholder =
		size === 0 ||
		!Number.isSafeInteger(size) ||
		[0x7ff, 0x800, 0xfff].includes(Math.floor(size / 2 ** 20));
	return isPlaceholder ? [] : [{ end: headerBytes + size, tolerance }];
}

/** The end of the chunk `data`, if it starts in `head`, and of the whole. The byte that makes a size even may be missing. */
function endsOfWav(head: Buffer): ExpectedEnd[] {
	const read = hasName(head, 0, 'RIFX')
		? (offset: number) => head.readUInt32BE(offset)
		: (offset: number) => head.readUInt32LE(offset);
	/** RF64 and BW64 have the true sizes, of 64 bits, in their first chunk. */
	const size = (offset: number, longOffset: number) =>
		read(offset) === 0xffffffff && hasName(head, 12, 'ds64') && head.length >= longOffset + 8
			? Number(head.readBigUInt64LE(longOffset))
			: read(offset);
	let data = 12;
	while (data + 8 <= head.length && !hasName(head, data, 'data')) {
		data += 8 + read(data + 4) + (read(data + 4) % 2);
	}
	if (data + 8 > head.length) return knownSize(size(4, 20), 8);
	const ofData = knownSize(size(data + 4, 28), data + 8);
	// If all audio is there, the size of the file may be one that counts its own eight bytes.
	return [...ofData, ...knownSize(size(4, 20), 8, ofData.length > 0 ? 8 : 1)];
}

/** The end of the last box whose header is in `head`. Size 0 means up to the end of the file. */
function endsOfMp4(head: Buffer): ExpectedEnd[] {
	let end = 0;
	while (end + 8 <= head.length) {
		const size = head.readUInt32BE(end);
		const isLong = size === 1 && end + 16 <= head.length;
		const bytes = isLong ? Number(head.readBigUInt64BE(end + 8)) : size;
		if (bytes < 8) break;
		end += bytes;
	}
	return [{ end }];
}

/** The end of the segment, which follows the header. A size of ones only is unknown. */
function endsOfWebM(head: Buffer): ExpectedEnd[] {
	const header = ebmlSize(head, 4);
	const segment = header.next + header.size;
	if (!hasName(head, segment, '\x18S\x80g')) return [];
	const { size, next } = ebmlSize(head, segment + 4);
	return Number.isSafeInteger(size) ? [{ end: next + size }] : [];
}

/** A size of EBML (RFC 8794): the zeros before the first one show how many bytes it has. Infinity if it is unknown. */
function ebmlSize(head: Buffer, offset: number): { size: number; next: number } {
	const first = head[offset] ?? 0;
	const length = Math.clz32(first) - 23;
	const next = offset + length;
	const bytes = [first & (0xff >> length), ...head.subarray(offset + 1, next)];
	const size = bytes.reduce((sum, byte) => sum * 256 + byte, 0);
	const isUnknown = size >= 2 ** (7 * length) - 1 || bytes.length < length;
	return { size: isUnknown ? Infinity : size, next };
}
