import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Field, fieldsIn } from '../../data/fields';
import { jsonOfItem } from '../../data/json';
import { invalid, VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { itemOf, operation } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/http/httpErrors';
import { type JsonAnswer, request } from '../../service/http/request';
import { goneReasons, recordingPath } from '../../service/recordings';
import { canonicalSessionGuid } from '../../service/sessionGuid';
import { itemsOfSession, requireArchived } from './archive/archivedFiles';
import { stepsTo } from './archive/downloadedFiles';
import { aboutRecording, isGone, judgedByList, mayMeanGone } from './presence/availability';
import { findListed, forgetLists } from './presence/listing';
import { recording, sessionGuidOf } from './recordingFields';

const ACCEPTED = /^(?:accepted|queued|pending|scheduled)$/i;
/** The name of a field with a state; empty for an answer that is a text. */
const STATE = /^$|stat(?:us|e)$/i;
/** One word that does not say that it has happened. */
const OPEN = /^(?!(?:deleted|removed|gone|ok|success\w*|succeeded|done|completed?)$)[a-z_-]+$/i;

export const deleteRecording = operation({
	name: 'Delete',
	value: 'delete',
	action: 'Delete recording',
	description: 'Delete a recording from the service permanently',
	fields: [
		recording,
		{
			displayName: 'Require Proof of Archiving',
			name: 'requireProof',
			type: 'boolean',
			default: true,
			description:
				'Whether to delete the recording only if the archive has each file that the Download nodes before this one have output for it. The proof is what the archive says of the input item: its checksum and size, or the file as another node has read it back.',
		},
		optionsField([
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
		const { keepRecording } = values.options;
		if (!values.requireProof) {
			if (keepRecording) throw invalid("'Keep Recording' needs 'Require Proof of Archiving'");
			const sessionGuid = sessionGuidOf(this, values.recording);
			return [itemOf(itemIndex, await deleteOnce(this, itemIndex, sessionGuid))];
		}
		// The items of archive nodes do not name the recording, and those of a ledger in another spelling.
		const guidAt = (index: number) => {
			const downloaded = jsonOfItem(stepsTo(this, index)[0].item).sessionGuid;
			const guid = sessionGuidOf(this, valuesAt(index).recording || downloaded);
			const isSame = canonicalSessionGuid(String(downloaded)) === canonicalSessionGuid(guid);
			return isSame ? String(downloaded) : guid;
		};
		const sessionGuid = guidAt(itemIndex);
		const items = itemsOfSession(this, sessionGuid, guidAt);
		// The first item of a session acts for all of them.
		if (items[0] !== itemIndex) return [];
		const proven = await requireArchived(this, sessionGuid, items).catch(async (error) => {
			const { keptUntil } = await findListed(this, itemIndex, sessionGuid);
			throw aboutRecording(error, sessionGuid, keptUntil);
		});
		const outcome = keepRecording
			? { sessionGuid, deleted: false }
			: await deleteOnce(this, itemIndex, sessionGuid);
		const found = {
			archived: true,
			sha256: proven.checksum,
			bytes: Number(proven.size),
			archivedAt: new Date().toISOString(),
		};
		return [itemOf(itemIndex, { ...outcome, ...found })];
	},
});

/**
 * Deletes a recording. If the answer does not say that it is deleted, the list of the service decides.
 * @throws VoiceAgentError whatever shows that the recording may still be there
 */
async function deleteOnce(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<IDataObject> {
	const path = recordingPath(sessionGuid);
	const onFailure = (error: unknown) => {
		// It may have been carried out although it failed, so an earlier list says nothing.
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
	if (!mayBeAccepted(answer)) return { sessionGuid, deleted: true };
	const { isListed, isFiltered } = await findListed(context, itemIndex, sessionGuid);
	if (isListed === false && !isFiltered) return { sessionGuid, deleted: true };
	return { sessionGuid, deleted: false, accepted: true };
}

/** Whether an answer may mean that the recording will be deleted: 202 Accepted, or a state other than "deleted". An empty one names none. */
function mayBeAccepted({ status, json }: JsonAnswer): boolean {
	const isOpen = ({ name, value }: Field) =>
		value === true ? ACCEPTED.test(name) : STATE.test(name) && OPEN.test(String(value));
	return status === 202 || (json !== undefined && fieldsIn(json).some(isOpen));
}

/** A redirected request was not carried out: the Base URL is wrong. */
function mayHaveBeenDeleted(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError) || error.reason === 'redirected') return false;
	return mayHaveBeenCarriedOut(error);
}
