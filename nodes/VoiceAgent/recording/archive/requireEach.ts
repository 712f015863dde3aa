import { VoiceAgentError } from '../../../errors';
import type { FileIdentity, RecordedDownload } from './downloads';
import { notArchived } from './objection';

/** @throws VoiceAgentError `proofFailed` or `notArchived` if the archive lacks one of the files */
export function requireEach(
	files: readonly RecordedDownload[],
	archived: readonly FileIdentity[],
): void {
	const missing = files.find((file) => !archived.some((one) => isSame(file, one)));
	if (!missing) return;
	// An identity that belongs to no file is most likely that of a damaged copy of the missing file,
	// so the error shows how the two differ.
	const unmatched = archived.find((one) => !files.some((file) => isSame(file, one)));
	if (unmatched)
		throw new VoiceAgentError('proofFailed', { detail: difference(missing, unmatched) });
	const what = missing.isRecording ? 'recording' : 'metadata file';
	throw notArchived(
		`nothing shows that the archive has the ${what} that '${missing.by}' has output`,
	);
}

/** Whether the archive has this file. */
export function isSame(download: FileIdentity, archive: FileIdentity): boolean {
	return difference(download, archive) === undefined;
}

/** How the file in the archive differs from a download, in words; `undefined` if it does not. */
function difference(download: FileIdentity, archive: FileIdentity): string | undefined {
	if (download.checksum !== archive.checksum) {
		return `checksum ${download.checksum} of the download, ${archive.checksum} in the archive`;
	}
	if (download.size !== archive.size) {
		return `size ${download.size} of the download, ${archive.size} in the archive`;
	}
	return undefined;
}
