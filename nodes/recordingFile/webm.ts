import { formats, hasText, type Verdict } from './formats';

// WebM is a kind of EBML.

/** The id of the EBML header, which begins a file (RFC 8794, section 11.2.1). */
const EBML = '\x1aE\xdf\xa3';
/** The element DocType (section 11.2.6): its id, its size of 4 bytes, and its value. */
const DOC_TYPE_WEBM = '\x42\x82\x84webm';
/** The header has a few short elements only, in any order. */
const EBML_HEADER_BYTES = 64;

/** EBML is confirmed by the type of document in its header. */
export function recognizeWebm(head: Buffer): Verdict {
	if (!hasText(head, 0, EBML)) return undefined;
	const header = head.subarray(0, EBML_HEADER_BYTES);
	return header.includes(DOC_TYPE_WEBM, 0, 'latin1') ? formats.webm : undefined;
}
