/** How pages begin that are not UTF-8: in an encoding that contains ASCII, and in UTF-16 with a byte order mark. */
const MARKUP = /^\s*<(?:!doctype|html|\?xml|head|body|error)/i;
const UTF_16 = /^(?:\xff\xfe[\x20-\x7e]\0|\xfe\xff\0[\x20-\x7e])/;
const CONTROL_CHARACTER = /[^\P{Cc}\t\n\r]/u;

/**
 * Whether a file begins like a page of text, in any script, or is empty. An encrypted recording begins with random bytes,
 * which are hardly ever valid text: of 44 bytes, less than one in 10^15.
 *
 * @param head the first bytes, which may end within a character
 */
export function isTextPage(head: Buffer): boolean {
	const latin1 = head.toString('latin1');
	if (MARKUP.test(latin1) || UTF_16.test(latin1)) return true;
	try {
		const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
		return !CONTROL_CHARACTER.test(text);
	} catch {
		return false;
	}
}
