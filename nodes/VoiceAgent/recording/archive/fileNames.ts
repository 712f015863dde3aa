import type { IBinaryData } from 'n8n-workflow';

import { plainName } from '../../../data/json';
import type { DownloadedFile } from './downloads';

/**
 * Whether the name of a file in the archive tells its recording from others: it has the session
 * GUID, the checksum, or the name that Download gave it. If all calls had one name, the next call
 * would overwrite this one after it was deleted from the service. A file without a name passes.
 */
export function isTelling(
	{ fileName, directory }: IBinaryData,
	sessionGuid: string,
	files: readonly DownloadedFile[],
): boolean {
	if (fileName === undefined) return true;
	// Archives may change the characters of a name that are no letters and digits.
	const path = plainName(`${directory ?? ''}/${fileName}`);
	const marks = [sessionGuid, ...files.flatMap((file) => [file.checksum, baseName(file.fileName)])];
	return marks.map(plainName).some((mark) => mark !== '' && path.includes(mark));
}

/** The last part of a path, without its extension. */
function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}
