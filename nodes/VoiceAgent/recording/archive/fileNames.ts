import type { IBinaryData } from 'n8n-workflow';

import type { DownloadedFile } from './downloads';

/**
 * Whether the name of a file in the archive tells its recording from others: it has the session GUID,
 * the checksum, or the name that Download gave it. If all calls had one name, the next call would
 * overwrite this one after it was deleted from the service. A file without a name passes.
 */
export function isTelling(
	{ fileName, directory }: IBinaryData,
	sessionGuid: string,
	files: readonly DownloadedFile[],
): boolean {
	if (fileName === undefined) return true;
	const path = plain(`${directory ?? ''}/${fileName}`);
	const marks = [sessionGuid, ...files.flatMap((file) => [file.checksum, baseName(file.fileName)])];
	return marks.map(plain).some((mark) => mark !== '' && path.includes(mark));
}

/** The last part of a path, without its extension. */
function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

/** What archives leave as it is when they change the characters of a name. */
function plain(text: string): string {
	return text.replace(/[^\p{L}\d]/gu, '').toLowerCase();
}
