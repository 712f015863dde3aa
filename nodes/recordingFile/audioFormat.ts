/** What a file is, in the terms that users know. */
export interface FileFormat {
	/**
	 * `opus`, `mp3` and `wav` as in recordCallFormat; `ogg` is an Ogg file with another codec inside. Otherwise the container:
	 * what is inside it may be Opus too.
	 */
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
	w64: { format: 'w64', extension: 'w64', mimeType: 'audio/x-w64' },
	webm: { format: 'webm', extension: 'webm', mimeType: 'audio/webm' },
	mka: { format: 'mka', extension: 'mka', mimeType: 'audio/matroska' },
	m4a: { format: 'm4a', extension: 'm4a', mimeType: 'audio/mp4' },
	mp4: { format: 'mp4', extension: 'mp4', mimeType: 'audio/mp4' },
	caf: { format: 'caf', extension: 'caf', mimeType: 'audio/x-caf' },
	flac: { format: 'flac', extension: 'flac', mimeType: 'audio/flac' },
	aac: { format: 'aac', extension: 'aac', mimeType: 'audio/aac' },
	aiff: { format: 'aiff', extension: 'aiff', mimeType: 'audio/aiff' },
	au: { format: 'au', extension: 'au', mimeType: 'audio/basic' },
	'3gp': { format: '3gp', extension: '3gp', mimeType: 'audio/3gpp' },
	amr: { format: 'amr', extension: 'amr', mimeType: 'audio/amr' },
	awb: { format: 'awb', extension: 'awb', mimeType: 'audio/amr-wb' },
	enc: { format: 'enc', extension: 'enc', mimeType: 'application/octet-stream' },
} as const satisfies Record<string, FileFormat>;

/** A recording that is still encrypted. */
export const encryptedFormat: FileFormat = formats.enc;

/** A file of an unknown kind. */
export const unknownFormat: FileFormat = {
	format: 'unknown',
	extension: 'bin',
	mimeType: 'application/octet-stream',
};

/** Every extension that a decrypted file can get by its format. */
export const decryptedExtensions: readonly string[] = [...Object.values(formats), unknownFormat]
	.map(({ extension }) => extension)
	.filter((extension) => extension !== encryptedFormat.extension);

/** What a file begins with, in Latin-1, by its offset. The first line that fits counts. */
const SIGNATURES: ReadonlyArray<readonly [FileFormat, Record<number, string>]> = [
	// The identification header of Opus follows the page header of 27 bytes and one lacing value (RFC 7845).
	[formats.opus, { 0: 'OggS', 28: 'OpusHead' }],
	[formats.ogg, { 0: 'OggS' }],
	[formats.wav, { 0: 'RIFF', 8: 'WAVE' }],
	[formats.wav, { 0: 'RIFX', 8: 'WAVE' }],
	[formats.wav, { 0: 'RF64', 8: 'WAVE' }],
	[formats.wav, { 0: 'BW64', 8: 'WAVE' }],
	[formats.w64, { 0: 'riff\x2e\x91\xcf\x11' }],
	[formats.aiff, { 0: 'FORM', 8: 'AIF' }],
	[formats.au, { 0: '.snd' }],
	[formats.webm, { 0: '\x1aE\xdf\xa3' }],
	[formats.m4a, { 4: 'ftypM4' }],
	[formats['3gp'], { 4: 'ftyp3gp' }],
	[formats.mp4, { 4: 'ftyp' }],
	[formats.caf, { 0: 'caff\0\x01' }],
	[formats.flac, { 0: 'fLaC' }],
	[formats.amr, { 0: '#!AMR\n' }],
	[formats.awb, { 0: '#!AMR-WB\n' }],
];
/** How the header of a Matroska file names its kind; in a WebM file it says `webm`. */
const MATROSKA = '\x42\x82\x88matroska';

/**
 * This many bytes are enough to tell audio from noise, behind a tag or padding of the usual size. An MPEG frame has at
 * most 1,441 bytes, and the header of the next one confirms it.
 */
export const AUDIO_HEAD_BYTES = 16 * 1024;

/**
 * Recognizes audio by its first bytes, after a tag or padding that some writers put before it; `undefined` for anything
 * else.
 *
 * An encrypted recording begins with random bytes. If they passed for audio, it would never be decrypted. The chance is 1
 * in 2 billion for MP3 frames, and about 1 in a billion for all other formats together.
 */
export function recognizeAudio(head: Buffer): FileFormat | undefined {
	const tagBytes = id3Bytes(head);
	const audio = head.subarray(tagBytes);
	const padding = audio.findIndex((byte) => byte !== 0);
	return (
		bySignature(audio) ??
		(padding >= 0 ? byFrames(audio.subarray(padding)) : undefined) ??
		(tagBytes > 0 ? formats.mp3 : undefined)
	);
}

function bySignature(head: Buffer): FileFormat | undefined {
	const [format] =
		SIGNATURES.find(([, texts]) =>
			Object.entries(texts).every(([offset, text]) =>
				startsWith(head.subarray(Number(offset)), text),
			),
		) ?? [];
	const isMatroska =
		format === formats.webm && head.subarray(0, 64).includes(MATROSKA, 0, 'latin1');
	return isMatroska ? formats.mka : format;
}

function byFrames(head: Buffer): FileFormat | undefined {
	if (startsWithMp3Frames(head)) return formats.mp3;
	return startsWithAdtsFrames(head) ? formats.aac : undefined;
}

/** The format that an extension stands for, whatever the bytes show. Unknown extensions get the MIME type of `known`. */
export function formatOfExtension(extension: string, known: FileFormat): FileFormat {
	if (Object.hasOwn(formats, extension)) return formats[extension as keyof typeof formats];
	return { format: extension, extension, mimeType: known.mimeType };
}

const ID3_HEADER_BYTES = 10;

function startsWith(bytes: Buffer, ascii: string): boolean {
	return bytes.subarray(0, ascii.length).equals(Buffer.from(ascii, 'latin1'));
}

/** Length of the ID3v2 tags at the start, which may be more than `head` has; 0 if there are none. */
export function id3Bytes(head: Buffer): number {
	let bytes = 0;
	while (startsWithId3(head.subarray(bytes))) {
		const [flags = 0, ...size] = head.subarray(bytes + 5, bytes + 10);
		const footer = flags & 0x10 ? ID3_HEADER_BYTES : 0;
		bytes += ID3_HEADER_BYTES + size.reduce((sum, byte) => sum * 128 + byte, 0) + footer;
	}
	return bytes;
}

/** An ID3v2 header: version 2 to 4, a revision, flags in the upper half of a byte, a size in four groups of 7 bits. */
function startsWithId3(head: Buffer): boolean {
	const [version = 0, revision = 0xff, flags = 0xff] = head.subarray(3);
	const size = head.subarray(6, 10);
	return (
		startsWith(head, 'ID3') &&
		version >= 2 &&
		version <= 4 &&
		revision !== 0xff &&
		(flags & 0x0f) === 0 &&
		size.length === 4 &&
		size.every((byte) => byte < 0x80)
	);
}

/**
 * The sync word of an MPEG frame has only 11 bits, so 1 in about 17,000 random headers passes. So the next header must be
 * where the first one says, unless the file ends before it, and be of the same kind. Of random headers, 1 in about 150,000
 * is.
 */
function startsWithMp3Frames(head: Buffer): boolean {
	const length = mp3FrameLength(head);
	if (length === undefined) return false;
	const next = head.subarray(length);
	if (next.length < 4) return true;
	// Version, layer and sampling frequency stay the same within a file; bitrate, padding and the rest may change.
	const kind = 0xfffe0c00;
	const isSameKind = ((head.readUInt32BE(0) ^ next.readUInt32BE(0)) & kind) === 0;
	return isSameKind && mp3FrameLength(next) !== undefined;
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

/**
 * AAC frames with ADTS headers (ISO/IEC 13818-7): 12 bits of sync word, layer 0. The next header must be where the first
 * one says, and have the same first 28 bits.
 */
function startsWithAdtsFrames(head: Buffer): boolean {
	if (head.length < 6 || (head.readUInt16BE(0) & 0xfff6) !== 0xfff0) return false;
	const length = (head.readUIntBE(3, 3) >>> 5) & 0x1fff;
	const next = head.subarray(length);
	return (
		next.length >= 4 && length >= 7 && (head.readUInt32BE(0) ^ next.readUInt32BE(0)) >>> 4 === 0
	);
}
