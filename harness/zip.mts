/** What a ZIP archive holds. */
import { fromN8n } from './n8n/installation.mts';

/** Of the library with which n8n compresses. */
interface Fflate {
	unzipSync(archive: Uint8Array): Record<string, Uint8Array>;
}

/** The files in a ZIP archive, by their names. */
export function unzip(archive: Buffer): Record<string, Buffer> {
	const { unzipSync } = fromN8n('fflate') as Fflate;
	const files = Object.entries(unzipSync(archive));
	return Object.fromEntries(files.map(([name, content]) => [name, Buffer.from(content)]));
}
