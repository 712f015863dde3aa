import { MAX_HEAD_BYTES, type PeekedAudio } from './audioFormat';
import { unpeek } from './chunks';
import { lastBytes } from './formats';
import { audioOffset, CONFIRMING_BYTES, endsWithFrame, isAudio, MPEG_TAIL_BYTES } from './mpeg';
import { hasLastPage, MAX_PAGE_BYTES } from './ogg';
import { measuredBytes } from './wav';

/**
 * What a file shows when it has ended.
 *
 * - `whole`: that it is complete
 * - `open`: nothing, as in WebM, and in a WAV file whose writer could not measure it
 * - `doubtful`: that it may be cut, as an MP3 file without a whole frame at its end
 * - `missing`: what is missing, for a message
 */
export type EndOfAudio = 'whole' | 'open' | 'doubtful' | { missing: string };

/** Looks at a file while it passes. */
interface Watcher {
	/** Looks at a chunk. Its memory belongs to the reader afterward. */
	pass(chunk: Uint8Array): void;
	/** What the file shows when it has passed. */
	end(): EndOfAudio;
}

/** For formats whose end shows nothing. */
const openWatcher: Watcher = { pass: () => undefined, end: () => 'open' };

/**
 * Passes an audio file on, in constant memory, and finds out whether it shows that it is complete:
 * a WAV file has lengths in its header, and the last page of an Ogg file is marked.
 *
 * @param onEnd called after the last chunk. What it throws ends the iteration. Some recorders leave
 * a wrong length or no mark, so the caller decides
 */
export async function* untilEndOfAudio(
	file: PeekedAudio,
	onEnd: (end: EndOfAudio) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
	const watcher = watcherOf(file);
	for await (const chunk of unpeek(file)) {
		// Looked at first: a chunk belongs to the reader once it is yielded.
		watcher.pass(chunk);
		yield chunk;
	}
	onEnd(watcher.end());
}

function watcherOf({ head: peeked, format }: PeekedAudio): Watcher {
	// The format was recognized by these bytes. More may have been read.
	const head = peeked.subarray(0, MAX_HEAD_BYTES);
	switch (format?.format) {
		case 'opus':
		case 'ogg':
			return oggWatcher();
		case 'wav':
			return wavWatcher(measuredBytes(head));
		case 'mp3':
			return mpegWatcher(audioOffset(head), head.length);
		default:
			return openWatcher;
	}
}

/** RFC 3533, section 6: the last page of a stream is marked. */
function oggWatcher(): Watcher {
	let tail: Buffer = Buffer.alloc(0);
	return {
		pass(chunk) {
			tail = lastBytes(tail, chunk, MAX_PAGE_BYTES);
		},
		end() {
			return hasLastPage(tail) ? 'whole' : { missing: 'its last page is missing' };
		},
	};
}

/** @param expected how many bytes the header says that the file has; `undefined` if it does not */
function wavWatcher(expected: number | undefined): Watcher {
	let bytes = 0;
	return {
		pass(chunk) {
			bytes += chunk.length;
		},
		end() {
			if (expected === undefined) return 'open';
			// Some writers leave out the last byte, which only makes the size of a chunk even.
			if (bytes >= expected - 1) return 'whole';
			return { missing: `it has ${bytes} of ${expected} bytes` };
		},
	};
}

/**
 * Notes the first bytes of the audio and the last bytes of the file. The first bytes matter if a
 * tag is so long that they are behind what was read to recognize the format.
 *
 * @param audioStart where the audio begins behind a tag, in bytes
 * @param seenBytes in how many bytes the audio was looked for when the format was recognized
 */
function mpegWatcher(audioStart: number, seenBytes: number): Watcher {
	let tail: Buffer = Buffer.alloc(0);
	let bytes = 0;
	let firstAudio: Buffer = Buffer.alloc(0);
	return {
		pass(chunk) {
			const stillWanted = CONFIRMING_BYTES - firstAudio.length;
			const from = Math.max(0, audioStart + firstAudio.length - bytes);
			const wanted = chunk.subarray(from, from + stillWanted);
			if (wanted.length > 0) firstAudio = Buffer.concat([firstAudio, wanted]);
			tail = lastBytes(tail, chunk, MPEG_TAIL_BYTES);
			bytes += chunk.length;
		},
		end() {
			// If the audio begins in the bytes that were read before, the format is recognized by it.
			const hasAudio = audioStart < seenBytes || isAudio(firstAudio);
			if (!hasAudio) return { missing: 'no audio is behind its tag' };
			if (endsWithFrame(tail)) return 'whole';
			// Zeros are space that is not written to yet. Silence has frames, too.
			const isUnwritten = tail.length === MPEG_TAIL_BYTES && tail.every((byte) => byte === 0);
			if (isUnwritten) return { missing: 'nothing is written at its end yet' };
			return 'doubtful';
		},
	};
}
