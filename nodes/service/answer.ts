import type { Reason } from '../errors';
import { VoiceAgentError } from '../errors';
import type { Chunks } from '../recordingFile/chunks';
import { connectionError } from './httpErrors';
import { parseJson } from './parseJson';

/** As much of an error page as is worth reading. */
const MAX_ERROR_PAGE_BYTES = 64 * 1024;
const MAX_ERROR_PAGE_MS = 10_000;

/** An answer of the service whose body is not read yet. */
export interface Answer {
	status: number;
	/** A Node stream, described without importing one. */
	body: Chunks & { destroy(error?: Error): unknown };
	/** By name in lower case. */
	headers: Readonly<Record<string, unknown>>;
	/** One short line of what the service says in this content, without secrets. */
	excerpt(content: unknown): string | undefined;
	/** The header of that name, if there is exactly one. */
	header(name: string): string | undefined;
}

export interface Limits {
	maxBytes: number;
	/** In milliseconds since 1970. It needs no timer: the transport limits silence too, so it is checked in time. */
	deadlineMs: number;
	/** What it means that the time is over; `deadlineExceeded` by default. */
	late?: Reason;
}

/**
 * The body in chunks. Throws if it is too long or too slow, or if the connection is lost.
 *
 * Node itself reports that fewer bytes arrived than announced. They cannot be counted here: if a proxy has compressed
 * the answer although we asked for plain bytes, these are the decompressed ones.
 */
export async function* limitedBody(
	answer: Answer,
	{ maxBytes, deadlineMs, late = 'deadlineExceeded' }: Limits,
): AsyncGenerator<Uint8Array, void, undefined> {
	if (Number(answer.header('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes);
	let bytes = 0;
	try {
		for await (const chunk of answer.body) {
			bytes += chunk.length;
			if (bytes > maxBytes) throw tooLarge(maxBytes);
			if (Date.now() > deadlineMs) throw new VoiceAgentError(late);
			yield chunk;
		}
	} catch (error) {
		throw connectionError(error);
	}
}

function tooLarge(maxBytes: number): VoiceAgentError {
	return new VoiceAgentError('tooLarge', { detail: `more than ${maxBytes} bytes` });
}

/** The whole body as text, within the same limits. */
export async function readText(answer: Answer, limits: Limits): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	// Piece by piece, because decoding all of it would take too long at a time.
	for await (const chunk of limitedBody(answer, limits))
		text += decoder.decode(chunk, { stream: true });
	return text + decoder.decode();
}

/** The beginning of an error page, as much as arrives in time: the status has already said what matters most. */
export async function readErrorPage({ body }: Answer): Promise<string> {
	const deadlineMs = Date.now() + MAX_ERROR_PAGE_MS;
	let page = Buffer.alloc(0);
	try {
		for await (const chunk of body) {
			page = Buffer.concat([page, chunk]);
			if (page.length >= MAX_ERROR_PAGE_BYTES || Date.now() > deadlineMs) break;
		}
	} catch {
		// What arrived before the connection ended is enough.
	} finally {
		body.destroy();
	}
	return page.toString('utf8');
}

/**
 * The specification shows no bodies, so JSON, JSON lines (as a list) and plain text are accepted.
 * @throws VoiceAgentError `webPage`: it does not come from the service
 */
export async function parseBody(
	text: string,
	{ status, contentType = '' }: { status: number; contentType?: string },
): Promise<unknown> {
	if (text.trim() === '') return undefined;
	if (isWebPage(text)) throw new VoiceAgentError('webPage', { httpStatus: status });
	const values = await parseJson(text);
	if (!values) return text;
	const isLines = values.length > 1 || /json-?l|nd-?json|json-seq/i.test(contentType);
	if (!isLines) return values[0];
	return values.every((value) => typeof value === 'object') ? values : text;
}

export function isWebPage(text: string): boolean {
	return text.trimStart().startsWith('<');
}
