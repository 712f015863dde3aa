/** What a file is, in the terms of its users. */
export interface FileFormat {
	/** `opus`, `mp3` and `wav` as in recordCallFormat; `ogg` is an Ogg file with another codec inside. */
	format: string;
	/** Extension without the dot. */
	extension: string;
	mimeType: string;
}

const formats = {
	opus: { format: 'opus', extension: 'opus', mimeType: 'audio/ogg' },
	ogg: { format: 'ogg', extension: 'ogg', mimeType: 'audio/ogg' },
	mp3: { format: 'mp3', extension: 'mp3', mimeType: 'audio/mpeg' },
	wav: { format: 'wav', extension: 'wav', mimeType: 'audio/wav' },
	enc: { format: 'enc', extension: 'enc', mimeType: 'application/octet-stream' },
} as const satisfies Record<string, FileFormat>;

/** A recording that is still encrypted. */
export const encryptedFormat: FileFormat = formats.enc;

/** A file that nothing is known of. */
export const unknownFormat: FileFormat = {
	format: 'unknown',
	extension: 'bin',
	mimeType: 'application/octet-stream',
};

/**
 * As many bytes as are needed to tell audio from noise: an MPEG frame has at most 1,441 bytes, and
 * the header of the next one confirms it.
 */
export const AUDIO_HEAD_BYTES = 2048;

/** Recognises opus, mp3 and wav by their first bytes; `undefined` for anything else. */
export function recogniseAudio(head: Buffer): FileFormat | undefined {
	if (startsWith(head, 'OggS')) {
		// The identification header of Opus follows the page header of 27 bytes and one lacing value (RFC 7845).
		return startsWith(head.subarray(28), 'OpusHead') ? formats.opus : formats.ogg;
	}
	if (startsWith(head, 'RIFF') || startsWith(head, 'RF64')) {
		return startsWith(head.subarray(8), 'WAVE') ? formats.wav : undefined;
	}
	if (startsWith(head, 'ID3') || startsWithMp3Frames(head)) return formats.mp3;
	return undefined;
}

/** The format that an extension stands for, whatever the bytes say; `known` gives the MIME type of other extensions. */
export function formatOfExtension(extension: string, known: FileFormat): FileFormat {
	if (Object.hasOwn(formats, extension)) return formats[extension as keyof typeof formats];
	return { format: extension, extension, mimeType: known.mimeType };
}

function startsWith(bytes: Buffer, ascii: string): boolean {
	return bytes.subarray(0, ascii.length).equals(Buffer.from(ascii, 'latin1'));
}

/**
 * The sync word of an MPEG frame has only 11 bits, so one header in about 17,000 random ones passes. The next header
 * must therefore stand where the first one says, unless the file ends before it.
 */
function startsWithMp3Frames(head: Buffer): boolean {
	const length = mp3FrameLength(head);
	if (length === undefined) return false;
	const next = head.subarray(length);
	return next.length < 4 || mp3FrameLength(next) !== undefined;
}

// ISO/IEC 11172-3 and 13818-3, Layer III: kbit/s by bitrate index, Hz by sampling frequency index.
const MPEG1_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const SAMPLE_RATES: Record<number, readonly number[]> = {
	0: [11025, 12000, 8000], // MPEG 2.5
	2: [22050, 24000, 16000], // MPEG 2
	3: [44100, 48000, 32000], // MPEG 1
};

/** Length in bytes of the MPEG Layer III frame that begins here; `undefined` where none begins. */
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
