import { formats, hasText, type Verdict } from './formats';

// Multimedia Programming Interface and Data Specifications 1.0 (IBM and Microsoft, 1991), "RIFF"
// and "Waveform Audio File Format". RF64 (EBU Tech 3306) and BW64 (ITU-R BS.2088) are its forms for
// more than 4 GB.

const SIGNATURES = ['RIFF', 'RF64', 'BW64'];
/** Offset of the first chunk: behind the signature, a size, and the type WAVE. */
const FIRST_CHUNK = 12;
/** `ckID` and `ckSize`. */
const CHUNK_HEADER_BYTES = 8;

/** The shortest description of a format: WAVEFORMAT. */
const MIN_FORMAT_BYTES = 14;
/** More than the longest: WAVEFORMATEX, with an extension whose size has 16 bits. */
const MAX_FORMAT_BYTES = 18 + 0x10_000;

/** Writers that cannot go back to a header leave 0 as a size, or one of about 2 GB or more. */
const MIN_PLACEHOLDER = 0x7ff0_0000;

/**
 * A RIFF file of the type WAVE is confirmed by the description of its format, behind any other
 * chunks.
 */
export function recognizeWav(head: Buffer): Verdict {
	const isWave = SIGNATURES.includes(head.toString('latin1', 0, 4)) && hasText(head, 8, 'WAVE');
	if (!isWave) return undefined;
	const format = findChunk(head, 'fmt ');
	const needsBytes = format + CHUNK_HEADER_BYTES;
	if (head.length < needsBytes) return { needsBytes };
	const size = head.readUInt32LE(format + 4);
	return size >= MIN_FORMAT_BYTES && size < MAX_FORMAT_BYTES ? formats.wav : undefined;
}

/**
 * How many bytes a WAV file must have, without what may follow on its audio.
 *
 * @returns `undefined` if its header does not say it: sizes that were never measured prove nothing
 */
export function measuredBytes(head: Buffer): number | undefined {
	const { riffBytes = 0, dataBytes = 0 } = sizesIn(head);
	const data = findChunk(head, 'data');
	const audio = data + CHUNK_HEADER_BYTES;
	// The file cannot be smaller than its audio, nor end where this begins.
	const isAudioSeen = hasText(head, data, 'data');
	const isContradiction = riffBytes > 0 && (riffBytes <= dataBytes || riffBytes <= data);
	if (isAudioSeen && isContradiction) return undefined;
	if (isAudioSeen && dataBytes > 0) return audio + dataBytes;
	return riffBytes > 0 ? CHUNK_HEADER_BYTES + riffBytes : undefined;
}

/**
 * The sizes in a header that are no placeholders: of what is behind RIFF and its size, and of the
 * audio.
 */
function sizesIn(head: Buffer): { riffBytes?: number; dataBytes?: number } {
	// In the forms for large files, the chunk ds64 has both sizes, in 64 bits.
	const large = findChunk(head, 'ds64') + CHUNK_HEADER_BYTES;
	if (!hasText(head, 0, 'RIFF') && large + 16 <= head.length) {
		return {
			riffBytes: Number(head.readBigUInt64LE(large)),
			dataBytes: Number(head.readBigUInt64LE(large + 8)),
		};
	}
	const size = findChunk(head, 'data') + 4;
	return {
		riffBytes: head.length < CHUNK_HEADER_BYTES ? undefined : measured(head.readUInt32LE(4)),
		dataBytes: size + 4 <= head.length ? measured(head.readUInt32LE(size)) : undefined,
	};
}

function measured(size: number): number | undefined {
	return size < MIN_PLACEHOLDER ? size : undefined;
}

/** Where a chunk begins, or where the first one begins that these bytes do not show. */
function findChunk(head: Buffer, name: string): number {
	let at = FIRST_CHUNK;
	while (at + CHUNK_HEADER_BYTES <= head.length && !hasText(head, at, name)) {
		const size = head.readUInt32LE(at + 4);
		// A byte that makes it even is not counted.
		at += CHUNK_HEADER_BYTES + size + (size % 2);
	}
	return at;
}
