import { invalid } from '../../../errors';

/** What tells a file from any other. */
export interface FileIdentity {
	/** SHA-256 in lower-case hexadecimal. */
	checksum: string;
	/** In bytes. */
	size: string;
}

/**
 * Reads checksum and size, which archives write in several ways.
 * @throws VoiceAgentError `invalidParameter` if one is missing or cannot be compared
 */
export function parseIdentity(checksum: unknown, size: unknown): FileIdentity {
	return { checksum: parseChecksum(checksum), size: parseSize(size) };
}

/** How the archived file differs from the downloaded one; `undefined` if it is the same. */
export function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	for (const what of ['checksum', 'size'] as const) {
		if (download[what] === archive[what]) continue;
		return `${what} ${download[what]} of the download, ${archive[what]} in the archive`;
	}
	return undefined;
}

/** Archives may put checksums in quotes (ETag) or encode them in Base64. */
function parseChecksum(value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/^"(.*)"$/, '$1') : '';
	if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
	const bytes = Buffer.from(text, 'base64');
	if (bytes.length === 32 && bytes.toString('base64') === text) return bytes.toString('hex');
	throw invalid("'sha256Checksum' of the input item is not a SHA-256 checksum");
}

function parseSize(value: unknown): string {
	const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
	if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
	throw invalid("'size' of the input item is not a number of bytes");
}
