/** The two ways in which n8n's node sends content: in one request, or, if n8n has it as a file, in chunks. */
import { randomUUID } from 'node:crypto';

import { ApiError } from './apiError.mts';
import type { Metadata } from './files.mts';

export interface Upload {
	metadata: Metadata;
	content: Buffer;
}

/** Reads the body of an upload with `uploadType=multipart`: metadata as JSON, then the content. */
export function parseMultipart(contentType: string, body: Buffer): Upload {
	const boundary = /boundary=(.+)$/.exec(contentType)?.[1] ?? '';
	// Latin 1 has a character for each byte.
	const parts = body.toString('latin1').split(`--${boundary}`);
	const [metadata, content] = parts.slice(1, 3).map((part) => {
		const start = part.indexOf('\r\n\r\n') + '\r\n\r\n'.length;
		return Buffer.from(part.slice(start, -'\r\n'.length), 'latin1');
	});
	if (metadata === undefined || content === undefined) {
		throw new ApiError(400, 'Malformed multipart body.', 'badRequest');
	}
	return { metadata: JSON.parse(metadata.toString()) as Metadata, content };
}

/** One resumable upload. */
export class Session {
	readonly id = randomUUID();
	readonly metadata: Metadata;
	#content = Buffer.alloc(0);

	constructor(metadata: Metadata) {
		this.metadata = metadata;
	}

	get received(): number {
		return this.#content.length;
	}

	/**
	 * @param range the header Content-Range, such as `bytes 0-99/200`
	 * @returns the whole content after its last chunk
	 */
	put(chunk: Buffer, range = ''): Buffer | undefined {
		const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(range) ?? [];
		if (Number(first) !== this.received) {
			throw new ApiError(400, `Invalid request. The chunk does not fit: ${range}`, 'badRequest');
		}
		this.#content = Buffer.concat([this.#content, chunk]);
		return this.received === Number(total) ? this.#content : undefined;
	}
}
