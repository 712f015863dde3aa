/** In place of the table in which n8n keeps files in its database mode. As there, each file is in memory as a whole. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { BinaryData } from 'n8n-core';

export function databaseManager(): BinaryData.Manager {
	const files = new Map<string, { content: Buffer; metadata: BinaryData.PreWriteMetadata }>();
	const fileOf = (id: string) => {
		const file = files.get(id);
		if (!file) throw new Error(`There is no file ${id}.`);
		return file;
	};
	const unused = async () => await Promise.reject(new Error('Not needed by any test.'));
	return {
		async init() {},
		async store(_location, source, metadata) {
			const pieces: Uint8Array[] = [];
			for await (const piece of Buffer.isBuffer(source) ? [source] : source) pieces.push(piece);
			const content = Buffer.concat(pieces);
			const fileId = randomUUID();
			files.set(fileId, { content, metadata });
			return { fileId, fileSize: content.length };
		},
		getPath: (id) => `database://${id}`,
		getAsBuffer: async (id) => await Promise.resolve(fileOf(id).content),
		getAsStream: async (id) => await Promise.resolve(Readable.from(fileOf(id).content)),
		async getMetadata(id) {
			const { content, metadata } = fileOf(id);
			return await Promise.resolve({ ...metadata, fileSize: content.length });
		},
		copyByFileId: unused,
		copyByFilePath: unused,
		rename: unused,
	};
}
