import { invalid, VoiceAgentError } from '../../errors';

/** What an archive and a download say about the same file. */
export interface ArchiveProof {
	downloadChecksum: unknown;
	archiveChecksum: unknown;
	downloadSize: unknown;
	archiveSize: unknown;
}

/**
 * Makes sure that the archived file is the downloaded one: it has the same checksum (MD5 or SHA-256, in hexadecimal or
 * Base64) and the same size.
 *
 * @throws VoiceAgentError `invalidParameter` if a value is missing or cannot be compared, `proofFailed` with both values
 * if they differ
 */
export function requireProof(proof: ArchiveProof): void {
	const checksums = [
		parseChecksum('Checksum of Download', proof.downloadChecksum),
		parseChecksum('Checksum in Archive', proof.archiveChecksum),
	] as const;
	if (checksums[0].length !== checksums[1].length) {
		throw invalid(
			"'Checksum of Download' and 'Checksum in Archive' must both be MD5 or both be SHA-256",
		);
	}
	refuseDifference('checksum', ...checksums);
	refuseDifference(
		'size',
		parseSize('Size of Download (Bytes)', proof.downloadSize),
		parseSize('Size in Archive (Bytes)', proof.archiveSize),
	);
}

/** Of two files that prove each other, the same; `undefined` if nothing can be compared with this file. */
export function proofKey(checksum: unknown, size: unknown): string | undefined {
	try {
		return `${parseChecksum('', checksum)} ${parseSize('', size)}`;
	} catch {
		return undefined;
	}
}

function refuseDifference(what: string, download: string, archive: string): void {
	if (download === archive) return;
	throw new VoiceAgentError('proofFailed', {
		detail: `${what} ${download} of the download, ${archive} in the archive`,
	});
}

/** In lower-case hexadecimal. Archives may put checksums in quotes (ETag) or encode them in Base64 (Content-MD5). */
function parseChecksum(name: string, value: unknown): string {
	const text = typeof value === 'string' ? value.trim().replace(/^"(.*)"$/, '$1') : '';
	if (/^(?:[0-9a-f]{32}|[0-9a-f]{64})$/i.test(text)) return text.toLowerCase();
	const bytes = Buffer.from(text, 'base64');
	if ([16, 32].includes(bytes.length) && bytes.toString('base64') === text) {
		return bytes.toString('hex');
	}
	throw invalid(`'${name}' is not an MD5 or SHA-256 checksum`);
}

function parseSize(name: string, value: unknown): string {
	const text = typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
	if (/^\d+$/.test(text)) return text.replace(/^0+(?=\d)/, '');
	throw invalid(`'${name}' is not a number of bytes`);
}
