import { createHash, type Hash } from 'node:crypto';
import { type IBinaryData, type IExecuteFunctions, sleep } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { type Chunks, giveBack, inBlocks } from '../../../recordingFile/chunks';

/** Size of the buffer between the network and the disk. A larger one means fewer writes. */
const BUFFER_BYTES = 1024 * 1024;

/**
 * The memory of so much of a file is given back once n8n has stored it. Before, it is not known
 * what n8n still reads.
 */
const MAX_GIVEN_BYTES = 8 * BUFFER_BYTES;

/**
 * What n8n can read back from PostgreSQL. A file arrives as one text: \x and two digits for each
 * byte. V8 allows no text of more than 2^29 - 24 characters, and n8n never ends the execution in
 * which that happens.
 */
const MAX_BYTES_IN_DATABASE = (2 ** 29 - 24 - 2) / 2;

/**
 * A mark in what n8n keeps with a file: a node of this package has stored it, so it proves nothing
 * about an archive. Copies of the item have the mark too.
 */
const ORIGIN = 'origin';
const HERE = 'VoiceAgent';

export interface StoredBinary {
	binary: IBinaryData;
	bytes: number;
	/** SHA-256 of the stored bytes, in hexadecimal. */
	sha256: string;
	/** The same as S3 wants it in `x-amz-checksum-sha256`. */
	sha256Base64: string;
}

/**
 * Stores a file as n8n's binary data, in constant memory if n8n keeps it in files. In its in-memory
 * and database modes, n8n holds the whole file in memory.
 *
 * n8n makes a file visible only when its stream has ended without an error. If `chunks` throws,
 * nothing is stored and that error is thrown. If the disk is full, n8n's own error is thrown.
 *
 * @throws VoiceAgentError `tooLargeForDatabase`
 */
export async function storeBinary(
	context: IExecuteFunctions,
	chunks: Chunks,
	file: { fileName: string; mimeType: string },
): Promise<StoredBinary> {
	let bytes = 0;
	/** What n8n was given, at the beginning of the file. */
	const given: Uint8Array[] = [];
	// n8n reads a Node stream. A verified package cannot import one, but a hash is one. This one
	// passes its input on, as any transform stream does.
	const hash = createHash('sha256', {
		highWaterMark: BUFFER_BYTES,
		transform(chunk: Uint8Array, _encoding, done) {
			bytes += chunk.length;
			hash.update(chunk);
			if (bytes <= MAX_GIVEN_BYTES) given.push(chunk);
			done(null, chunk);
		},
		flush(done) {
			done();
		},
	});
	// An error of the stream also rejects n8n's promise. But if it comes before n8n listens, it would
	// end the process without this listener.
	hash.on('error', () => undefined);

	let sourceError: unknown;
	const storing = context.helpers.prepareBinaryData(hash, file.fileName, file.mimeType);
	// If its buffer held several chunks, the stream would join them for n8n.
	void fill(hash, inBlocks(storableChunks(context, chunks), BUFFER_BYTES)).catch(
		(error: unknown) => {
			sourceError = error;
		},
	);
	let binary: IBinaryData;
	try {
		binary = await storing;
	} catch (error) {
		// n8n may give up before it reads, such as when it cannot make a folder. Then nothing
		// drains the stream.
		hash.destroy();
		// The error of n8n only says that the stream was destroyed.
		throw sourceError ?? error;
	}
	// n8n has written the file, or made a text of it.
	given.forEach(giveBack);
	binary[ORIGIN] = HERE;
	const digest = hash.digest();
	const [sha256, sha256Base64] = [digest.toString('hex'), digest.toString('base64')];
	return { binary, bytes, sha256, sha256Base64 };
}

/**
 * The same chunks, as long as n8n can read that many bytes back: a larger file must not take the
 * memory of a worker first.
 */
export async function* storableChunks(
	context: IExecuteFunctions,
	chunks: Chunks,
): AsyncGenerator<Uint8Array, void, undefined> {
	let bytes = 0;
	let maxBytes = MAX_BYTES_IN_DATABASE;
	for await (const chunk of chunks) {
		bytes += chunk.length;
		if (bytes > maxBytes) {
			if (await isInDatabase(context)) throw new VoiceAgentError('tooLargeForDatabase');
			maxBytes = Infinity;
		}
		yield chunk;
	}
}

/**
 * Only a stored file shows where n8n keeps files: this one is empty, and goes with the execution.
 */
async function isInDatabase({ helpers }: IExecuteFunctions): Promise<boolean> {
	const { data } = await helpers.prepareBinaryData(Buffer.alloc(0));
	return data === 'database';
}

/**
 * Writes all chunks to a stream at the pace of its reader. Stops without an error if the reader has
 * given up.
 */
async function fill(stream: Hash, chunks: Chunks): Promise<void> {
	/** Ends the wait for a reader that is slower than the source. */
	let wake = () => {};
	stream.on('drain', () => wake());
	stream.on('close', () => wake());
	try {
		for await (const chunk of chunks) {
			if (stream.destroyed) return;
			const isFull = !stream.write(chunk);
			if (isFull) {
				await new Promise<void>((resolve) => {
					wake = resolve;
				});
			}
		}
		stream.end();
	} finally {
		// If the loop ended early, the reader must not take this for the end of the file.
		if (!stream.writableEnded) stream.destroy(new Error('The file is incomplete'));
	}
}

/** Whether a file is one that a node of this package has stored, such as Download. */
export function isFromHere(binary: IBinaryData): boolean {
	return binary[ORIGIN] === HERE;
}

/** Reads a file, however n8n stores it. */
export async function chunksOf(
	context: IExecuteFunctions,
	{ id, data }: IBinaryData,
): Promise<Chunks> {
	if (id) return await context.helpers.getBinaryStream(id, BUFFER_BYTES);
	// Without an id, n8n keeps the file in the item.
	return piecesOf(Buffer.from(data, 'base64'));
}

/**
 * A file in memory, with a pause before each piece: to hash it in one go would keep n8n from its
 * other work.
 */
async function* piecesOf(file: Buffer): AsyncGenerator<Uint8Array, void, undefined> {
	for (let at = 0; at < file.length; at += BUFFER_BYTES) {
		await sleep(0);
		yield file.subarray(at, at + BUFFER_BYTES);
	}
}
