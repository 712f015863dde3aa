import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { invalid, VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/http/httpErrors';
import { type JsonAnswer, request } from '../../service/http/request';
import { goneReasons, recordingPath } from '../../service/recordings';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { downloadedSession, type FilesOfSession, itemsOfSession } from './archive/downloads';
import { requireArchived } from './archive/proof';
import { aboutRecording, isGone, judgedByList, mayMeanGone } from './presence/availability';
import { findListed, forgetLists } from './presence/listing';
import { noteRecording } from './notedRecording';
import { recording, sessionGuidOf } from './recordingFields';

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete recording',
	description: 'Delete a recording from the service permanently',
	usesAccount: true,
	fields: [
		recording,
		{
			displayName: 'Require Proof of Archiving',
			name: 'requireProof',
			type: 'boolean',
			default: true,
			description:
				'Whether to delete the recording only if the archive has each file that the Download nodes before this one, in this workflow, have output for it. The proof is what the archive says of the input item: its checksum and size, or the file as another node has read it back.',
		},
		optionsField([
			{
				displayName: 'Delete Unverified',
				name: 'deleteUnverified',
				type: 'boolean',
				default: false,
				description:
					'Whether to delete a recording although Download could not check its file, such as an encrypted one while the password is kept out of n8n. It is then not known whether the archived file is a recording, and whether your password opens it.',
			},
			{
				displayName: 'Keep Recording',
				name: 'keepRecording',
				type: 'boolean',
				default: false,
				description: 'Whether to only check the proof, and leave the purge to the service',
			},
		]),
	],
	async execute(values, itemIndex, valuesAt) {
		const { deleteUnverified = false, keepRecording = false } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			const sessionGuid = sessionGuidOf(this, values.recording);
			noteRecording(this, itemIndex, sessionGuid);
			return [outputItem(itemIndex, await deleteOnce(this, itemIndex, sessionGuid))];
		}
		const guidAt = (index: number) => {
			const guid = sessionGuidAt(this, index, valuesAt(index).recording);
			noteRecording(this, index, guid);
			return guid;
		};
		const sessionGuid = guidAt(itemIndex);
		const itemIndexes = itemsOfSession(this, sessionGuid, guidAt);
		// The first item of a session acts for all of them.
		if (itemIndexes[0] !== itemIndex) return [];
		const proof = { sessionGuid, itemIndexes, deleteUnverified };
		const [{ checksum, size }] = await requireProof(this, itemIndex, proof);
		const outcome = keepRecording
			? { sessionGuid, deleted: false }
			: await deleteOnce(this, itemIndex, sessionGuid);
		const archivedAt = new Date().toISOString();
		const found = { archived: true, sha256: checksum, bytes: Number(size), archivedAt };
		return [outputItem(itemIndex, { ...outcome, ...found })];
	},
});

interface ProofOptions {
	sessionGuid: string;
	/** Of the input items about this session. */
	itemIndexes: readonly number[];
	deleteUnverified: boolean;
}

/**
 * Makes sure that the archive has all files of a session, and that they are known to be a
 * recording.
 *
 * @returns the files, the recording first
 * @throws VoiceAgentError what is missing, with the time until which the service keeps the
 * recording
 */
async function requireProof(
	context: IExecuteFunctions,
	itemIndex: number,
	{ sessionGuid, itemIndexes, deleteUnverified }: ProofOptions,
): Promise<FilesOfSession> {
	try {
		const files = await requireArchived(context, sessionGuid, itemIndexes);
		const unverified = files.find(({ isVerified }) => !isVerified);
		if (!unverified || deleteUnverified) return files;
		const { by, unverifiedReason = 'it was not checked' } = unverified;
		throw new VoiceAgentError('notVerified', { detail: `'${by}' says: ${unverifiedReason}` });
	} catch (error) {
		const { keptUntil } = await findListed(context, itemIndex, sessionGuid);
		noteRecording(context, itemIndex, sessionGuid, keptUntil);
		throw aboutRecording(error, sessionGuid, keptUntil);
	}
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

/**
 * Deletes a recording. If the answer does not say that it is deleted, the list of the service
 * decides.
 *
 * @throws VoiceAgentError whatever shows that the recording may still be there
 */
async function deleteOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<IDataObject> {
	const path = recordingPath(sessionGuid);
	const onFailure = (error: unknown) => {
		// The request may have been carried out although it failed, so an earlier list says nothing.
		if (!isGone(error)) forgetLists(context);
	};
	let answer: JsonAnswer;
	try {
		answer = await request(context, 'DELETE', path, {
			itemIndex,
			statusReasons: goneReasons,
			onFailure,
		});
	} catch (failure) {
		const mayBeGone = mayMeanGone(failure) || mayHaveBeenDeleted(failure);
		const error = mayBeGone
			? await judgedByList(context, itemIndex, sessionGuid, failure, 'stillListed')
			: failure;
		if (!isGone(error)) throw error;
		return { sessionGuid, deleted: true, alreadyGone: true };
	}
	forgetLists(context);
	if (saysDeleted(answer)) return { sessionGuid, deleted: true };
	const { isListed, isFiltered } = await findListed(context, itemIndex, sessionGuid);
	// A list of which the credential asks for a part only may leave it out although it is there.
	const isGoneFromList = isListed === false && !isFiltered;
	if (isGoneFromList) return { sessionGuid, deleted: true };
	return { sessionGuid, deleted: false, accepted: true };
}

/** Whether an answer leaves nothing open. For any other answer, the list decides. */
function saysDeleted({ status, json }: JsonAnswer): boolean {
	// 202 Accepted: it will be deleted.
	if (status === 202) return false;
	const isEmpty = json === undefined;
	return isEmpty || (isJsonObject(json) && json.deleted === true);
}

/** Whether a request that failed may have deleted the recording. */
function mayHaveBeenDeleted(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError)) return false;
	// A redirected request was not carried out: the Base URL is wrong.
	if (error.reason === 'redirected') return false;
	return mayHaveBeenCarriedOut(error);
}
