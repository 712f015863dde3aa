import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { VoiceAgentError } from '../../../errors';
import { canonicalSessionGuid, recordingKeyOf } from '../../../service/sessionGuid';
import { aboutRecording } from '../presence/availability';
import { noteRecording } from '../notedRecording';
import { sessionGuidOf } from '../recordingFields';
import { downloadedFiles, downloadedSession, itemsOfSession } from './downloads';
import { type ArchivedSession, requireArchived } from './proof';

/** What Check Archive and Delete share: the session of an item, its proof, and its row. */

/** A session that several input items may be about, such as those of recording and metadata. */
export interface SessionOfItems {
	sessionGuid: string;
	/** Of the input items about it. */
	itemIndexes: readonly number[];
}

/**
 * The session that an item is about, with all input items about it.
 *
 * @param recordingAt what 'Recording' is for the item with this index, if the node has that field
 * @throws VoiceAgentError `notArchived` if neither that nor Download says which session it is
 */
export function sessionOf(
	context: IExecuteFunctions,
	itemIndex: number,
	recordingAt?: (itemIndex: number) => unknown,
): SessionOfItems {
	const guidAt = (index: number) => {
		const guid = recordingAt
			? sessionGuidAt(context, index, recordingAt(index))
			: sessionOfDownload(context, index);
		noteRecording(context, index, guid);
		return guid;
	};
	const sessionGuid = guidAt(itemIndex);
	return { sessionGuid, itemIndexes: itemsOfSession(context, sessionGuid, guidAt) };
}

/**
 * The session GUID that 'Recording' names for an item, or else that of the recording which the item
 * was made from: items of archives name none.
 */
function sessionGuidAt(context: IExecuteFunctions, itemIndex: number, named: unknown): string {
	const downloaded = downloadedSession(context, itemIndex);
	const guid = sessionGuidOf(context, named || downloaded);
	// The spelling of Download counts, because a ledger may have another one.
	const isSame = canonicalSessionGuid(String(downloaded)) === canonicalSessionGuid(guid);
	return isSame ? String(downloaded) : guid;
}

/** The session GUID of the recording which the item was made from. */
function sessionOfDownload(context: IExecuteFunctions, itemIndex: number): string {
	const downloaded = downloadedSession(context, itemIndex);
	if (downloaded === undefined) throw new VoiceAgentError('notArchived');
	return String(downloaded);
}

interface ProofOptions {
	allowUnverified: boolean;
	/** Until when the service keeps the recording, if Download does not say so. */
	findKeptUntil?: () => Promise<string | undefined>;
}

/**
 * Makes sure that the archive has all files of a session, and that they are known to be a
 * recording.
 *
 * @throws VoiceAgentError what is missing, with the time until which the service keeps the
 * recording
 */
export async function requireProof(
	context: IExecuteFunctions,
	{ sessionGuid, itemIndexes }: SessionOfItems,
	{ allowUnverified, findKeptUntil }: ProofOptions,
): Promise<ArchivedSession> {
	try {
		const archived = await requireArchived(context, sessionGuid, itemIndexes);
		const unverified = archived.files.find(({ isVerified }) => !isVerified);
		if (!unverified || allowUnverified) return archived;
		const { by, unverifiedReason = 'it was not checked' } = unverified;
		throw new VoiceAgentError('notVerified', { detail: `'${by}' says: ${unverifiedReason}` });
	} catch (error) {
		const known = downloadedFiles(context, sessionGuid).find(({ call }) => call.keptUntil);
		const keptUntil = known?.call.keptUntil ?? (await findKeptUntil?.());
		for (const index of itemIndexes) noteRecording(context, index, sessionGuid, keptUntil);
		throw aboutRecording(error, sessionGuid, keptUntil);
	}
}

/**
 * What a ledger notes of an archived recording. What is not known of the call is left out, so that
 * the ledger keeps what it knows.
 *
 * @param status of the call in the ledger
 */
export function rowOf(
	sessionGuid: string,
	{ files: [recording], archive, file }: ArchivedSession,
	status: { status: 'stored' } | { status: 'archived'; archivedAt: string },
): IDataObject {
	const { call, size, checksum } = recording;
	const { to, from, endedAt } = call;
	const { status: name, ...times } = status;
	return {
		recordingKey: recordingKeyOf(sessionGuid),
		sessionGuid,
		status: name,
		...(to !== undefined && { to }),
		...(from !== undefined && { from }),
		...(endedAt !== undefined && { endedAt }),
		...times,
		archive,
		file,
		bytes: Number(size),
		sha256: checksum,
	};
}
