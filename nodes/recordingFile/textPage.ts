/** How pages begin in an encoding that contains ASCII, such as windows-1251. */
const MARKUP = /^\s*<(?:!doctype|html|\?xml|head|body|error)/i;
/** What text does not have. An escape, as for the colors of a terminal, is left out before. */
const CONTROL_CHARACTER = /[^\P{Cc}\s]/u;
const NUL = 0;
const ESCAPE = 0x1b;
/** What is read of a file: enough to tell. */
const HEAD_BYTES = 1024;

/**
 * Whether a file looks like text: HTML, XML, JSON, Base64, hex or words, also in UTF-16.
 *
 * This only chooses the words of an error, for a file that was refused for other reasons.
 *
 * @param head the first bytes, which may end within a character
 */
export function isTextPage(head: Buffer): boolean {
	const start = Buffer.from(head.subarray(0, HEAD_BYTES).filter((byte) => byte !== ESCAPE));
	if (MARKUP.test(start.toString('latin1'))) return true;
	const encoding = encodingOf(start);
	// Without a mark, UTF-16 and UTF-32 have a zero in each character of ASCII.
	const bytes = encoding === 'utf-8' ? start.filter((byte) => byte !== NUL) : start;
	try {
		const text = new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
		return !CONTROL_CHARACTER.test(text);
	} catch {
		return false;
	}
}

/** As the byte order mark says, if a character of ASCII follows on it. */
function encodingOf(bytes: Buffer): string {
	const start = bytes.toString('latin1', 0, 4);
	if (/^\xff\xfe[\x20-\x7e]\0/.test(start)) return 'utf-16le';
	return /^\xfe\xff\0[\x20-\x7e]/.test(start) ? 'utf-16be' : 'utf-8';
}
