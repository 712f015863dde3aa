import { type FileFormat, formats, hasText, type Verdict } from './formats';

// RFC 3533, section 6: a page is a header, a table of lacing values, and as many segments, each of
// so many bytes as its lacing value says.

/** `capture_pattern`, and `stream_structure_version` 0. */
const PAGE = 'OggS\0';
/** Offset of `header_type_flag`, the flag in it that marks the last page, and all its flags. */
const FLAGS = 5;
const END_OF_STREAM = 0x04;
const ALL_FLAGS = 0x07;
/** Offset of `number_page_segments`, the last byte of the header. */
const SEGMENT_COUNT = 26;
const PAGE_HEADER_BYTES = SEGMENT_COUNT + 1;

/** The longest page: 255 lacing values, 255 segments of 255 bytes. */
export const MAX_PAGE_BYTES = PAGE_HEADER_BYTES + 255 + 255 * 255;

/** How the first packet of a stream begins. */
const CODECS: ReadonlyArray<readonly [identification: string, format: FileFormat]> = [
	// RFC 7845, section 5.1
	['OpusHead', formats.opus],
	// Vorbis I specification, section 4.2.1
	['\x01vorbis', formats.ogg],
	// The Speex Codec Manual, "Ogg file format"
	['Speex   ', formats.ogg],
	// RFC 9639, section 10.1
	['\x7fFLAC', formats.ogg],
];

/** A page is confirmed by the codec that its packet names, or by the page that follows on it. */
export function recognizeOgg(head: Buffer): Verdict {
	if (!isPageAt(head, 0)) return undefined;
	const packet = PAGE_HEADER_BYTES + Number(head[SEGMENT_COUNT]);
	const codec = CODECS.find(([identification]) => hasText(head, packet, identification));
	if (codec) return codec[1];
	const next = pageLength(head);
	const needsBytes = next + PAGE_HEADER_BYTES;
	if (head.length < needsBytes) return { needsBytes };
	return isPageAt(head, next) ? formats.ogg : undefined;
}

/**
 * Whether a page is in the last bytes of a file, and the last one is whole, and marked as the last.
 */
export function hasLastPage(tail: Buffer): boolean {
	const start = tail.lastIndexOf('OggS', undefined, 'latin1');
	if (start === -1) return false;
	const page = tail.subarray(start);
	const isLast = (Number(page[FLAGS]) & END_OF_STREAM) !== 0;
	return isLast && page.length >= pageLength(page);
}

function isPageAt(bytes: Buffer, offset: number): boolean {
	return hasText(bytes, offset, PAGE) && Number(bytes[offset + FLAGS]) <= ALL_FLAGS;
}

/** The length of a page in bytes. If its table is cut, the lacing values that are there count. */
function pageLength(page: Buffer): number {
	const segments = page[SEGMENT_COUNT] ?? 0;
	const tableEnd = PAGE_HEADER_BYTES + segments;
	let length = tableEnd;
	for (const lacingValue of page.subarray(PAGE_HEADER_BYTES, tableEnd)) length += lacingValue;
	return length;
}
