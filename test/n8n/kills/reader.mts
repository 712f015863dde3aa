/** What can be found out about an archive without n8n and without the service. */
import { createHash } from 'node:crypto';

import type { StoredFile } from '../../../harness/standIns/storedFiles.mts';

export const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');

/** The recordings that are whole: those whose checksum the metadata file beside them says. */
export function wholeFiles(files: readonly StoredFile[]): StoredFile[] {
	const baseName = (name: string) => name.replace(/\.[^.]*$/, '');
	return files.filter(
		(file) =>
			!file.name.endsWith('.json') &&
			files.some(
				({ name, content }) =>
					name === `${baseName(file.name)}.json` &&
					checksumIn(String(content)) === sha256(file.content),
			),
	);
}

function checksumIn(metadata: string): string | undefined {
	try {
		return (JSON.parse(metadata) as { file: { sha256: string } }).file.sha256;
	} catch {
		return undefined;
	}
}
