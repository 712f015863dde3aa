import { randomBytes } from 'node:crypto';

/** Bytes that start like a WAV file; the shortest ones only as far as they go. */
export function wav(bytes: number): Buffer {
	const content = randomBytes(bytes);
	Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0').copy(content);
	return content;
}

/** Bytes that start like an Ogg file with Opus in it. */
export function opus(bytes: number): Buffer {
	const content = randomBytes(bytes);
	Buffer.from('OggS\0\x02').copy(content);
	// One packet, behind the header of its page.
	content.writeUInt8(1, 26);
	Buffer.from('OpusHead').copy(content, 28);
	return content;
}

/** Two MPEG frames (64 kbit/s, 16 kHz) and noise. */
export function mp3(bytes: number): Buffer {
	const content = randomBytes(bytes);
	const frameLength = (72_000 * 64) / 16_000;
	for (const start of [0, frameLength]) content.writeUInt32BE(0xfff38800, start);
	return content;
}
