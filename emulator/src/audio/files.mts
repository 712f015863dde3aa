import { readFileSync } from 'node:fs';
import type { RecordingFormat } from '../schema.mts';

/*
 * Makes recordings from the sample files. Each sample consists of units of one size, which a player
 * takes in any order: frames (mp3), packets (opus) or stretches of PCM (wav). A recording that is
 * longer than its units repeats them.
 */

/** Audio is mono at 16 kHz in every format: wideband telephony. */
export const SAMPLE_RATE = 16_000;

/** A sample file, taken apart. It has at least 256 units, all different. */
interface Sample {
	/** What a file begins with. */
	header: Buffer;
	/** Its units, end to end. */
	units: Buffer;
}

interface Container {
	/** Reads the sample file the first time. */
	sample(): Sample;
	unitBytes: number;
	/**
	 * The file, in chunks.
	 *
	 * @param header of the sample
	 * @param units end to end
	 * @param samples length of the audio at 16 kHz
	 */
	file(header: Buffer, units: Buffer, samples: number): Generator<Uint8Array>;
	/** Samples that make a file of about `bytes` bytes, at least one. */
	samplesFor(bytes: number): number;
}

/** About the size of a chunk. */
const CHUNK_BYTES = 256 * 1024;

/** Reads a sample file when it is needed first, since most emulators start without recordings. */
function sampleFile(name: string, takeApart: (file: Buffer) => Sample): () => Sample {
	let sample: Sample | undefined;
	return () => {
		sample ??= takeApart(readFileSync(new URL(`./samples/${name}`, import.meta.url)));
		return sample;
	};
}

/** Yields `total` bytes of `units`, end to end, as often as needed. */
function* repeat(units: Uint8Array, total: number): Generator<Uint8Array> {
	// Short units are repeated first, so that chunks are never tiny.
	const copies = Math.max(1, Math.ceil(Math.min(CHUNK_BYTES, total) / units.length));
	const block = Buffer.alloc(units.length * copies, units);
	for (let left = total; left > 0; left -= block.length) {
		yield left < block.length ? block.subarray(0, left) : block;
	}
}

/* ── wav: 16-bit PCM after a RIFF header of 44 bytes ───────────────────────────────────────── */

const WAV_HEADER_BYTES = 44;

function* wavFile(header: Buffer, units: Buffer, samples: number): Generator<Uint8Array> {
	const dataBytes = samples * 2;
	const measured = Buffer.from(header);
	measured.writeUInt32LE(WAV_HEADER_BYTES - 8 + dataBytes, 4); // after this field of the RIFF chunk
	measured.writeUInt32LE(dataBytes, 40); // in the data chunk
	yield measured;
	yield* repeat(units, dataBytes);
}

const wav: Container = {
	sample: sampleFile('sample.wav', (file) => ({
		header: file.subarray(0, WAV_HEADER_BYTES),
		units: file.subarray(WAV_HEADER_BYTES),
	})),
	unitBytes: 320, // 10 ms
	file: wavFile,
	samplesFor: (bytes) => Math.max(1, Math.floor((bytes - WAV_HEADER_BYTES) / 2)),
};

/* ── mp3: bare frames of 32 kbit/s (MPEG-2 Layer III) ───────────────────────────────────────── */

const MP3_FRAME_SAMPLES = 576; // 36 ms
const MP3_FRAME_BYTES = 144; // 32,000 bit/s for 36 ms
/** Players recognize the format by a few frames in a row, so the shortest mp3 has 0.1 s. */
const MIN_MP3_FRAMES = 3;

function* mp3File(_header: Buffer, units: Buffer, samples: number): Generator<Uint8Array> {
	// Whole frames only, so the length is exact to half a frame, 18 ms.
	const frames = Math.max(MIN_MP3_FRAMES, Math.round(samples / MP3_FRAME_SAMPLES));
	yield* repeat(units, frames * MP3_FRAME_BYTES);
}

const mp3: Container = {
	sample: sampleFile('sample.mp3', (file) => ({ header: Buffer.alloc(0), units: file })),
	unitBytes: MP3_FRAME_BYTES,
	file: mp3File,
	samplesFor: (bytes) =>
		Math.max(MIN_MP3_FRAMES, Math.floor(bytes / MP3_FRAME_BYTES)) * MP3_FRAME_SAMPLES,
};

/* ── opus: packets of 24 kbit/s (RFC 7845) in Ogg (RFC 3533) ────────────────────────────────── */

const OPUS_FRAME_SAMPLES = 320; // 20 ms
const OPUS_PACKET_BYTES = 60; // 24,000 bit/s for 20 ms
/** Ogg's granule positions count 48 kHz samples whatever the input rate (RFC 7845, section 4). */
const GRANULES_PER_SAMPLE = 48_000 / SAMPLE_RATE;
/** Samples the decoder drops at the start: libopus' look-ahead of 6.5 ms, as the sample says. */
const PRE_SKIP_SAMPLES = 104;
const PACKETS_PER_PAGE = 50;
/** Before the lacing values, which are one byte for each packet here. */
const OGG_HEADER_BYTES = 27;
const OPUS_PAGE_BYTES = OGG_HEADER_BYTES + PACKETS_PER_PAGE * (1 + OPUS_PACKET_BYTES);
const LAST_PAGE = 4;

/** The first two pages have the headers, and all others the packets. */
function takeOpusApart(file: Buffer): Sample {
	const pages: { start: number; body: Buffer }[] = [];
	for (let start = 0; start < file.length; ) {
		const lacingAt = start + OGG_HEADER_BYTES;
		const bodyAt = lacingAt + file.readUInt8(lacingAt - 1);
		const bodyBytes = file.subarray(lacingAt, bodyAt).reduce((sum, bytes) => sum + bytes, 0);
		pages.push({ start, body: file.subarray(bodyAt, bodyAt + bodyBytes) });
		start = bodyAt + bodyBytes;
	}
	const audio = pages.slice(2);
	return {
		header: file.subarray(0, audio[0]?.start),
		units: Buffer.concat(audio.map(({ body }) => body)),
	};
}

/** CRC of RFC 3533: polynomial 0x04c11db7, not reflected, so zlib's crc32 does not fit. */
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, index) => {
	let crc = index << 24;
	for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
	return crc >>> 0;
});

function oggCrc(page: Uint8Array): number {
	let crc = 0;
	for (const byte of page) crc = (crc << 8) ^ (CRC_TABLE[(crc >>> 24) ^ byte] ?? 0);
	return crc >>> 0;
}

function oggPage(
	packets: Uint8Array,
	{ isLast, granule, sequence }: { isLast: boolean; granule: number; sequence: number },
): Buffer {
	const count = packets.length / OPUS_PACKET_BYTES;
	const header = Buffer.alloc(OGG_HEADER_BYTES);
	header.write('OggS', 0, 'latin1');
	header.writeUInt8(isLast ? LAST_PAGE : 0, 5);
	header.writeBigInt64LE(BigInt(granule), 6);
	header.writeUInt32LE(1, 14); // serial number of the stream, as in the sample
	header.writeUInt32LE(sequence, 18);
	header.writeUInt8(count, 26);
	const page = Buffer.concat([header, Buffer.alloc(count, OPUS_PACKET_BYTES), packets]);
	page.writeUInt32LE(oggCrc(page), 22);
	return page;
}

function* opusFile(header: Buffer, units: Buffer, samples: number): Generator<Uint8Array> {
	yield header;
	const packetCount = Math.ceil((samples + PRE_SKIP_SAMPLES) / OPUS_FRAME_SAMPLES);
	// Twice, so that the packets of a page lie end to end wherever they begin.
	const loop = Buffer.concat([units, units]);
	let pages: Buffer[] = [];
	for (let first = 0, sequence = 2; first < packetCount; sequence += 1) {
		const next = Math.min(first + PACKETS_PER_PAGE, packetCount);
		const start = (first * OPUS_PACKET_BYTES) % units.length;
		const packets = loop.subarray(start, start + (next - first) * OPUS_PACKET_BYTES);
		const isLast = next === packetCount;
		// The last granule trims the padding of the last packet: the length is exact to a sample.
		const end = isLast ? samples + PRE_SKIP_SAMPLES : next * OPUS_FRAME_SAMPLES;
		pages.push(oggPage(packets, { isLast, granule: end * GRANULES_PER_SAMPLE, sequence }));
		if (isLast || pages.length * OPUS_PAGE_BYTES >= CHUNK_BYTES) {
			yield Buffer.concat(pages);
			pages = [];
		}
		first = next;
	}
}

const opus: Container = {
	sample: sampleFile('sample.opus', takeOpusApart),
	unitBytes: OPUS_PACKET_BYTES,
	file: opusFile,
	samplesFor: (bytes) =>
		Math.max(1, Math.floor(bytes / OPUS_PAGE_BYTES)) * PACKETS_PER_PAGE * OPUS_FRAME_SAMPLES,
};

export const containers: Record<RecordingFormat, Container> = { wav, mp3, opus };
