import { formats, hasText, type Verdict } from './formats';

/** The header of a frame: ISO/IEC 11172-3, 2.4.1.3. */
const FRAME_HEADER_BYTES = 4;
/** The longest frame, of 320 kbit/s at 32,000 Hz and padded, and the header of the next one. */
export const CONFIRMING_BYTES = 1441 + FRAME_HEADER_BYTES;

// ID3v2.2 to ID3v2.4, "ID3v2 header" (3.1): "ID3", version, revision, flags, and a size in four
// groups of 7 bits.
const TAG_HEADER_BYTES = 10;
const TAG_VERSION = 3;
const TAG_REVISION = 4;
const TAG_FLAGS = 5;
const TAG_SIZE = 6;
const TAG_VERSIONS = [2, 3, 4];
/** Flag of ID3v2.4 (3.4): the header is repeated behind the tag. */
const HAS_FOOTER = 0x10;
const UNUSED_FLAGS = 0x0f;

/**
 * MPEG Layer III audio. Its first frame is confirmed by the header of the next one, where the first
 * one says it is; behind a tag, where even a single frame may follow, also by the end of the file.
 *
 * @param isAll whether nothing more can be read. A tag that does not end in these bytes is then
 * taken for one of MP3: its end has to show that audio is behind it
 */
export function recognizeMpeg(head: Buffer, isAll: boolean): Verdict {
	const audio = audioOffset(head);
	if (audio === 0) return isConfirmedAudio(head) ? formats.mp3 : undefined;
	const needsBytes = audio + CONFIRMING_BYTES;
	if (!isAll && head.length < needsBytes) return { needsBytes };
	const isOutOfSight = head.length <= audio;
	return isOutOfSight || isAudio(head.subarray(audio)) ? formats.mp3 : undefined;
}

/** Where the audio of an MP3 file begins: behind its tags. That may be behind these bytes. */
export function audioOffset(head: Buffer): number {
	let offset = 0;
	for (;;) {
		const bytes = tagLength(head.subarray(offset));
		if (bytes === 0) return offset;
		offset += bytes;
		// Some programs do not count the room that they leave.
		while (head[offset] === 0) offset++;
	}
}

/** Length of the ID3v2 tag that begins here; 0 if none does. */
function tagLength(bytes: Buffer): number {
	if (bytes.length < TAG_HEADER_BYTES || !hasText(bytes, 0, 'ID3')) return 0;
	const flags = bytes.readUInt8(TAG_FLAGS);
	const isKnown =
		TAG_VERSIONS.includes(bytes.readUInt8(TAG_VERSION)) &&
		bytes.readUInt8(TAG_REVISION) !== 0xff &&
		(flags & UNUSED_FLAGS) === 0;
	const groups = bytes.subarray(TAG_SIZE, TAG_HEADER_BYTES);
	if (!isKnown || groups.some((group) => group >= 0x80)) return 0;
	let length = TAG_HEADER_BYTES;
	length += groups.reduce((size, group) => size * 0x80 + group, 0);
	if (flags & HAS_FOOTER) length += TAG_HEADER_BYTES;
	return length;
}

/**
 * Whether MPEG frames begin here, and a second one confirms the first. The sync word of a frame has
 * only 11 bits, so 1 in about 17,000 random headers passes. So the next header must be where the
 * first one says, and be of the same kind. Of random headers, 1 in about 150,000 is.
 */
function isConfirmedAudio(bytes: Buffer): boolean {
	const length = frameLength(bytes);
	return length !== undefined && isSameKind(bytes, bytes.subarray(length));
}

/**
 * Whether MPEG frames begin here, behind a tag: where the bytes end before the next header, a
 * single frame is enough.
 */
export function isAudio(bytes: Buffer): boolean {
	const length = frameLength(bytes);
	if (length === undefined) return false;
	const isNextSeen = bytes.length >= length + FRAME_HEADER_BYTES;
	return !isNextSeen || isConfirmedAudio(bytes);
}

/** Sync word, version, layer and sampling frequency. What else a header says may change. */
const KIND_BITS = 0xfffe0c00;

/** Whether a frame begins at `next` that may follow on the first one. */
function isSameKind(frame: Buffer, next: Buffer): boolean {
	if (frameLength(next) === undefined) return false;
	const differences = frame.readUInt32BE(0) ^ next.readUInt32BE(0);
	return (differences & KIND_BITS) === 0;
}

/** This much of the end of a file shows whether its last frame is whole. */
export const MPEG_TAIL_BYTES = 8 * 1024;
/** Fewer may be found in any bytes by chance. */
const FRAMES_IN_A_ROW = 3;

/** ID3v1: it begins with "TAG". */
const ID3V1_BYTES = 128;
/** APEv2: its footer begins with "APETAGEX" and a version. */
const APE_FOOTER_BYTES = 32;
/** Offset of the size in that footer: of all items and the footer, without a header. */
const APE_SIZE = 12;

/** Whether the last bytes of a file end with a whole frame, or with one and tags behind it. */
export function endsWithFrame(tail: Buffer): boolean {
	const end = tail.subarray(0, Math.max(0, tail.length - endTagBytes(tail)));
	for (let start = 0; start < end.length; start++) {
		const { frames, isWhole } = framesFrom(end.subarray(start));
		if (frames >= FRAMES_IN_A_ROW) return isWhole;
	}
	return false;
}

/** How many frames follow on each other here, and whether the last one ends with these bytes. */
function framesFrom(bytes: Buffer): { frames: number; isWhole: boolean } {
	let rest = bytes;
	let frames = 0;
	for (;;) {
		const length = frameLength(rest);
		const isNext = length !== undefined && isSameKind(bytes, rest);
		if (!isNext || length > rest.length) return { frames, isWhole: rest.length === 0 };
		rest = rest.subarray(length);
		frames++;
	}
}

/** How many of the last bytes are tags: APEv2, ID3v1, or one before the other. */
function endTagBytes(tail: Buffer): number {
	const old = hasText(tail, tail.length - ID3V1_BYTES, 'TAG') ? ID3V1_BYTES : 0;
	const footer = tail.length - old - APE_FOOTER_BYTES;
	const isApe = footer >= 0 && hasText(tail, footer, 'APETAGEX');
	return old + (isApe ? tail.readUInt32LE(footer + APE_SIZE) : 0);
}

// ISO/IEC 11172-3 (MPEG 1) and 13818-3 (MPEG 2), 2.4.2.3, Layer III. MPEG 2.5 is an extension of
// them that encoders agree on.

/** By `bitrate_index`, beginning with 1. 0 is for any other bitrate, and is not used. */
const MPEG1_KBITS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const MPEG2_KBITS = [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
/** In Hz, by the version, then by `sampling_frequency`. */
const SAMPLE_RATES: Record<number, readonly number[]> = {
	0: [11025, 12000, 8000], // MPEG 2.5
	2: [22050, 24000, 16000], // MPEG 2
	3: [44100, 48000, 32000], // MPEG 1
};
const MPEG1 = 3;
const LAYER_3 = 0b01;

/** Length in bytes of the MPEG Layer III frame that begins here; `undefined` if none does. */
function frameLength(bytes: Buffer): number | undefined {
	if (bytes.length < FRAME_HEADER_BYTES) return undefined;
	const header = bytes.readUInt32BE(0);
	const isSynchronous = header >>> 21 === 0x7ff;
	const version = (header >>> 19) & 0b11;
	const layer = (header >>> 17) & 0b11;
	if (!isSynchronous || layer !== LAYER_3) return undefined;
	const kbitsByIndex = version === MPEG1 ? MPEG1_KBITS : MPEG2_KBITS;
	const kbits = kbitsByIndex[((header >>> 12) & 0b1111) - 1];
	const sampleRate = SAMPLE_RATES[version]?.[(header >>> 10) & 0b11];
	if (kbits === undefined || sampleRate === undefined) return undefined;
	const padding = (header >>> 9) & 1;
	// A frame has 1,152 samples, in MPEG 2 half of that: 144 or 72 bytes for each kbit/s and kHz.
	const factor = version === MPEG1 ? 144_000 : 72_000;
	return Math.floor((factor * kbits) / sampleRate) + padding;
}
