/** What a file is, in the terms that users know. */
export interface FileFormat {
	/**
	 * `opus`, `mp3` and `wav` as in recordCallFormat; `ogg` is an Ogg file with another codec
	 * inside, `webm` any WebM file.
	 */
	format: string;
	/** Extension without the dot. */
	extension: string;
	mimeType: string;
}

/** Every kind of audio that is recognized. */
export const formats = {
	opus: { format: 'opus', extension: 'opus', mimeType: 'audio/ogg' },
	ogg: { format: 'ogg', extension: 'ogg', mimeType: 'audio/ogg' },
	mp3: { format: 'mp3', extension: 'mp3', mimeType: 'audio/mpeg' },
	wav: { format: 'wav', extension: 'wav', mimeType: 'audio/wav' },
	webm: { format: 'webm', extension: 'webm', mimeType: 'audio/webm' },
} as const satisfies Record<string, FileFormat>;

const mimeType = 'application/octet-stream';
/** A file that is taken for an encrypted recording, because it is not recognized. */
export const encryptedFormat: FileFormat = { format: 'enc', extension: 'enc', mimeType };
/** A file of an unknown kind that is not encrypted. */
export const unknownFormat: FileFormat = { format: 'unknown', extension: 'bin', mimeType };

/**
 * What the first bytes of a file show of one format: that it has it, that so many bytes have to be
 * read to tell, or `undefined`, that it does not have it.
 */
export type Verdict = FileFormat | { needsBytes: number } | undefined;

/** Whether these bytes, in Latin-1, are at this offset. */
export function hasText(bytes: Buffer, offset: number, text: string): boolean {
	return bytes.toString('latin1', offset, offset + text.length) === text;
}

/** The last `count` bytes of a file, in memory of their own, when `chunk` follows on `before`. */
export function lastBytes(before: Buffer, chunk: Uint8Array, count: number): Buffer {
	if (chunk.length >= count) return Buffer.from(chunk.subarray(chunk.length - count));
	return Buffer.concat([before.subarray(Math.max(0, before.length + chunk.length - count)), chunk]);
}
