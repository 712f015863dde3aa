/** What a file is, in the terms that users know. */
export interface FileFormat {
	/** `opus`, `mp3` and `wav` as in recordCallFormat; `ogg` is an Ogg file with another codec inside, `webm` any WebM file. */
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
 * This many bytes are enough to tell audio from noise. An MPEG frame has at most 1,441 bytes, and the header of the next
 * one confirms it.
 */
export const AUDIO_HEAD_BYTES = 16 * 1024;

/** How EBML (RFC 8794), the format below WebM, begins, and the element in its header that says WebM. */
const EBML = '\x1aE\xdf\xa3';
const EBML_HEADER_BYTES = 64;
const WEBM = '\x42\x82\x84webm';

/**
 * Recognizes audio by its first bytes; `undefined` for anything else.
 *
 * An encrypted recording begins with random bytes. If they passed for audio, it would never be decrypted. The chance is 1
 * in 2 billion for MP3 frames, and less than 1 in 4 billion for each of the others.
 */
export function recognizeAudio(head: Buffer): FileFormat | undefined {
	if (hasText(head, 0, 'OggS')) {
		// The identification header of Opus follows the page header of 27 bytes and one lacing value (RFC 7845).
		return hasText(head, 28, 'OpusHead') ? formats.opus : formats.ogg;
	}
	if (hasText(head, 0, 'RIFF') && hasText(head, 8, 'WAVE')) return formats.wav;
	if (hasText(head, 0, EBML)) {
		const header = head.subarray(0, EBML_HEADER_BYTES);
		return header.includes(WEBM, 0, 'latin1') ? formats.webm : undefined;
	}
	return startsWithId3(head) || startsWithMp3Frames(head) ? formats.mp3 : undefined;
}

/** Whether these bytes, in Latin-1, are at this offset. */
export function hasText(bytes: Buffer, offset: number, text: string): boolean {
	return bytes.toString('latin1', offset, offset + text.length) === text;
}

/** An ID3v2 header: version 2 to 4, a revision, flags, a size in four groups of 7 bits. */
function startsWithId3(head: Buffer): boolean {
	const [version = 0] = head.subarray(3);
	const size = head.subarray(6, 10);
	const isSize = size.length === 4 && size.every((byte) => byte < 0x80);
	return hasText(head, 0, 'ID3') && version >= 2 && version <= 4 && isSize;
}

/**
 * The sync word of an MPEG frame has only 11 bits, so 1 in about 17,000 random headers passes. So the next header must be
 * where the first one says, and be of the same kind. Of random headers, 1 in about 150,000 is.
 */
function startsWithMp3Frames(head: Buffer): boolean {
	const length = mp3FrameLength(head);
	if (length === undefined) return false;
	const next = head.subarray(length);
	if (mp3FrameLength(next) === undefined) return false;
	// Version, layer and sampling frequency stay the same within a file; bitrate, padding and the rest may change.
	const kind = 0xfffe0c00;
	return ((head.readUInt32BE(0) ^ next.readUInt32BE(0)) & kind) === 0;
}

// ISO/IEC 11172-3 and 13818-3, Layer III: kbit/s by bitrate index, Hz by sampling frequency index.
const MPEG1_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES: Record<number, readonly number[]> = {
	0: [11025, 12000, 8000], // MPEG 2.5
	2: [22050, 24000, 16000], // MPEG 2
	3: [44100, 48000, 32000], // MPEG 1
};

/** Length in bytes of the MPEG Layer III frame that begins here; `undefined` if none does. */
function mp3FrameLength(bytes: Buffer): number | undefined {
	if (bytes.length < 4) return undefined;
	const header = bytes.readUInt32BE(0);
	if (header >>> 21 !== 0x7ff) return undefined;
	const version = (header >>> 19) & 0b11;
	const isLayer3 = ((header >>> 17) & 0b11) === 0b01;
	const kbits = (version === 3 ? MPEG1_KBITS : MPEG2_KBITS)[((header >>> 12) & 0b1111) - 1];
	const sampleRate = SAMPLE_RATES[version]?.[(header >>> 10) & 0b11];
	if (!isLayer3 || kbits === undefined || sampleRate === undefined) return undefined;
	const bytesPerFrame = version === 3 ? 144_000 : 72_000;
	return Math.floor((bytesPerFrame * kbits) / sampleRate) + ((header >>> 9) & 1);
}
