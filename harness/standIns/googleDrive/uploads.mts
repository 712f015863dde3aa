/** The ways in which Drive takes the content of a file: in one request, or resumable in several. */
import { randomBytes } from 'node:crypto';

import { ApiError, badRequest } from './apiError.mts';
import type { Metadata } from './fileStore.mts';

/** Chunks of a resumable upload are multiples of this, except the last one. */
export const CHUNK_UNIT = 256 * 1024;

/**
 * Reads the body of an upload with `uploadType=multipart`: metadata as JSON, then the content.
 *
 * @param contentType header of the request, with the boundary
 * @throws {ApiError} 400
 */
export function parseMultipart(
	contentType: string,
	body: Buffer,
): { metadata: Metadata; content: Buffer } {
	const boundary = /^multipart\/.*;\s*boundary="?([^";]+)"?/i.exec(contentType)?.[1];
	if (boundary === undefined) throw badRequest('Missing multipart boundary.');
	// The first boundary has no line end of its own before it.
	const whole = Buffer.concat([Buffer.from('\r\n'), body]);
	const delimiter = Buffer.from(`\r\n--${boundary}`);
	const starts: number[] = [];
	for (let at = whole.indexOf(delimiter); at !== -1; at = whole.indexOf(delimiter, at + 1)) {
		starts.push(at);
	}
	const [first, second, end] = starts;
	if (first === undefined || second === undefined || end === undefined || starts.length > 3) {
		throw badRequest('Malformed multipart body.');
	}
	const metadataPart = parsePart(whole.subarray(first + delimiter.length, second));
	const contentPart = parsePart(whole.subarray(second + delimiter.length, end));
	return {
		metadata: { mimeType: contentPart.type, ...parseMetadata(metadataPart.content) },
		content: contentPart.content,
	};
}

function parsePart(part: Buffer): { type: string | undefined; content: Buffer } {
	const headersEnd = part.indexOf('\r\n\r\n');
	if (headersEnd === -1) throw badRequest('Malformed multipart body.');
	const headers = part.subarray(0, headersEnd).toString();
	return {
		type: /^content-type:\s*(.+?)\s*$/im.exec(headers)?.[1],
		content: part.subarray(headersEnd + 4),
	};
}

/** @throws {ApiError} 400 */
export function parseMetadata(body: Buffer): Metadata {
	if (body.length === 0) return {};
	try {
		const metadata: unknown = JSON.parse(body.toString());
		if (typeof metadata === 'object' && metadata !== null) return metadata as Metadata;
	} catch {
		// Said below.
	}
	throw new ApiError(400, 'Parse Error', { reason: 'parseError' });
}

/** What a chunk has led to: the upload goes on, or it is complete. */
export type Progress = { received: number } | { metadata: Metadata; content: Buffer };

/** One resumable upload. */
export class Session {
	readonly id = `AFwifz${randomBytes(40).toString('base64url')}`;
	readonly #metadata: Metadata;
	readonly #chunks: Buffer[] = [];
	#received = 0;

	constructor(metadata: Metadata) {
		this.#metadata = metadata;
	}

	/**
	 * @param contentRange `bytes 0-99/200`, or `bytes 0-99/*` while the size is unknown; an asterisk in place
	 *   of the first numbers asks what has arrived; no header means the whole content
	 * @throws {ApiError} 400 for a chunk that does not fit
	 */
	put(chunk: Buffer, contentRange: string | undefined): Progress {
		const range = contentRange ?? `bytes 0-${chunk.length - 1}/${chunk.length}`;
		const asked = /^bytes \*\/(\d+|\*)$/.exec(range);
		if (asked && chunk.length === 0) return this.#progress(asked[1]);
		const match = /^bytes (\d+)-(-?\d+)\/(\d+|\*)$/.exec(range);
		if (match === null) throw badRequest('Failed to parse Content-Range header.');
		const [first, last] = [Number(match[1]), Number(match[2])];
		const total = match[3];
		if (last - first + 1 !== chunk.length) {
			throw badRequest(
				`Invalid request.  There were ${chunk.length} byte(s) in the request body.  There should ` +
					`have been ${last - first + 1} byte(s) (starting at offset ${first} and ending at offset ` +
					`${last}) according to the Content-Range header.`,
			);
		}
		if (first !== this.#received) {
			throw badRequest(
				`Invalid request.  According to the Content-Range header, the upload offset is ${first} ` +
					`byte(s), which exceeds already uploaded size of ${this.#received} byte(s).`,
			);
		}
		if (total !== '*' && last >= Number(total)) {
			throw badRequest('Invalid request.  The chunk ends behind the end of the file.');
		}
		const isLast = total === String(last + 1);
		if (!isLast && chunk.length % CHUNK_UNIT !== 0) {
			throw badRequest(
				'Invalid request.  The number of bytes uploaded is required to be equal or greater than ' +
					`${CHUNK_UNIT}, except for the final request (it's recommended to be the exact multiple ` +
					`of ${CHUNK_UNIT}).  The received request contained ${chunk.length} bytes, which does ` +
					'not meet this requirement.',
			);
		}
		this.#chunks.push(chunk);
		this.#received += chunk.length;
		return this.#progress(total);
	}

	#progress(total: string | undefined): Progress {
		if (total !== String(this.#received)) return { received: this.#received };
		return { metadata: this.#metadata, content: Buffer.concat(this.#chunks) };
	}
}
