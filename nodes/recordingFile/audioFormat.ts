import { type Chunks, peek, type Peeked, unpeek } from './chunks';
import type { FileFormat, Verdict } from './formats';
import { recognizeMpeg } from './mpeg';
import { recognizeOgg } from './ogg';
import { recognizeWav } from './wav';
import { recognizeWebm } from './webm';

/**
 * This many bytes tell audio from anything else, unless a tag or another chunk is before the audio.
 */
export const AUDIO_HEAD_BYTES = 16 * 1024;

/** This many are read to find the audio behind a tag, such as one with a picture. */
export const MAX_HEAD_BYTES = 1024 * 1024;

/**
 * Recognizes audio by its first bytes: by the signature of a format, and by a second landmark where
 * this format has it. Neither a name nor a type is asked.
 *
 * An encrypted recording begins with random bytes. If they passed for audio, it would never be
 * decrypted. The chance is 1 in 2.5 billion for MP3 frames, and less than 1 in 100 billion for each
 * of the others.
 *
 * @param head as many of the first bytes as are read
 */
export function recognizeAudio(head: Buffer): FileFormat | undefined {
	const verdict = verdictOf(head, true);
	return verdict && 'format' in verdict ? verdict : undefined;
}

/** The beginning of a file, and the format that it shows. */
export interface PeekedAudio extends Peeked {
	/** `undefined` for anything but audio. */
	format: FileFormat | undefined;
}

/**
 * Reads as much of a file as its format needs to be recognized, up to 1 MiB, without losing it.
 * Whatever `source` throws passes through.
 */
export async function peekAudio(source: Chunks): Promise<PeekedAudio> {
	let peeked = await peek(source, AUDIO_HEAD_BYTES);
	let asked = AUDIO_HEAD_BYTES;
	for (;;) {
		const { head } = peeked;
		const verdict = verdictOf(head, head.length < asked || asked >= MAX_HEAD_BYTES);
		const isOpen = verdict && 'needsBytes' in verdict && verdict.needsBytes <= MAX_HEAD_BYTES;
		if (!isOpen || head.length < asked) return { ...peeked, format: recognizeAudio(head) };
		// At least twice as many, so that a row of small chunks is not read again and again.
		asked = Math.min(Math.max(verdict.needsBytes, 2 * head.length), MAX_HEAD_BYTES);
		peeked = await peek(unpeek(peeked), asked);
	}
}

/** @param isAll whether nothing more can be read */
function verdictOf(read: Buffer, isAll: boolean): Verdict {
	// Not by more, just because it has arrived.
	const head = read.subarray(0, MAX_HEAD_BYTES);
	return (
		recognizeOgg(head) ?? recognizeWav(head) ?? recognizeWebm(head) ?? recognizeMpeg(head, isAll)
	);
}
