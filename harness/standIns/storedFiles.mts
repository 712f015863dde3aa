import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

export interface StoredFile {
	name: string;
	content: Buffer;
}

export const sha256 = (content: Uint8Array | string) =>
	createHash('sha256').update(content).digest('hex');

/** All files below a folder. Their names are their paths from there. */
export async function storedFiles(folder: string): Promise<StoredFile[]> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
	return await Promise.all(
		paths.map(async (path) => ({ name: relative(folder, path), content: await readFile(path) })),
	);
}
