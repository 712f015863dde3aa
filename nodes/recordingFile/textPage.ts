/** How pages begin, in any encoding that contains ASCII, such as windows-1251. */
const MARKUP = /^\s*<(?:!doctype|html|\?xml|head|body|error)/i;
/** A control character that does not separate words. Text has none. */
const CONTROL_CHARACTER = /[^\P{Cc}\s]/u;
const NUL = 0;
/** Begins a color of a terminal, so text may have it. */
const ESCAPE = 0x1b;
/** So much of a file is looked at. Random bytes, as of an encrypted recording, break off sooner. */
export const TEXT_HEAD_BYTES = 1024;

/**
 * Whether a file looks like text: HTML, XML, JSON, Base64, hex or words, also in UTF-16.
 *
 * This only chooses the words of an error, for a file that was refused for other reasons.
 *
 * @param head the first bytes, which may end within a character
 */
export function isTextPage(head: Buffer): boolean {
	const start = Buffer.from(head.subarray(0, TEXT_HEAD_BYTES).filter((byte) => byte !== ESCAPE));
	if (MARKUP.test(start.toString('latin1'))) return true;
	const encoding = encodingOf(start);
	// Without a mark, text in UTF-16 or UTF-32 is like ASCII with zeros between its characters.
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
