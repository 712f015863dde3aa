/** How pages begin that are not UTF-8: in an encoding that contains ASCII, and in UTF-16 with a byte order mark. */
const MARKUP = /^\s*<(?:!doctype|html|\?xml|head|body|error)/i;
const UTF_16 = /^(?:\xff\xfe[\x20-\x7e]\0|\xfe\xff\0[\x20-\x7e])/;
const CONTROL_CHARACTER = /[^\P{Cc}\s]/u;
/** Terminals have it in their text. */
const ESCAPE = 0x1b;
/** From this length on, less than one in 10^15 random files has none of the 26 bytes that no text contains. */
const LONG_BYTES = 350;
/** What is read of a file: enough to tell, and 16 times less work than the head that a format needs. */
const HEAD_BYTES = 1024;
/** Of 44 random bytes, 9 in 10 are ASCII text once in 10^12 files. */
const MOST_OF_SHORT_TEXT = 0.9;

/**
 * Whether a file begins like a page of text, in any script and encoding, or is empty. An encrypted recording begins with
 * random bytes, which are hardly ever valid text: of 44 bytes, less than one in 10^11.
 * @param head the first bytes, which may end within a character
 */
export function isTextPage(head: Buffer): boolean {
	const bytes = Buffer.from(head.subarray(0, HEAD_BYTES).filter((byte) => byte !== ESCAPE));
	const latin1 = bytes.toString('latin1');
	if (MARKUP.test(latin1) || UTF_16.test(latin1)) return true;
	// UTF-16 and UTF-32 without a mark have a zero in each character of ASCII.
	const text = latin1.replaceAll('\0', '');
	const ascii = text.replace(/[^\s\x20-\x7e]/g, '').length;
	if (text && ascii >= text.length * MOST_OF_SHORT_TEXT) return true;
	if (text.length >= LONG_BYTES && !/[^\P{Cc}\s\x80-\x9f]/u.test(text)) return true;
	try {
		const utf8 = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
		return !CONTROL_CHARACTER.test(utf8);
	} catch {
		return false;
	}
}
