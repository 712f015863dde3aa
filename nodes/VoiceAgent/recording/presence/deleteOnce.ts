import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Field, fieldsIn } from '../../../data/fields';
import { VoiceAgentError } from '../../../errors';
import { mayHaveBeenCarriedOut } from '../../../service/http/httpErrors';
import { type JsonAnswer, request } from '../../../service/http/request';
import { goneReasons, recordingPath } from '../../../service/recordings';
import { isGone, judgedByList, mayMeanGone } from './availability';
import { findListed, forgetLists } from './listing';

const ACCEPTED = /^(?:accepted|queued|pending|scheduled)$/i;
/** The name of a field with a state; empty for an answer that is a text. */
const STATE = /^$|stat(?:us|e)$/i;
/** One word that does not say that it has happened. */
const OPEN = /^(?!(?:deleted|removed|gone|ok|success\w*|succeeded|done|completed?)$)[a-z_-]+$/i;

/**
 * Deletes a recording. If the answer does not say that it is deleted, the list of the service decides.
 * @throws VoiceAgentError whatever shows that the recording may still be there
 */
export async function deleteOnce(
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
	const { listed, isFiltered } = await findListed(context, itemIndex, sessionGuid);
	if (listed === 'no' && !isFiltered) return { sessionGuid, deleted: true };
	return { sessionGuid, deleted: false, accepted: true };
}

/** Whether an answer may mean that the recording will be deleted: 202 Accepted, or a state that does not say "deleted". */
function mayBeAccepted({ status, json }: JsonAnswer): boolean {
	const isOpen = ({ name, value }: Field) =>
		value === true ? ACCEPTED.test(name) : STATE.test(name) && OPEN.test(String(value));
	return status === 202 || fieldsIn(json).some(isOpen);
}

/** A redirected request was not carried out: the Base URL is wrong. */
function mayHaveBeenDeleted(error: unknown): error is VoiceAgentError {
	if (!(error instanceof VoiceAgentError) || error.reason === 'redirected') return false;
	return mayHaveBeenCarriedOut(error);
}
