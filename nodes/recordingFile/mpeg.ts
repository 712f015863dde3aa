import { formats, hasText, type Verdict } from './formats';

/** The longest frame, and the header of the next one. */
export const CONFIRMING_BYTES = 1441 + 4;

/** ID3v2.2 to ID3v2.4: name, version, revision, flags, and a size in four groups of 7 bits. */
const TAG_HEADER_BYTES = 10;
const TAG_VERSIONS = [2, 3, 4];
/** Flag of ID3v2.4: the header is repeated behind the tag. */
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
	if (audio === 0) return isAudio(head, { isTagged: false }) ? formats.mp3 : undefined;
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
	const [version = 0, revision = 0xff, flags = 0xff, ...size] = bytes.subarray(3, TAG_HEADER_BYTES);
	const isTag =
		hasText(bytes, 0, 'ID3') &&
		TAG_VERSIONS.includes(version) &&
		revision !== 0xff &&
		(flags & UNUSED_FLAGS) === 0 &&
		size.length === 4 &&
		size.every((group) => group < 0x80);
	if (!isTag) return 0;
	const length = size.reduce((sum, group) => sum * 0x80 + group, 0);
	return TAG_HEADER_BYTES + length + (flags & HAS_FOOTER ? TAG_HEADER_BYTES : 0);
}

/**
 * Whether MPEG frames begin here. The sync word of a frame has only 11 bits, so 1 in about 17,000
 * random headers passes. So the next header must be where the first one says, and be of the same
 * kind. Of random headers, 1 in about 150,000 is.
 */
export function isAudio(bytes: Buffer, { isTagged } = { isTagged: true }): boolean {
	const length = frameLength(bytes);
	if (length === undefined) return false;
	if (isTagged && bytes.length < length + 4) return true;
	return isSameKind(bytes, bytes.subarray(length));
}

/**
 * Whether two frames have the version, layer and sampling frequency in common. Others may change.
 */
function isSameKind(frame: Buffer, next: Buffer): boolean {
	const kind = 0xfffe0c00;
	return (
		frameLength(next) !== undefined && ((frame.readUInt32BE(0) ^ next.readUInt32BE(0)) & kind) === 0
	);
}

/** This much of the end of a file shows whether its last frame is whole. */
export const MPEG_TAIL_BYTES = 8 * 1024;
/** Fewer may be found in any bytes by chance. */
const FRAMES_IN_A_ROW = 3;

/** ID3v1: its name begins it. */
const ID3V1_BYTES = 128;
/** APEv2: its footer has a name, a version, and a size with the footer but without the header. */
const APE_FOOTER_BYTES = 32;

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

function endTagBytes(tail: Buffer): number {
	const old = hasText(tail, tail.length - ID3V1_BYTES, 'TAG') ? ID3V1_BYTES : 0;
	const footer = tail.length - old - APE_FOOTER_BYTES;
	const isApe = footer >= 0 && hasText(tail, footer, 'APETAGEX');
	return old + (isApe ? tail.readUInt32LE(footer + 12) : 0);
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
function frameLength(bytes: Buffer): number | undefined {
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
