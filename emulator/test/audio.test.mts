import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { synthesize } from '../src/audio/audio.mts';
import { start } from './helpers.mts';

const run = promisify(execFile);

function has(program: string): boolean {
	try {
		execFileSync(program, ['-version'], { stdio: 'ignore' });
		return true;
	} catch {
		return false;
	}
}

const skip = has('ffprobe') && has('ffmpeg') ? false : 'there is no ffmpeg with ffprobe';
const formats = ['opus', 'mp3', 'wav'] as const;
const codecs = { opus: 'opus', mp3: 'mp3', wav: 'pcm_s16le' };

interface Probe {
	streams: { codec_name: string; channels: number }[];
	format: { format_name: string; duration: string };
}

async function probe(file: string): Promise<Probe> {
	const args = ['-v', 'error', '-show_streams', '-show_format', '-of', 'json', file];
	return JSON.parse((await run('ffprobe', args)).stdout) as Probe;
}

/** Decodes everything: length in seconds, mean volume in dB, and what the decoder reports. */
async function decode(file: string) {
	const args = ['-v', 'info', '-nostats', '-i', file, '-af', 'volumedetect', '-f', 'null', '-'];
	const { stderr } = await run('ffmpeg', args);
	const samples = Number(/n_samples: (\d+)/.exec(stderr)?.[1]);
	const rate = Number(/(\d+) Hz/.exec(stderr)?.[1]);
	return {
		seconds: samples / rate,
		meanDb: Number(/mean_volume: (-?[\d.]+) dB/.exec(stderr)?.[1]),
		complaints: /error|invalid|corrupt|missing/i.exec(stderr)?.[0],
	};
}

for (const format of formats) {
	test(`${format}: ffmpeg plays it for exactly as long as the call`, { skip }, async (t) => {
		const { control } = await start(t);
		// 36 ms is one mp3 frame; the other formats are exact.
		const tolerance = format === 'mp3' ? 0.036 : 0.0001;
		for (const durationSeconds of [0.25, 3.337, 61.5]) {
			const { sessionGuid } = await control.addRecording({ format, durationSeconds });
			const file = await control.storedFile(sessionGuid);
			const { streams, format: container } = await probe(file);
			assert.equal(streams.length, 1);
			assert.equal(streams[0]?.codec_name, codecs[format]);
			assert.equal(streams[0]?.channels, 1);
			assert.equal(container.format_name, { opus: 'ogg', mp3: 'mp3', wav: 'wav' }[format]);
			const { seconds, meanDb, complaints } = await decode(file);
			assert.equal(complaints, undefined);
			assert.ok(Math.abs(seconds - durationSeconds) <= tolerance, `${seconds} s`);
			assert.ok(meanDb > -40, `too quiet: ${meanDb} dB`);
		}
	});
}

test('a synthetic recording has about the size that was ordered', { skip }, async (t) => {
	const { control } = await start(t);
	for (const format of formats) {
		for (const sizeBytes of [20_000, 3_000_000]) {
			const added = await control.addRecording({ format, sizeBytes });
			const file = await control.storedFile(added.sessionGuid);
			const { size } = statSync(file);
			assert.equal(size, added.storedBytes);
			assert.ok(Math.abs(size - sizeBytes) < 4000, `${format}: ${size} of ${sizeBytes}`);
			const [entry] = control.recordings().slice(-1);
			const { seconds, complaints } = await decode(file);
			assert.equal(complaints, undefined);
			assert.ok(Math.abs(seconds - (entry?.durationSeconds ?? 0)) <= 0.036, `${seconds} s`);
		}
	}
});

test('different calls sound different, and the same call always the same', async (t) => {
	const { control } = await start(t);
	const { control: other } = await start(t);
	const hash = async (sessionGuid: string, where = control) =>
		(await where.addRecording({ sessionGuid, durationSeconds: 1 })).plainSha256;
	const first = await hash('a');
	assert.notEqual(await hash('b'), first);
	assert.equal(await hash('a', other), first);
});

test('thousands of calls have different recordings, even of a quarter of a second', () => {
	for (const format of formats) {
		const recordings = Array.from({ length: 2000 }, (_, call) => {
			const { chunks } = synthesize(format, `call-${call}`, { durationSeconds: 0.25 });
			return Buffer.concat([...chunks]).toString('latin1');
		});
		assert.equal(new Set(recordings).size, recordings.length, format);
	}
});
