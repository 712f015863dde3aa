import type { RecordingFormat } from '../schema.mts';
import {
	MP3_FRAME_BYTES,
	MP3_FRAME_SAMPLES,
	OPUS_FRAME_SAMPLES,
	OPUS_PACKET_BYTES,
	SAMPLE_RATE,
} from './formats.mts';

/*
 * Turns encoded units into files. A recording longer than its units repeats them, so any length
 * costs the same encoding time and memory.
 */

/** About the size of a chunk. */
const CHUNK_BYTES = 256 * 1024;

/** Yields `total` bytes of `units`, end to end, as often as needed. */
function* repeat(units: Uint8Array, total: number): Generator<Uint8Array> {
	// Short units are repeated first, so that chunks are never tiny.
	const copies = Math.max(1, Math.ceil(Math.min(CHUNK_BYTES, total) / units.length));
	const block = Buffer.alloc(units.length * copies);
	for (let copy = 0; copy < copies; copy += 1) block.set(units, copy * units.length);
	for (let left = total; left > 0; left -= block.length) {
		yield left < block.length ? block.subarray(0, left) : block;
	}
}

/* ── wav: 16-bit PCM after the 44-byte RIFF header ─────────────────────────────────────────── */

const WAV_HEADER_BYTES = 44;

function* wavFile(units: Uint8Array, samples: number): Generator<Uint8Array> {
	const dataBytes = samples * 2;
	const header = Buffer.alloc(WAV_HEADER_BYTES);
	header.write('RIFF', 0, 'latin1');
	header.writeUInt32LE(36 + dataBytes, 4);
	header.write('WAVEfmt ', 8, 'latin1');
	header.writeUInt32LE(16, 16); // length of the fmt chunk
	header.writeUInt16LE(1, 20); // PCM
	header.writeUInt16LE(1, 22); // channels
	header.writeUInt32LE(SAMPLE_RATE, 24);
	header.writeUInt32LE(SAMPLE_RATE * 2, 28); // bytes per second
	header.writeUInt16LE(2, 32); // bytes per sample
	header.writeUInt16LE(16, 34); // bits per sample
	header.write('data', 36, 'latin1');
	header.writeUInt32LE(dataBytes, 40);
	yield header;
	yield* repeat(units, dataBytes);
}

/* ── mp3: bare frames of a constant bit rate ────────────────────────────────────────────────── */

/** Players recognize the format by a few frames in a row, so the shortest mp3 has 0.1 s. */
const MIN_MP3_FRAMES = 3;

function* mp3File(units: Uint8Array, samples: number): Generator<Uint8Array> {
	// Whole frames only, so the length is exact to half a frame, 18 ms.
	const frames = Math.max(MIN_MP3_FRAMES, Math.round(samples / MP3_FRAME_SAMPLES));
	yield* repeat(units, frames * MP3_FRAME_BYTES);
}

/* ── opus: RFC 7845 in Ogg (RFC 3533) ───────────────────────────────────────────────────────── */

/** Ogg's granule positions count 48 kHz samples whatever the input rate (RFC 7845, section 4). */
const GRANULES_PER_SAMPLE = 48_000 / SAMPLE_RATE;
/** Samples the decoder drops at the start: libopus' look-ahead of 6.5 ms at 16 kHz. */
const PRE_SKIP_SAMPLES = 104;
const PACKETS_PER_PAGE = 50;
const OGG_HEADER_BYTES = 27;
const OPUS_PAGE_BYTES = OGG_HEADER_BYTES + PACKETS_PER_PAGE * (1 + OPUS_PACKET_BYTES);
const FIRST_PAGE = 2;
const LAST_PAGE = 4;

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
	packets: readonly Uint8Array[],
	{ flags, granule, sequence }: { flags: number; granule: number; sequence: number },
): Buffer {
	const header = Buffer.alloc(OGG_HEADER_BYTES);
	header.write('OggS', 0, 'latin1');
	header.writeUInt8(flags, 5);
	header.writeBigInt64LE(BigInt(granule), 6);
	header.writeUInt32LE(1, 14); // stream serial number
	header.writeUInt32LE(sequence, 18);
	header.writeUInt8(packets.length, 26);
	// Every packet here is shorter than 255 bytes, so each takes one lacing value.
	const page = Buffer.concat([header, Uint8Array.from(packets, (p) => p.length), ...packets]);
	page.writeUInt32LE(oggCrc(page), 22);
	return page;
}

function opusHead(): Buffer {
	const head = Buffer.alloc(19);
	head.write('OpusHead', 0, 'latin1');
	head.writeUInt8(1, 8); // version
	head.writeUInt8(1, 9); // channels
	head.writeUInt16LE(PRE_SKIP_SAMPLES * GRANULES_PER_SAMPLE, 10);
	head.writeUInt32LE(SAMPLE_RATE, 12);
	return head;
}

function opusTags(): Buffer {
	const vendor = Buffer.from('voiceagent-emulator', 'latin1');
	const tags = Buffer.alloc(8 + 4 + vendor.length + 4);
	tags.write('OpusTags', 0, 'latin1');
	tags.writeUInt32LE(vendor.length, 8);
	tags.set(vendor, 12);
	return tags;
}

function* opusFile(units: Uint8Array, samples: number): Generator<Uint8Array> {
	yield oggPage([opusHead()], { flags: FIRST_PAGE, granule: 0, sequence: 0 });
	yield oggPage([opusTags()], { flags: 0, granule: 0, sequence: 1 });
	const unitCount = units.length / OPUS_PACKET_BYTES;
	const packetCount = Math.ceil((samples + PRE_SKIP_SAMPLES) / OPUS_FRAME_SAMPLES);
	let pages: Buffer[] = [];
	for (let first = 0, sequence = 2; first < packetCount; sequence += 1) {
		const next = Math.min(first + PACKETS_PER_PAGE, packetCount);
		const packets: Uint8Array[] = [];
		for (let index = first; index < next; index += 1) {
			const offset = (index % unitCount) * OPUS_PACKET_BYTES;
			packets.push(units.subarray(offset, offset + OPUS_PACKET_BYTES));
		}
		const isLast = next === packetCount;
		// The last granule trims the padding of the last packet: the length is exact to a sample.
		const end = isLast ? samples + PRE_SKIP_SAMPLES : next * OPUS_FRAME_SAMPLES;
		pages.push(
			oggPage(packets, {
				flags: isLast ? LAST_PAGE : 0,
				granule: end * GRANULES_PER_SAMPLE,
				sequence,
			}),
		);
		if (isLast || pages.length * OPUS_PAGE_BYTES >= CHUNK_BYTES) {
			yield Buffer.concat(pages);
			pages = [];
		}
		first = next;
	}
}

/* ── all of them ────────────────────────────────────────────────────────────────────────────── */

interface Container {
	/**
	 * The file, in chunks.
	 * @param units encoded units end to end, at least one
	 * @param samples length of the audio at 16 kHz
	 */
	file(units: Uint8Array, samples: number): Generator<Uint8Array>;
	/** Samples that make a file of about `bytes` bytes, at least one. */
	samplesFor(bytes: number): number;
}

export const containers: Record<RecordingFormat, Container> = {
	wav: {
		file: wavFile,
		samplesFor: (bytes) => Math.max(1, Math.floor((bytes - WAV_HEADER_BYTES) / 2)),
	},
	mp3: {
		file: mp3File,
		samplesFor: (bytes) =>
			Math.max(MIN_MP3_FRAMES, Math.floor(bytes / MP3_FRAME_BYTES)) * MP3_FRAME_SAMPLES,
	},
	opus: {
		file: opusFile,
		samplesFor: (bytes) =>
			Math.max(1, Math.floor(bytes / OPUS_PAGE_BYTES)) * PACKETS_PER_PAGE * OPUS_FRAME_SAMPLES,
	},
};
