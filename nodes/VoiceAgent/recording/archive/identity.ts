import { createHash } from 'node:crypto';
import type { IBinaryData, IExecuteFunctions } from 'n8n-workflow';

import { chunksOf } from '../file/binary';
import type { FileIdentity } from './downloads';

/** The checksum and the size of a file that a node has read back. */
export async function identityOf(
	context: IExecuteFunctions,
	file: IBinaryData,
): Promise<FileIdentity> {
	const hash = createHash('sha256');
	let size = 0;
	for await (const chunk of await chunksOf(context, file)) {
		hash.update(chunk);
		size += chunk.length;
	}
	return { checksum: hash.digest('hex'), size: String(size) };
}
