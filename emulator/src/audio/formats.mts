import type { RecordingFormat } from '../schema.mts';

/** Audio is mono at 16 kHz in every format: wideband telephony. */
export const SAMPLE_RATE = 16_000;

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
