import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RecordingFormat } from '../schema.mts';
import { containers } from './containers.mts';
import type { EncodeJob, EncodeResult } from './encodeWorker.mts';
import { SAMPLE_RATE } from './formats.mts';

/** Audio beyond this length repeats its beginning, in seconds. */
const UNIQUE_SECONDS = 30;

export interface SyntheticAudio {
	/** True length in seconds. */
	durationSeconds: number;
	/** The file in chunks, made while it is read. */
	chunks: AsyncIterable<Uint8Array>;
}

export interface AudioSource {
	/**
	 * Playable audio of a given length in seconds, or of about a given size in bytes.
	 * @param seed any text; another seed sounds different
	 */
	synthesize(
		format: RecordingFormat,
		seed: string,
		extent: { durationSeconds: number } | { sizeBytes: number },
	): SyntheticAudio;
	close(): Promise<void>;
}

/** Makes audio. The encoders run in one worker thread that starts with the first recording. */
export function createAudioSource(): AudioSource {
	const waiting = new Map<number, PromiseWithResolvers<Uint8Array>>();
	let worker: Worker | undefined;
	let lastId = 0;

	function failAll(error: Error) {
		for (const { reject } of waiting.values()) reject(error);
		waiting.clear();
		worker = undefined;
	}

	function startWorker(): Worker {
		const started = new Worker(
			new URL(`./encodeWorker${extname(import.meta.url)}`, import.meta.url),
		);
		started.on('message', (result: EncodeResult) => {
			const job = waiting.get(result.id);
			waiting.delete(result.id);
			if ('units' in result) job?.resolve(result.units);
			else job?.reject(new Error(`audio encoder: ${result.error}`));
			// An idle worker must not keep the process alive, a busy one must.
			if (waiting.size === 0) started.unref();
		});
		started.on('error', failAll);
		started.on('exit', () => failAll(new Error('audio encoder stopped')));
		return started;
	}

	function encode(format: RecordingFormat, seed: string, samples: number): Promise<Uint8Array> {
		worker ??= startWorker();
		const job: EncodeJob = { id: (lastId += 1), format, seed, samples };
		const result = Promise.withResolvers<Uint8Array>();
		waiting.set(job.id, result);
		worker.ref();
		worker.postMessage(job);
		return result.promise;
	}

	/** The last units that were encoded, for a recording that is made again for each download. */
	let last: { key: string; units: Promise<Uint8Array> } | undefined;

	async function* chunks(format: RecordingFormat, seed: string, samples: number) {
		const unique = Math.min(samples, UNIQUE_SECONDS * SAMPLE_RATE);
		const key = [format, unique, seed].join();
		if (last?.key !== key) last = { key, units: encode(format, seed, unique) };
		const { units } = last;
		try {
			yield* containers[format].file(await units, samples);
		} catch (error) {
			last = undefined;
			throw error;
		}
	}

	return {
		synthesize(format, seed, extent) {
			const samples =
				'sizeBytes' in extent
					? containers[format].samplesFor(extent.sizeBytes)
					: Math.max(1, Math.round(extent.durationSeconds * SAMPLE_RATE));
			return { durationSeconds: samples / SAMPLE_RATE, chunks: chunks(format, seed, samples) };
		},
		async close() {
			await worker?.terminate();
		},
	};
}
