import { createHash } from 'node:crypto';
import { open, rename, rm, truncate } from 'node:fs/promises';
import { ServiceError } from '../errors.mts';

/** The bytes of a recording, in chunks. */
export type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Digest {
	bytes: number;
	sha256: string;
}

/** Passes chunks on, and afterward knows how many bytes they had and their hash. */
export function measure(source: Content) {
	const hash = createHash('sha256');
	let bytes = 0;
	async function* chunks() {
		for await (const chunk of source) {
			hash.update(chunk);
			bytes += chunk.length;
			yield chunk;
		}
	}
	return { chunks: chunks(), digest: (): Digest => ({ bytes, sha256: hash.digest('hex') }) };
}

/**
 * Writes under a temporary name first: a file with its final name is always complete.
 *
 * @param isDurable waits until the file is on the disk
 */
export async function writeAtomically(
	path: string,
	chunks: Content,
	isDurable: boolean,
): Promise<void> {
	const temporary = `${path}.part`;
	try {
		const file = await open(temporary, 'wx');
		try {
			for await (const chunk of chunks) await file.writeFile(chunk);
			if (isDurable) await file.sync();
		} finally {
			await file.close();
		}
		await rename(temporary, path);
	} catch (error) {
		await rm(temporary, { force: true });
		throw error;
	}
}

function outsideFile(field: string, size: number): ServiceError {
	return new ServiceError(
		400,
		'invalid_request',
		`${field} is outside the file, which has ${size} bytes`,
		[field],
	);
}

export async function flipBit(file: string, offset: number, size: number): Promise<void> {
	const position = offset < 0 ? size + offset : offset;
	if (position < 0 || position >= size) throw outsideFile('flipBitAt', size);
	const handle = await open(file, 'r+');
	try {
		const byte = Buffer.alloc(1);
		await handle.read(byte, 0, 1, position);
		byte.writeUInt8(byte.readUInt8() ^ 1);
		await handle.write(byte, 0, 1, position);
	} finally {
		await handle.close();
	}
}

export async function shorten(file: string, length: number, size: number): Promise<void> {
	if (length > size) throw outsideFile('truncateTo', size);
	await truncate(file, length);
}

export async function digestOf(file: string): Promise<Digest> {
	const handle = await open(file, 'r');
	// The stream closes the handle at its end.
	const measured = measure(handle.createReadStream());
	for await (const _chunk of measured.chunks);
	return measured.digest();
}
