import { parentPort } from 'node:worker_threads';
import { Application, createEncoder, Signal } from 'libopus-wasm';
import { createMp3Encoder } from 'wasm-media-encoders';
import type { RecordingFormat } from '../schema.mts';
import {
	MP3_FRAME_BYTES,
	MP3_KILOBITS_PER_SECOND,
	OPUS_BITS_PER_SECOND,
	OPUS_FRAME_SAMPLES,
	OPUS_PACKET_BYTES,
	SAMPLE_RATE,
} from './formats.mts';
import { synthesizeVoice } from './voice.mts';

/*
 * Runs in a worker thread, so that encoding never delays a reply of the service. Turns a seed into
 * encoded units of equal size: packets (opus), frames (mp3) or samples (wav), end to end.
 */

export interface EncodeJob {
	id: number;
	format: RecordingFormat;
	seed: string;
	/** Length of the audio at 16 kHz. */
	samples: number;
}

export type EncodeResult =
	| { id: number; units: Uint8Array<ArrayBuffer> }
	| { id: number; error: string };

async function encodeOpus(audio: Float32Array): Promise<Uint8Array<ArrayBuffer>> {
	const encoder = await createEncoder({
		sampleRate: SAMPLE_RATE,
		channels: 1,
		application: Application.Voip,
		signal: Signal.Voice,
		bitrate: OPUS_BITS_PER_SECOND,
		complexity: 5,
		vbr: false,
	});
	try {
		const frames = Math.ceil(audio.length / OPUS_FRAME_SAMPLES);
		const units = new Uint8Array(frames * OPUS_PACKET_BYTES);
		const frame = new Float32Array(OPUS_FRAME_SAMPLES);
		for (let index = 0; index < frames; index += 1) {
			const part = audio.subarray(index * OPUS_FRAME_SAMPLES, (index + 1) * OPUS_FRAME_SAMPLES);
			frame.fill(0);
			frame.set(part);
			const packet = encoder.encodeFloat(frame);
			if (packet.length !== OPUS_PACKET_BYTES) {
				throw new Error(`opus packet of ${packet.length} bytes instead of ${OPUS_PACKET_BYTES}`);
			}
			units.set(packet, index * OPUS_PACKET_BYTES);
		}
		return units;
	} finally {
		encoder.free();
	}
}

async function encodeMp3(audio: Float32Array): Promise<Uint8Array<ArrayBuffer>> {
	const encoder = await createMp3Encoder();
	encoder.configure({ sampleRate: SAMPLE_RATE, channels: 1, bitrate: MP3_KILOBITS_PER_SECOND });
	// The encoder reuses its output buffer, hence the copies.
	const parts: Buffer[] = [];
	for (let start = 0; start < audio.length; start += SAMPLE_RATE) {
		parts.push(Buffer.from(encoder.encode([audio.subarray(start, start + SAMPLE_RATE)])));
	}
	parts.push(Buffer.from(encoder.finalize()));
	const units = new Uint8Array(Buffer.concat(parts));
	if (units.length % MP3_FRAME_BYTES !== 0) throw new Error('mp3 frames of unequal size');
	return units;
}

function encodePcm(audio: Float32Array): Uint8Array<ArrayBuffer> {
	const view = new DataView(new ArrayBuffer(audio.length * 2));
	audio.forEach((sample, index) => {
		const clipped = Math.max(-1, Math.min(1, sample));
		view.setInt16(index * 2, Math.round(clipped * 32_767), true);
	});
	return new Uint8Array(view.buffer);
}

parentPort?.on('message', async ({ id, format, seed, samples }: EncodeJob) => {
	let result: EncodeResult;
	try {
		const audio = synthesizeVoice(seed, samples);
		const encode = { opus: encodeOpus, mp3: encodeMp3, wav: encodePcm }[format];
		result = { id, units: await encode(audio) };
	} catch (error) {
		result = { id, error: String(error) };
	}
	parentPort?.postMessage(result, 'units' in result ? [result.units.buffer] : []);
});
