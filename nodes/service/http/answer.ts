import { VoiceAgentError } from '../../errors';
import type { Chunks } from '../../recordingFile/chunks';
import { connectionError } from './httpErrors';

/**
 * Gives up after so much silence, in milliseconds: before the answer, and between two chunks of it.
 */
export const SILENCE_MS = 60_000;
/** Between two looks at the time. */
const WATCH_MS = 1_000;

/** As much of an error page as is worth reading. */
const MAX_ERROR_PAGE_BYTES = 64 * 1024;
const MAX_ERROR_PAGE_MS = 10_000;

/**
 * A value of Content-Encoding that says that the bytes are compressed (RFC 9110, 8.4.1). Others,
 * such as `UTF-8` or `none`, are mistakes: the bytes are as they are.
 */
const COMPRESSED = /\b(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|dcb|dcz)\b.{0,50}/i;

/** An answer of the service whose body is not read yet. */
export interface Answer {
	url: URL;
	status: number;
	/** A Node stream, described without importing one. */
	body: Chunks & { destroy(error?: Error): unknown };
	/** By name in lower case. */
	headers: Readonly<Record<string, unknown>>;
	/**
	 * One short line of a text from outside, without the secrets of the account: of a page of the
	 * service, or of a part of an address.
	 */
	excerpt(page: string, json?: unknown): string | undefined;
	/** The header of that name, if there is exactly one. */
	header(name: string): string | undefined;
}

export interface Limits {
	maxBytes: number;
	/** In milliseconds since 1970. */
	deadlineMs: number;
}

/**
 * The chunks of a body. Throws if the next one does not arrive in time: once the answer has begun,
 * n8n's own time limit no longer counts. The time that a reader takes for a chunk counts only for
 * the deadline.
 */
async function* chunksInTime(
	body: Answer['body'],
	deadlineMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
	const iterator = body[Symbol.asyncIterator]();
	/** Since when the next chunk is waited for; `Infinity` while the reader has the latest one. */
	let waitingSinceMs = Infinity;
	/** Ends the wait for the next chunk. */
	let giveUp: (error: VoiceAgentError) => void = () => undefined;
	let isOver = false;
	const watch = () => {
		if (isOver) return;
		const nowMs = Date.now();
		if (nowMs >= deadlineMs) giveUp(new VoiceAgentError('deadlineExceeded'));
		else if (nowMs >= waitingSinceMs + SILENCE_MS) {
			giveUp(new VoiceAgentError('timedOut', { retryable: true }));
		}
		// Unlike a timer of n8n-workflow, this one keeps no process alive.
		AbortSignal.timeout(WATCH_MS).addEventListener('abort', watch);
	};
	try {
		watch();
		for (;;) {
			const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
				waitingSinceMs = Date.now();
				giveUp = reject;
				iterator.next().then(resolve, reject);
			});
			waitingSinceMs = Infinity;
			if (next.done) return;
			if (Date.now() > deadlineMs) throw new VoiceAgentError('deadlineExceeded');
			yield next.value;
		}
	} finally {
		isOver = true;
		// Not by the iterator's own `return`, which would wait for the chunk that does not come.
		body.destroy();
	}
}

/**
 * The body in chunks. Throws if it is too long or too slow, or if the connection is lost.
 *
 * Node.js reports that fewer bytes arrived than announced. They cannot be counted here: if a
 * proxy has compressed the answer although we asked for plain bytes, these are the decompressed
 * ones.
 */
export async function* limitedBody(
	{ body, excerpt, header }: Answer,
	{ maxBytes, deadlineMs }: Limits,
): AsyncGenerator<Uint8Array, void, undefined> {
	const tooLarge = () => {
		return new VoiceAgentError('tooLarge', { detail: `more than ${maxBytes} bytes` });
	};
	// n8n removes the header from what it has decompressed, so what still has it is compressed.
	const [compression] = COMPRESSED.exec(header('content-encoding') ?? '') ?? [];
	let bytes = 0;
	try {
		if (Number(header('content-length') ?? 0) > maxBytes) throw tooLarge();
		for await (const chunk of chunksInTime(body, deadlineMs)) {
			if (compression) {
				throw new VoiceAgentError('compressed', { detail: excerpt(compression) });
			}
			bytes += chunk.length;
			if (bytes > maxBytes) throw tooLarge();
			yield chunk;
		}
	} catch (error) {
		throw connectionError(error);
	} finally {
		body.destroy();
	}
}

/**
 * The beginning of an error page, as much as arrives in time: the status has already said what
 * matters most.
 */
export async function readErrorPage({ body }: Answer): Promise<string> {
	const deadlineMs = Date.now() + MAX_ERROR_PAGE_MS;
	let page = Buffer.alloc(0);
	try {
		for await (const chunk of chunksInTime(body, deadlineMs)) {
			page = Buffer.concat([page, chunk]);
			if (page.length >= MAX_ERROR_PAGE_BYTES) break;
		}
	} catch {
		// What arrived before the connection or the time ended is enough.
	}
	return page.toString('utf8');
}

export function isWebPage(text: string): boolean {
	return text.trimStart().startsWith('<');
}
