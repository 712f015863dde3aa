import { type FileFormat, formats, hasText, type Verdict } from './formats';

/** A page (RFC 3533): header, its last byte the number of lacing values, these, segments. */
const PAGE_HEADER_BYTES = 27;
const FLAGS = 5;
const END_OF_STREAM = 0x04;
const ALL_FLAGS = 0x07;
/** The name, and version 0. */
const PAGE = 'OggS\0';

/** The longest page: 255 lacing values, 255 segments of 255 bytes. */
export const MAX_PAGE_BYTES = PAGE_HEADER_BYTES + 255 + 255 * 255;

/** How the first packet of a stream begins. */
const CODECS: ReadonlyArray<readonly [identification: string, format: FileFormat]> = [
	// RFC 7845
	['OpusHead', formats.opus],
	// Vorbis I specification
	['\x01vorbis', formats.ogg],
	// Speex manual
	['Speex   ', formats.ogg],
	// Ogg encapsulation of FLAC
	['\x7fFLAC', formats.ogg],
];

/** A page is confirmed by the codec that its packet names, or by the page that follows on it. */
export function recognizeOgg(head: Buffer): Verdict {
	if (!isPageAt(head, 0)) return undefined;
	const packet = PAGE_HEADER_BYTES + Number(head[PAGE_HEADER_BYTES - 1]);
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

/** As the lacing values say that are there. */
function pageLength(page: Buffer): number {
	const end = PAGE_HEADER_BYTES + Number(page[PAGE_HEADER_BYTES - 1] ?? 0);
	const lacing = page.subarray(PAGE_HEADER_BYTES, end);
	return lacing.reduce((sum, value) => sum + value, end);
}
