import { createHash } from 'node:crypto';
import type { IBinaryData } from 'n8n-workflow';

import { plainName } from '../../../data/json';
import { invalid } from '../../../errors';
import { canonicalSessionGuid } from '../../../service/sessionGuid';

/**
 * A name is telling if no other recording can have it. Otherwise, the next recording would replace
 * this one in the archive, and both would be deleted from the service. Three moments ask for it:
 *
 * - before a download, {@link requireTellingTemplate}: does the template make telling paths?
 * - when a file is stored, {@link tellingName}: is the last part of its path telling by itself?
 * - after it was archived, {@link isTelling}: is the name telling under which the archive has it?
 *   The workflow may have given it any name, and the archive may have changed characters of it.
 */

/** Of the 64 hexadecimal digits of a SHA-256. */
export const SHORT_CHECKSUM_CHARS = 12;

/**
 * So many letters and digits are hardly ever in a name by chance. Fewer may be a part of its date,
 * its time or a word.
 */
const MIN_TELLING_CHARS = 8;

/**
 * The placeholders that are never the same for two different recordings, or only if the recordings
 * are the same bytes, so that nothing is lost.
 */
const TELLING_PLACEHOLDER = /\{(?:sessionGuid|name|sha256)\}/;

/**
 * Refuses a template that can give one name to two recordings.
 *
 * @param template as entered, so that an expression in it is resolved. An empty one is the default
 * @param sessionGuid of the recording, if it is known
 * @throws VoiceAgentError `invalidParameter`
 */
export function requireTellingTemplate(
	template: string | undefined,
	sessionGuid: string | null,
): void {
	if (template === undefined || template.trim() === '') return;
	if (TELLING_PLACEHOLDER.test(template)) return;
	if (sessionGuid !== null && isWrittenOut(sessionGuid, template)) return;
	throw invalid(
		"'Output File Name' must have {sessionGuid}, {name} or {sha256} in it: two recordings with the same name would leave one file in the archive",
	);
}

/** Whether an expression in the template has put the session GUID itself there. */
function isWrittenOut(sessionGuid: string, template: string): boolean {
	const guid = canonicalSessionGuid(sessionGuid);
	// Two identifiers may differ in letter case only, and many file systems do not see that. For
	// such an identifier, the placeholder adds a checksum.
	const isCaseClear = guid === guid.toLowerCase();
	return isCaseClear && template.toLowerCase().includes(guid);
}

/**
 * The name of a file for nodes that know no folders: the last part of its path, or all of it if the
 * last part is not telling.
 *
 * @param marks what tells the recording from others. Those that are not known are left out
 */
export function tellingName(path: string, marks: ReadonlyArray<string | undefined>): string {
	const last = path.slice(path.lastIndexOf('/') + 1);
	const isLastTelling = marks.some((mark) => mark !== undefined && last.includes(mark));
	return isLastTelling ? last : path.replaceAll('/', '_');
}

/**
 * Whether the name of a file in the archive tells its recording from others: it has the session
 * GUID, the checksum, or the name that Download gave it. A file without a name passes.
 *
 * @param downloads the files of this session that Download nodes have output
 */
export function isTelling(
	{ fileName, directory }: IBinaryData,
	sessionGuid: string,
	downloads: ReadonlyArray<{ checksum: string; fileName: string }>,
): boolean {
	if (fileName === undefined) return true;
	// Archives may change the characters of a name that are not letters and digits.
	const path = plainName(`${directory ?? ''}/${fileName}`);
	const marks = [sessionGuid];
	for (const download of downloads) marks.push(download.checksum, stemOf(download.fileName));
	return marks.some((mark) => isLongEnough(mark) && path.includes(plainName(mark)));
}

/** What has to be done if a name in the archive is not telling. */
export function howToTell(sessionGuid: string): string {
	if (isLongEnough(sessionGuid)) return 'put the session GUID into the name';
	return `put the SHA-256 into the name, because the session GUID has fewer than ${MIN_TELLING_CHARS} letters and digits`;
}

function isLongEnough(mark: string): boolean {
	return plainName(mark).length >= MIN_TELLING_CHARS;
}

/** The last part of a path, without its extension. */
function stemOf(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '');
}

/**
 * A session GUID as a part of a name. In identifiers that are not GUIDs, letter case matters, but
 * not in the names of many file systems.
 */
export function sessionName(sessionGuid: string): string {
	const name = canonicalSessionGuid(sessionGuid);
	return name === name.toLowerCase() ? name : `${name}-${shortChecksum(name)}`;
}

/** Tells values apart that a name cannot hold: the first digits of their SHA-256. */
export function shortChecksum(value: string): string {
	return createHash('sha256').update(value).digest('hex').slice(0, SHORT_CHECKSUM_CHARS);
}
