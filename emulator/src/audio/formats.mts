import type { RecordingFormat } from '../schema.mts';

/** Audio is mono at 16 kHz in every format: wideband telephony. */
export const SAMPLE_RATE = 16_000;

/** Samples in one frame of each encoder, at {@link SAMPLE_RATE}. */
export const OPUS_FRAME_SAMPLES = 320; // 20 ms
export const MP3_FRAME_SAMPLES = 576; // MPEG-2 Layer III, 36 ms

/** Constant bit rates, so that size and length follow from each other by arithmetic. */
export const OPUS_BITS_PER_SECOND = 24_000;
export const MP3_KILOBITS_PER_SECOND = 32;
export const OPUS_PACKET_BYTES = 60; // 24,000 bit/s for 20 ms
export const MP3_FRAME_BYTES = 144; // 32,000 bit/s for 36 ms

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
