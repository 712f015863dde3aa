import { formats, hasText, type Verdict } from './formats';

/**
 * How EBML (RFC 8794) begins, the format below WebM, and the element of its header that says WebM.
 */
const EBML = '\x1aE\xdf\xa3';
const EBML_HEADER_BYTES = 64;
const DOC_TYPE_WEBM = '\x42\x82\x84webm';

/** EBML is confirmed by the type of document in its header. */
export function recognizeWebm(head: Buffer): Verdict {
	if (!hasText(head, 0, EBML)) return undefined;
	const header = head.subarray(0, EBML_HEADER_BYTES);
	return header.includes(DOC_TYPE_WEBM, 0, 'latin1') ? formats.webm : undefined;
}
