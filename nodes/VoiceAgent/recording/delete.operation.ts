import type { IExecuteFunctions } from 'n8n-workflow';

import { isJsonObject } from '../../data/json';
import { invalid, VoiceAgentError } from '../../errors';
import { optionsField } from '../../fields/field';
import { operation, outputItem } from '../../fields/operation';
import { mayHaveBeenCarriedOut } from '../../service/http/httpErrors';
import { type JsonAnswer, request } from '../../service/http/request';
import { exchange, serviceAccess } from '../../service/http/transport';
import { goneReasons, recordingPath } from '../../service/recordings';
import { recordingKeyOf } from '../../service/sessionGuid';
import { requireProof, rowOf, sessionOf } from './archive/session';
import { isGone, judgedByList, mayMeanGone } from './presence/availability';
import { noteDeletedHere, noteDone } from './presence/done';
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
			const { outcome, wasThere } = await deleteOnce(this, itemIndex, sessionGuid);
			// Without a proof, one that is gone already may have been purged.
			if (wasThere) await noteDeleted(this, itemIndex, sessionGuid);
			const recordingKey = recordingKeyOf(sessionGuid);
			return [outputItem(itemIndex, { sessionGuid, recordingKey, ...outcome })];
		}
		const session = sessionOf(this, itemIndex, (index) => valuesAt(index).recording);
		const { sessionGuid, itemIndexes } = session;
		// The first item of a session acts for all of them.
		if (itemIndexes[0] !== itemIndex) return [];
		const findKeptUntil = async () => (await findListed(this, itemIndex, sessionGuid)).keptUntil;
		const archived = await requireProof(this, session, {
			allowUnverified: deleteUnverified,
			findKeptUntil,
		});
		const archivedAt = new Date().toISOString();
		// Before it is gone, so that no webhook which comes then finds it lost.
		await noteDone(this, sessionGuid);
		const outcome = keepRecording ? KEPT : (await deleteOnce(this, itemIndex, sessionGuid)).outcome;
		if (outcome.deleted) await noteDeletedHere(this, itemIndex, sessionGuid);
		const row = rowOf(sessionGuid, archived, { status: 'archived', archivedAt });
		return [outputItem(itemIndex, { ...row, ...outcome, ...NOTHING_WRONG })];
	},
});

/** What became of a recording at the service. If it is neither, the service may still delete it. */
interface Outcome {
	deleted: boolean;
	deletedAt: string | null;
	/** Whether the user wants the service to keep it. */
	kept: boolean;
}

const KEPT: Outcome = { deleted: false, deletedAt: null, kept: true };
const ACCEPTED: Outcome = { deleted: false, deletedAt: null, kept: false };

interface Deletion {
	outcome: Outcome;
	/** Whether this request has deleted it, or the service has accepted to do so. */
	wasThere: boolean;
}

/** What a ledger says of a recording that is archived, whatever it has said before. */
const NOTHING_WRONG = { lastError: null, verifiedAt: null, verification: null };

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
): Promise<Deletion> {
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
		say(context, `The recording ${sessionGuid} was already gone from the service.`);
		return { outcome: deletedNow(), wasThere: false };
	}
	forgetLists(context);
	if (saysDeleted(answer)) return { outcome: deletedNow(), wasThere: true };
	const { isListed, isFiltered } = await findListed(context, itemIndex, sessionGuid);
	// A list of which the credential asks for a part only may leave it out although it is there.
	const isGoneFromList = isListed === false && !isFiltered;
	// An answer in words may refuse. A recording that still comes is not deleted, listed or not.
	const isInWords = answer.status !== 202;
	const isServed = isGoneFromList && isInWords && (await isStillServed(context, itemIndex, path));
	if (isGoneFromList && !isServed) return { outcome: deletedNow(), wasThere: true };
	say(
		context,
		`The service has accepted the request to delete ${sessionGuid}, but its answer does not say that the recording is deleted, and it still ${isServed ? 'sends' : 'lists'} the recording.`,
	);
	return { outcome: ACCEPTED, wasThere: true };
}

/** Whether the service still sends a recording. Nothing of it is read. */
async function isStillServed(
	context: IExecuteFunctions,
	itemIndex: number,
	path: string,
): Promise<boolean> {
	const access = await serviceAccess(context, itemIndex);
	const url = `${access.baseUrl}${path}`;
	try {
		const answer = await exchange(context, { method: 'GET', url, accept: '*/*', access });
		answer.body.destroy();
		// A redirect leads to the file. JSON or a page in its place is a refusal.
		const isRefusal = /^(?:application\/(?:[\w.-]+\+)?json|text\/html)\b/i;
		return answer.status < 400 && !isRefusal.test(answer.header('content-type') ?? '');
	} catch {
		// No answer shows nothing, so what the list says stands.
		return false;
	}
}

async function noteDeleted(
	context: IExecuteFunctions,
	itemIndex: number,
	sessionGuid: string,
): Promise<void> {
	await noteDone(context, sessionGuid);
	await noteDeletedHere(context, itemIndex, sessionGuid);
}

function deletedNow(): Outcome {
	return { deleted: true, deletedAt: new Date().toISOString(), kept: false };
}

function say(context: IExecuteFunctions, message: string): void {
	context.addExecutionHints({ type: 'info', location: 'outputPane', message });
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
