import { createHash } from 'node:crypto';
import { SAMPLE_RATE } from './formats.mts';

const HARMONICS = 6;

/** A small seeded generator (mulberry32), so that the same call always sounds the same. */
function randomSource(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/**
 * Sounds like two people talking on the phone without words: syllables with a pitch, a vowel and
 * pauses between sentences, taking turns, over faint line noise.
 *
 * @param seed any text; another seed is another conversation
 * @param samples length at 16 kHz
 * @returns mono samples in -1..1
 */
export function synthesizeVoice(seed: string, samples: number): Float32Array {
	const random = randomSource(createHash('sha256').update(seed).digest().readInt32LE(0));
	const between = (low: number, high: number) => low + (high - low) * random();
	const speakers = [between(95, 140), between(165, 230)];
	const audio = new Float32Array(samples);
	let position = 0;
	for (let sentence = 0; position < samples; sentence += 1) {
		const basePitch = speakers[sentence % 2] ?? 120;
		for (let left = Math.ceil(between(3, 9)); left > 0 && position < samples; left -= 1) {
			const length = Math.floor(between(0.12, 0.28) * SAMPLE_RATE);
			addSyllable(audio, position, length, {
				pitch: basePitch * between(0.9, 1.15),
				glide: between(-0.12, 0.12),
				vowel: between(350, 900),
			});
			position += length + Math.floor(between(0.01, 0.06) * SAMPLE_RATE);
		}
		position += Math.floor(between(0.2, 0.6) * SAMPLE_RATE);
	}
	for (let index = 0; index < samples; index += 1) {
		audio[index] = (audio[index] ?? 0) + (random() - 0.5) * 0.01;
	}
	return audio;
}

function addSyllable(
	audio: Float32Array,
	start: number,
	length: number,
	{ pitch, glide, vowel }: { pitch: number; glide: number; vowel: number },
): void {
	// Harmonics near the vowel's formant are loud, the others fade.
	const weights = Array.from({ length: HARMONICS }, (_, index) => {
		const distance = ((index + 1) * pitch - vowel) / 300;
		return 0.25 / (1 + distance * distance) + 0.03;
	});
	const end = Math.min(start + length, audio.length);
	let phase = 0;
	for (let index = start; index < end; index += 1) {
		const progress = (index - start) / length;
		phase += (2 * Math.PI * pitch * (1 + glide * progress)) / SAMPLE_RATE;
		let sum = 0;
		for (let harmonic = 0; harmonic < HARMONICS; harmonic += 1) {
			sum += (weights[harmonic] ?? 0) * Math.sin(phase * (harmonic + 1));
		}
		audio[index] = sum * Math.sin(Math.PI * progress);
	}
}
