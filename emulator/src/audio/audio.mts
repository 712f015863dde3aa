import { createHash } from 'node:crypto';
import type { RecordingFormat } from '../schema.mts';
import { containers, SAMPLE_RATE } from './files.mts';

export interface SyntheticAudio {
	/** True length in seconds. */
	durationSeconds: number;
	/** The file in chunks, made while it is read. */
	chunks: Iterable<Uint8Array>;
}

/** The seed picks this many units for the beginning. Eight make 2^64 different recordings. */
const PICKED_UNITS = 8;

/**
 * Puts the units of a sample into an order of their own for each seed: a few that the seed picks,
 * then all of them, from a place that the seed picks, too.
 */
function unitsFor(seed: string, units: Uint8Array, unitBytes: number): Buffer {
	const hash = createHash('sha256').update(seed).digest();
	const unit = (index: number) => units.subarray(index * unitBytes, (index + 1) * unitBytes);
	const picked = Array.from(hash.subarray(0, PICKED_UNITS), unit);
	const start = (hash.readUInt32LE(PICKED_UNITS) % (units.length / unitBytes)) * unitBytes;
	return Buffer.concat([...picked, units.subarray(start), units.subarray(0, start)]);
}

/**
 * Playable audio of a given length in seconds, or of about a given size in bytes.
 *
 * @param seed any text. The same one gives the same bytes, another one gives others
 */
export function synthesize(
	format: RecordingFormat,
	seed: string,
	extent: { durationSeconds: number } | { sizeBytes: number },
): SyntheticAudio {
	const { sample, unitBytes, file, samplesFor } = containers[format];
	const samples =
		'sizeBytes' in extent
			? samplesFor(extent.sizeBytes)
			: Math.max(1, Math.round(extent.durationSeconds * SAMPLE_RATE));
	const { header, units } = sample();
	return {
		durationSeconds: samples / SAMPLE_RATE,
		chunks: file(header, unitsFor(seed, units, unitBytes), samples),
	};
}

export interface FileType {
	extension: string;
	contentType: string;
}

const plainTypes: Record<RecordingFormat, FileType> = {
	opus: { extension: 'opus', contentType: 'audio/ogg' },
	mp3: { extension: 'mp3', contentType: 'audio/mpeg' },
	wav: { extension: 'wav', contentType: 'audio/wav' },
};

/** Extension and MIME type of a stored file; `.enc` is the specification's, the rest is assumed. */
export function fileType(format: RecordingFormat, encrypted: boolean): FileType {
	return encrypted
		? { extension: 'enc', contentType: 'application/octet-stream' }
		: plainTypes[format];
}
